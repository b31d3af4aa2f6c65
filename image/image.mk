# SPDX-License-Identifier: GPL-2.0-or-later
#
# Included by the Makefile: the packages, and the image from rootfs.list.
image =
image_compressed =
