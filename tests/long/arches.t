#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# timeout: 3600
#
# The images of the architectures that ARCHES leaves out: built, and asked what tests/build/46-arches.t asks of the others.
# What is missing for one (its compiler, qemu-user) is a SKIP that names the packages.
. tests/lib/tap.sh
. tests/lib/arch.sh

for f in image/arch/*; do
    arch=${f##*/}
    case " $ARCH $ARCHES " in *" $arch "*) continue ;; esac
    cc=$(image/package cc "$arch")
    if ! command -v "$cc" >/dev/null; then
        skip "$arch" "no $cc (packages $(arch_says "$arch" arch_debian))"
        continue
    fi
    run make -s -j"$(nproc)" BUILD="$BUILD" ARCH="$arch" image
    is "$arch: is built" "$status" 0 || { diag "$err"; continue; }
    arch_image "$arch"
done
[ $TAP_COUNT -gt 0 ] || skip "another architecture" "ARCHES leaves none out"
tap_done
