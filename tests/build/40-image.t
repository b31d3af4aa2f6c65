#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
#
# The image: its size, what is in it and what not, that it needs nothing of the system, that a second build does nothing.
. tests/lib/tap.sh
A=$BUILD/$ARCH
[ -f "$A/image.cpio" ] || bail "no $A/image.cpio; make builds it"

size=$(wc -c <"$A/image.cpio.xz")
check "xz: at most 800 KiB ($size bytes)" test "$size" -le 819200
size=$(wc -c <"$A/image.cpio")
check "unpacked: at most 2 MiB ($size bytes)" test "$size" -le 2097152
size=$(wc -c <"$A/suite")
check "the suite: at most 400 KiB ($size bytes)" test "$size" -le 409600
check "xz is whole" xz -t "$A/image.cpio.xz"
like "xz: CRC32, the kernel's decoder knows no other" "$(xz --robot -lvv "$A/image.cpio.xz")" 'CRC32'
check "gz is whole" gzip -t "$A/image.cpio.gz"
is "gz is the same archive" "$(gzip -dc "$A/image.cpio.gz" | sha256sum)" "$(sha256sum <"$A/image.cpio")"
is "a multiple of 512 bytes, for what is appended" $(($(wc -c <"$A/image.cpio") % 512)) 0

cpio -it --quiet <"$A/image.cpio" >"$TAP_TMP/have"
"$BUILD/mkcpio" -l image/rootfs.list . "$A" >"$TAP_TMP/want"
check "what rootfs.list says, in its order, and nothing else" diff "$TAP_TMP/want" "$TAP_TMP/have"
is "the console comes first" "$(sed -n 2p "$TAP_TMP/have")" dev/console
cpio -itv --quiet <"$A/image.cpio" >"$TAP_TMP/long"
is "all is root's" "$(awk '$3 != "root" || $4 != "root"' "$TAP_TMP/long")" ""
is "all is of 1970" "$(grep -cv 'Jan  1  1970' "$TAP_TMP/long")" 0

sed 's,.*/,,' "$A/packages/busybox/links" | sort >"$TAP_TMP/applets"
sed -n 's,^link /bin/\([^ ]*\) busybox$,\1,p' image/rootfs.list | sort >"$TAP_TMP/links"
check "a link for each applet, an applet for each link" diff "$TAP_TMP/applets" "$TAP_TMP/links"
"$A/suite" | sort >"$TAP_TMP/programs"
sed -n 's,^kd/suite/,,p' "$TAP_TMP/have" | grep -vx suite | sort >"$TAP_TMP/suite"
check "a link for each program of the suite, a descriptor for each" diff "$TAP_TMP/programs" "$TAP_TMP/suite"

bad_elf="" bad_path=""
for f in init runner suite packages/busybox/busybox packages/kexec-tools/kexec packages/kexec-tools/vmcore-dmesg packages/dropbear/dropbear \
    packages/e2fsprogs/mke2fs; do
    readelf -lW "$A/$f" | grep -qE 'INTERP|DYNAMIC' && bad_elf="$bad_elf $f"
    readelf -SW "$A/$f" | grep -qE '\.symtab|\.debug|build-id' && bad_elf="$bad_elf $f(not stripped)"
    grep -qF "$TAP_TOP" "$A/$f" && bad_path="$bad_path $f"
done
is "every program is static and stripped" "$bad_elf" ""
is "no program knows where it was built" "$bad_path" ""
check "busybox runs" "$A/packages/busybox/busybox" true
like "kexec runs" "$("$A/packages/kexec-tools/kexec" --version)" 'kexec-tools'
like "dropbear runs" "$("$A/packages/dropbear/dropbear" -V 2>&1)" 'Dropbear'
like "mkfs.ext4 runs" "$("$A/packages/e2fsprogs/mke2fs" -V 2>&1)" "mke2fs"
unlike "dropbear knows no passwords" "$("$A/packages/dropbear/dropbear" -h 2>&1)" 'password'

# The list refuses what would be lost without a word.
list() {
    printf '%s\n' "$2" >"$TAP_TMP/list"
    run "$BUILD/mkcpio" "$TAP_TMP/list" . "$A"
    is "$1: exit code" "$status" 1
    like "$1: file and line" "$err" "$TAP_TMP/list:[0-9]+: "
}
list "list: no parent" "file /a/b 644 tree:Makefile"
list "list: twice" "dir /a 755
dir /a 755"
list "list: no such file" "file /a 644 tree:nowhere"
list "list: unknown word" "directory /a 755"
list "list: bad mode" "dir /a rwx"

# A second build, nothing changed: no file is written.
: >"$TAP_TMP/before"
start=$(date +%s%N)
run make -s BUILD="$BUILD" ARCH="$ARCH" all
took=$((($(date +%s%N) - start) / 1000000))
is "make again" "$status" 0 || diag "$err"
like "make prints both sizes" "$out" "^image $ARCH: xz [0-9]+ bytes .*unpacked [0-9]+"
check "nothing changed, under 2 s ($took ms)" test "$took" -lt 2000
is "nothing changed, nothing written" "$(find "$BUILD" -path "$BUILD/test-*" -prune -o -type f -newer "$TAP_TMP/before" -print)" ""
tap_done
