#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
#
# What is asked of the image of an architecture beside the tests' own: limits, static programs for it and nothing else, that they run.
# Read after tap.sh. Contract: arch_image ARCH checks build/ARCH; arch_says ARCH NAME prints what its file says.
# Trap: under qemu-user the programs run, whatever the kernel of the box will say to them.
# shellcheck shell=sh

arch_says() { (
    eval "$2="
    # shellcheck source=/dev/null
    . "./image/arch/$1" && eval "echo \"\$$2\""
); }

# arch_run ARCH PROGRAM ARGUMENT...: a 486's on this kernel, another's under qemu-user
arch_run() {
    qemu=$(arch_says "$1" arch_qemu)
    shift
    # shellcheck disable=SC2086 # may be nothing
    $qemu "$@" 2>&1
}

arch_image() {
    arch=$1 dir=$BUILD/$1
    [ -f "$dir/image.cpio" ] || bail "no $dir/image.cpio; make ARCHES='... $arch' builds it"
    for form in "" .gz .xz; do
        size=$(wc -c <"$dir/image.cpio$form")
        limit=$(arch_says "$arch" "arch$(echo "$form" | tr . _)_max")
        check "$arch: image.cpio$form: $size bytes, at most $limit" test "$size" -le "$limit"
    done
    is "$arch: gz is the same archive" "$(gzip -dc "$dir/image.cpio.gz" | sha256sum)" "$(sha256sum <"$dir/image.cpio")"
    is "$arch: xz is the same archive" "$(xz -dc "$dir/image.cpio.xz" | sha256sum)" "$(sha256sum <"$dir/image.cpio")"

    # The limits are limits: one that is a byte too small for what is there.
    small=$TAP_TMP/small/$arch
    mkdir -p "$small"
    cp "$dir/image.cpio" "$small/"
    for form in gz xz; do
        run make -s BUILD="$TAP_TMP/small" ARCH="$arch" "image_${form}_max=$(($(wc -c <"$dir/image.cpio.$form") - 1))" \
            -o "$small/image.cpio" "$small/image.cpio.$form"
        check "$arch: $form a byte too large is no image" test "$status" -ne 0 -a ! -e "$small/image.cpio.$form"
        like "$arch: $form a byte too large: which, and what to do" "$err" "image.cpio.$form is [0-9]+ bytes, more than .*take something out"
    done

    cpio -it --quiet <"$dir/image.cpio" >"$TAP_TMP/have"
    # shellcheck disable=SC2153 # of the tests
    cpio -it --quiet <"$BUILD/$ARCH/image.cpio" >"$TAP_TMP/own"
    without=""
    for package in $(arch_says "$arch" arch_without); do without="$without $(sed -n "s,^file /\(.*\) [0-7]* build:packages/$package/.*,\1,p" image/rootfs.list | xargs)"; done
    is "$arch: holds what $ARCH holds${without:+, but$without}" "$(diff "$TAP_TMP/own" "$TAP_TMP/have" | sed -n 's/^[<>] //p' | xargs)" "$(echo "$without" | xargs)"

    # One architecture is not another: what each program is for, by its own words.
    programs="" odd=""
    mkdir "$TAP_TMP/$arch"
    (cd "$TAP_TMP/$arch" && cpio -idm --quiet 2>/dev/null) <"$dir/image.cpio"
    machine=$(readelf -h "$dir/musl/lib/crt1.o" | sed -n 's/^ *\(Class\|Machine\): *//p' | xargs)
    for f in $(cd "$TAP_TMP/$arch" && find . -type f -size +8k); do
        p=$TAP_TMP/$arch/$f
        [ "$(readelf -h "$p" 2>/dev/null | sed -n 's/^ *\(Class\|Machine\): *//p' | xargs)" = "$machine" ] || odd="$odd $f(not for $machine)"
        readelf -lW "$p" | grep -qE 'INTERP|DYNAMIC' && odd="$odd $f(not static)"
        readelf -SW "$p" | grep -qE '\.symtab|\.debug|build-id' && odd="$odd $f(not stripped)"
        grep -qF "$TAP_TOP" "$p" && odd="$odd $f(knows where it was built)"
        programs="$programs ${f##*/}"
    done
    is "$arch: every program is for $machine, static and stripped" "$odd" ""
    like "$arch: there are programs" "$programs" 'busybox'

    # They run.
    qemu=$(arch_says "$arch" arch_qemu)
    if [ -n "$qemu" ] && ! command -v "$qemu" >/dev/null; then
        skip "$arch: its programs run" "no $qemu (package qemu-user)"
        return
    fi
    if [ -z "$qemu" ] && ! "$dir/packages/busybox/busybox" true 2>/dev/null; then
        skip "$arch: its programs run" "this kernel runs no 32-bit programs"
        return
    fi
    is "$arch: busybox runs" "$(arch_run "$arch" "$dir/packages/busybox/busybox" sh -c 'echo $((6000000000000 / 7 % 1000))')" 142
    like "$arch: dropbear runs" "$(arch_run "$arch" "$dir/packages/dropbear/dropbear" -V)" 'Dropbear'
    like "$arch: mkfs.ext4 runs" "$(arch_run "$arch" "$dir/packages/e2fsprogs/mke2fs" -V)" 'mke2fs'
    [ ! -e "$dir/packages/kexec-tools/kexec" ] || like "$arch: kexec runs" "$(arch_run "$arch" "$dir/packages/kexec-tools/kexec" --version)" 'kexec-tools'
    is "$arch: the suite has the same programs" "$(arch_run "$arch" "$dir/suite" | sort)" "$("$BUILD/$ARCH/suite" | sort)"
    arch_test "$arch" cpu-parallel time_ms=20 reps=2 warm=0
    arch_test "$arch" disk-seq size_bytes=1048576 reps=2 warm=0 cold=none
}

# arch_test ARCH TEST WORD...: a test of the suite passes, and says what its descriptor promises
arch_test() {
    arch=$1 test=$2
    shift 2
    mkdir -p "$TAP_TMP/scratch"
    KD_SCRATCH=$TAP_TMP/scratch arch_run "$arch" "$BUILD/$arch/suite" "$test" "$@" 3>"$TAP_TMP/facts" >/dev/null </dev/null
    is "$arch: $test: status" $? 0
    check "$arch: $test: facts" tests/station/suite-facts "tests/suite/$test.test" "$TAP_TMP/facts" pass
}
