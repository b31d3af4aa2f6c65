#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
#
# make install: the command works from where it was put, and finds its files there.
. tests/lib/tap.sh
check "make install" make -s install BUILD="$BUILD" ARCH="$ARCH" DESTDIR="$TAP_TMP" PREFIX=/usr || bail "not installed"
check "the command runs" "$TAP_TMP/usr/bin/kdyno" --help
check "apt-root is beside it, whole" "$TAP_TMP/usr/share/kdyno/image/apt-root" --help
check "profiles and descriptors are there" "$TAP_TMP/usr/bin/kdyno" suite smoke
check "the image is there" test -s "$TAP_TMP/usr/share/kdyno/$ARCH/image.cpio.xz"
tap_done
