#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# timeout: 1200
#
# The image built again from nothing (another build directory, an empty cache, so that the C library and each package
# are compiled anew) is the same bit for bit. Trap: takes minutes; it is the price of knowing.
. tests/lib/tap.sh
A=$BUILD/$ARCH
[ -f "$A/image.cpio" ] || bail "no $A/image.cpio; make builds it"
cache=${KDYNO_CACHE:-${XDG_CACHE_HOME:-$HOME/.cache}/kdyno}

check "built again from nothing" env KDYNO_CACHE="$TAP_TMP/cache" SOURCES="$cache/sources" \
    make -s -j"$(nproc)" BUILD="$TAP_TMP/again" ARCH="$ARCH" image || bail "no second build"
for f in init runner suite packages/busybox/busybox packages/kexec-tools/kexec packages/kexec-tools/vmcore-dmesg \
    packages/dropbear/dropbear packages/e2fsprogs/mke2fs image.cpio image.cpio.xz image.cpio.gz; do
    check "$f: the same bit for bit" cmp "$A/$f" "$TAP_TMP/again/$ARCH/$f"
done
tap_done
