#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# timeout: 6000
#
# The images of the architectures beside the tests' own, built again from nothing, are the same bit for bit (tests/build/50-reproducible.t is
# for that one). Trap: minutes for each.
. tests/lib/tap.sh
cache=${KDYNO_CACHE:-${XDG_CACHE_HOME:-$HOME/.cache}/kdyno}

looked=0
for arch in $ARCHES; do
    [ "$arch" != "$ARCH" ] || continue
    [ -f "$BUILD/$arch/image.cpio" ] || bail "no $BUILD/$arch/image.cpio; make builds it"
    check "$arch: built again from nothing" env CCACHE_DISABLE=1 KDYNO_CACHE="$TAP_TMP/cache" SOURCES="$cache/sources" \
        make -s -j"$(nproc)" BUILD="$TAP_TMP/again" ARCH="$arch" image || continue
    for f in init runner suite image.cpio image.cpio.xz image.cpio.gz; do
        check "$arch: $f: the same bit for bit" cmp "$BUILD/$arch/$f" "$TAP_TMP/again/$arch/$f"
    done
    rm -rf "$TAP_TMP/again" "$TAP_TMP/cache"
    looked=1
done
[ $looked = 1 ] || skip "another architecture" "ARCHES names none but $ARCH"
tap_done
