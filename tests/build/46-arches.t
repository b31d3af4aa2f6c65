#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# timeout: 300
#
# The images of ARCHES beside the tests' own: tests/lib/arch.sh says what is asked of each.
. tests/lib/tap.sh
. tests/lib/arch.sh

others=""
for arch in $ARCHES; do
    [ "$arch" = "$ARCH" ] || { arch_image "$arch"; others="$others $arch"; }
done
[ -n "$others" ] || skip "another architecture's image" "ARCHES names none but $ARCH"
left=""
for f in image/arch/*; do
    arch=${f##*/}
    case " $ARCH $ARCHES " in *" $arch "*) ;; *) left="$left $arch" ;; esac
done
diag "looked at:$others; left out of ARCHES:$left"
tap_done
