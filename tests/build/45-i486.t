#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
#
# The image for a 486: no instruction in it is past one, its 64-bit division divides, its programs run on this machine.
# Trap: here only the disassembly can tell: a processor of today runs what a 486 does not.
. tests/lib/tap.sh
case " $ARCHES " in *" i486 "*) ;; *) skip_all "i486 is not among ARCHES ($ARCHES)" ;; esac
A=$BUILD/i486
[ -f "$A/image.cpio" ] || bail "no $A/image.cpio; make builds it"

# What the image holds, by the list that it is made of; no program in it may be without its list of functions.
mkdir "$TAP_TMP/image"
(cd "$TAP_TMP/image" && cpio -idm --quiet 2>/dev/null) <"$A/image.cpio"
programs="" bare=""
for f in $(cd "$TAP_TMP/image" && find . -type f | sed 's,^\.,,'); do
    case $(head -c 4 "$TAP_TMP/image$f" | od -An -c | tr -d ' ') in 177ELF) ;; *) continue ;; esac
    from=$(sed -n "s,^file $f [0-7]* build:,,p" image/rootfs.list)
    [ -s "$A/$from.map" ] || bare="$bare $f"
    programs="$programs $TAP_TMP/image$f=$A/$from.map"
done
is "each has its functions' names" "$bare" ""
# shellcheck disable=SC2086 # a list
run tests/lib/instructions $programs
is "no instruction is past a 486" "$status" 0 || diag "$out"
like "kexec's purgatory was looked at too" "$err" '^[0-9]{6} instructions in 9 programs$'

# The check itself: each of these is found, by file, function and instruction.
cc=$A/bin/kd-cc
seed() { # NAME INSTRUCTION BYTES
    printf 'void seeded_%s(void) { __asm__ volatile(".byte %s"); }\nint main(void) { seeded_%s(); return 0; }\n' "$1" "$3" "$1" >"$TAP_TMP/$1.c"
    "$cc" -o "$TAP_TMP/$1" "$TAP_TMP/$1.c"
    nm -n "$TAP_TMP/$1" >"$TAP_TMP/$1.map"
    strip -s "$TAP_TMP/$1"
    run tests/lib/instructions "$TAP_TMP/$1=$TAP_TMP/$1.map"
    is "$1: is an error" "$status" 1
    like "$1: file, function, instruction" "$out" "^$TAP_TMP/$1: seeded_$1: [0-9a-f]+: $2"
}
seed cmov 'cmove +ecx,eax' '0x0f,0x44,0xc8'
seed nopl 'nop +DWORD' '0x0f,0x1f,0x40,0x00'
seed endbr 'endbr32' '0xf3,0x0f,0x1e,0xfb'
seed fcomi 'fcomi' '0xdb,0xf1'
seed fcmov 'fcmove' '0xda,0xc9'
seed mmx 'movd +mm0' '0x0f,0x6e,0xc0'
seed sse 'movaps' '0x0f,0x28,0xc1'
seed cpuid 'cpuid' '0x0f,0xa2'
seed tsc 'rdtsc' '0x0f,0x31'
seed cas8 'lock cmpxchg8b' '0xf0,0x0f,0xc7,0x0f'
seed sysenter 'sysenter' '0x0f,0x34'

# Division by our own: against shift and subtract, on the edges and on numbers that a generator makes.
"$cc" -std=c11 -Os -Wall -Wextra -Werror -o "$TAP_TMP/int64" tests/build/int64.c || bail "int64.c does not compile"
run "$TAP_TMP/int64"
is "64-bit division" "$out" "300000 divisions, 0 wrong" || diag "$err"

# By the 32-bit half of this machine's kernel: what the tests of the suite's programs ask of those of another architecture.
if "$A/packages/busybox/busybox" true 2>/dev/null; then
    run env BUILD="$BUILD" ARCH=i486 sh tests/station/suite.t
    is "the suite, as on a 32-bit box" "$status" 0 || diag "$(echo "$out" | grep -A4 '^not ok')"
else
    skip "the suite, as on a 32-bit box" "this kernel runs no 32-bit programs"
fi

# On a 486, as QEMU knows it: what it lacks is an illegal instruction there.
if command -v qemu-i386 >/dev/null; then
    run qemu-i386 -cpu 486 "$TAP_TMP/cmov"
    is "a 486 has no cmov: SIGILL" "$status" 132
    is "64-bit division on a 486" "$(qemu-i386 -cpu 486 "$TAP_TMP/int64")" "300000 divisions, 0 wrong"
    is "busybox on a 486" "$(qemu-i386 -cpu 486 "$A/packages/busybox/busybox" sh -c 'echo $((6000000000000 / 7 % 1000))' 2>&1)" 142
    like "kexec on a 486" "$(qemu-i386 -cpu 486 "$A/packages/kexec-tools/kexec" --version 2>&1)" 'kexec-tools'
    like "dropbear on a 486" "$(qemu-i386 -cpu 486 "$A/packages/dropbear/dropbear" -V 2>&1)" 'Dropbear'
    truncate -s 8M "$TAP_TMP/disk"
    check "mkfs.ext4 on a 486" qemu-i386 -cpu 486 "$A/packages/e2fsprogs/mke2fs" -q -F -t ext4 "$TAP_TMP/disk"
    mkdir "$TAP_TMP/scratch486"
    for words in "cpu-parallel time_ms=20 reps=2 warm=0" "mem-copy reps=2 warm=0" "disk-seq size_bytes=1048576 reps=2 warm=0 cold=none"; do
        # shellcheck disable=SC2086 # words
        run env KD_SCRATCH="$TAP_TMP/scratch486" qemu-i386 -cpu 486 "$A/suite" $words 3>/dev/null
        is "${words%% *} on a 486" "$status" 0 || diag "$err"
    done
else
    skip "its programs on a 486" "no qemu-i386 (package qemu-user)"
fi
tap_done
