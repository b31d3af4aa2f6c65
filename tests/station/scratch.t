#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# Which disk a box writes on, and above all on which it does not: the runner's own code (tests/lib/scratch-find.c) in a mount namespace, on real block
# devices (loops, which /proc/partitions of that namespace calls sda and sdb). Whatever is refused is the same to the last byte.
. tests/lib/tap.sh
. tests/station/lab.sh

[ "$(id -u)" -eq 0 ] || skip_all "not root: no loop devices"
FIND=$TAP_TOP/$BUILD/tests/scratch-find
mkdir "$TAP_TMP/bin" "$TAP_TMP/mnt"
ln -s "$TAP_TOP/$BUILD/$ARCH/packages/busybox/busybox" "$TAP_TMP/bin/mke2fs"
export FIND TAP_TMP
BYTES=$((32 << 20))

# disk NAME: 32 MiB that are not zeros, so that a write anywhere shows, in $TAP_TMP/NAME
disk() { head -c $BYTES /dev/zero | tr '\0' '\245' >"$TAP_TMP/$1"; }
# mark NAME BOX: as `box scratch` does it
mark() { "$KDYNO" box scratch "$2" "$TAP_TMP/$1" --yes "file $(stat -c %s "$TAP_TMP/$1")" >/dev/null 2>"$TAP_TMP/err" || bail "no mark: $(cat "$TAP_TMP/err")"; }
sum() { (cd "$TAP_TMP" && sha256sum "$@"); }
# attach NAME NODE: the loop, as a line of /proc/partitions
attach() {
    loop=$(losetup --show -f "$TAP_TMP/$1" 2>/dev/null) || return 1
    loops="$loops $loop"
    printf '%4d %8d %10d %s\n' "0x$(stat -c %t "$loop")" "0x$(stat -c %T "$loop")" $((BYTES / 1024)) "$2" >>"$TAP_TMP/partitions"
}
detach() {
    # shellcheck disable=SC2086 # several
    [ -z "$loops" ] || losetup -d $loops
    loops=
}
loops=
at_exit detach
# find_disk ARGS...: in the namespace, where $MOUNTED is mounted
find_disk() {
    # shellcheck disable=SC2016,SC2317 # for the inner shell; called by name
    unshare -m --propagation private sh -c '
        mount --bind "$TAP_TMP/partitions" /proc/partitions && mount -t tmpfs none /mnt && mkdir /mnt/scratch /mnt/other || exit 9
        [ -z "$MOUNTED" ] || mount -o ro "$MOUNTED" /mnt/other || exit 9
        PATH=$TAP_TMP/bin:$PATH "$FIND" "$@"
        status=$?
        rm -f /dev/kd-scratch
        exit $status' sh "$@"
}
MOUNTED=
export MOUNTED
# refused_disk DESCRIPTION REASON NAME...: these disks, as sda, sdb; none is written on
refused_disk() {
    what=$1 reason=$2
    shift 2
    : >"$TAP_TMP/partitions"
    before=$(sum "$@")
    node=a
    for name; do attach "$name" sd$node && node=b; done
    [ -z "$mount_it" ] || MOUNTED=${loops# }
    run find_disk box
    detach
    MOUNTED='' mount_it=''
    is "$what: skip" "$status" 4 || diag "$out" "$err"
    like "$what: says so" "$out" "^skip $reason\$"
    is "$what: untouched" "$(sum "$@")" "$before"
}
mount_it=

run "$KDYNO" box add box --board qemu-x86_64
run "$KDYNO" box add other --board qemu-x86_64
disk plain
: >"$TAP_TMP/partitions"
attach plain sda || skip_all "no loop device"
detach

# ---- first that it writes where it may: else nothing below says anything
disk one
mark one box
before=$(sum one)
tail -c 65536 "$TAP_TMP/one" >"$TAP_TMP/mark-before"
: >"$TAP_TMP/partitions"
attach plain sda
attach one sdb
run find_disk box
detach
is "the one with the mark is taken, though it is the second" "$status $out" "0 disk sdb made" || diag "$err"
check "and written on" test "$(sum one)" != "$before"
like "an ext2, below the mark" "$(dumpe2fs -h "$TAP_TMP/one" 2>/dev/null | tr -s ' ')" "^Block count: $(((BYTES - 65536) / 4096))\$"
tail -c 65536 "$TAP_TMP/one" >"$TAP_TMP/mark-after"
check "the mark is as it was" cmp "$TAP_TMP/mark-before" "$TAP_TMP/mark-after"
: >"$TAP_TMP/partitions"
attach one sda
before=$(sum one)
run find_disk box fs=keep
detach
is "kept where the test wants that" "$status $out" "0 disk sda kept" || diag "$err"

# ---- no mark, or not this one
refused_disk "no mark" "no disk with a mark" plain
disk two
mark two box
refused_disk "two marks" "two disks with a mark" one two
refused_disk "two marks, the other way round" "two disks with a mark" two one
disk others
mark others other
refused_disk "the mark of another box" "mark of another box" others
cp "$TAP_TMP/two" "$TAP_TMP/damaged"
printf x | dd of="$TAP_TMP/damaged" bs=1 seek=$((BYTES - 65536 + 40)) conv=notrunc 2>/dev/null
refused_disk "a damaged mark" "no disk with a mark" damaged
head -c -65536 "$TAP_TMP/plain" >"$TAP_TMP/larger"
{ cat "$TAP_TMP/larger" && head -c 1048576 "$TAP_TMP/plain" && tail -c 65536 "$TAP_TMP/two"; } >"$TAP_TMP/size" && mv "$TAP_TMP/size" "$TAP_TMP/larger"
refused_disk "the mark of another size: a copy on a larger disk" "mark of another size" larger
printf 'a b\nnonsense\n   8 0 999999999999999999999 sda\n' >"$TAP_TMP/partitions"
run find_disk box
is "a list of disks that is none" "$status $out" "4 skip no disk with a mark"

# ---- the right mark, and yet somebody's
mount_it=1
refused_disk "mounted" "the marked disk is mounted" one
loop=$(losetup --show -f "$TAP_TMP/one")
if mount -o ro "$loop" "$TAP_TMP/mnt"; then
    at_exit "umount '$TAP_TMP/mnt' 2>/dev/null"
    printf '%4d %8d %10d sda\n' "0x$(stat -c %t "$loop")" "0x$(stat -c %T "$loop")" $((BYTES / 1024)) >"$TAP_TMP/partitions"
    before=$(sum one)
    # shellcheck disable=SC2016
    run unshare -m --propagation private sh -c '
        umount "$TAP_TMP/mnt" && mount --bind "$TAP_TMP/partitions" /proc/partitions && mount -t tmpfs none /mnt && mkdir /mnt/scratch || exit 9
        PATH=$TAP_TMP/bin:$PATH "$FIND" box
        status=$?; rm -f /dev/kd-scratch; exit $status'
    is "mounted where it cannot be seen: skip" "$status $out" "4 skip the marked disk is in use" || diag "$err"
    umount "$TAP_TMP/mnt"
    is "mounted where it cannot be seen: untouched" "$(sum one)" "$before"
else
    bail "no mount of a loop"
fi
losetup -d "$loop"
poke() { # NAME AT BYTES: over a fresh copy of the marked disk
    cp "$TAP_TMP/two" "$TAP_TMP/$1"
    # shellcheck disable=SC2059 # it is to be interpreted
    printf "$3" | dd of="$TAP_TMP/$1" bs=1 seek="$2" conv=notrunc 2>/dev/null
}
poke gpt 512 'EFI PART'
refused_disk "GPT" "the marked disk has a partition table \(GPT\)" gpt
poke gpt4k 4096 'EFI PART'
refused_disk "GPT of large sectors" "the marked disk has a partition table \(GPT\)" gpt4k
poke mbr 450 '\203'
printf '\125\252' | dd of="$TAP_TMP/mbr" bs=1 seek=510 conv=notrunc 2>/dev/null
refused_disk "MBR" "the marked disk has a partition table \(MBR\)" mbr
poke lvm 512 LABELONE
refused_disk "a physical volume of LVM" "the marked disk has a partition table \(LVM\)" lvm
refused_disk "two marks, of which one is on a disk with a table: nobody guesses" "two disks with a mark" one gpt
tap_done
