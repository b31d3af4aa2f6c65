#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# timeout: 2400
# The scratch disk in a real kernel: with no mark, two marks, a mark of another size and a partition table, the tests that need the disk are SKIP with the
# reason, all others pass, and the disks are the same to the last byte. (tests/station/scratch.t has all cases, without a kernel.)
. tests/lib/tap.sh
. tests/qemu/lab.sh
at_exit lab_stop
lab_ready
disk=$KDYNO_LAB/boxes/qemu/scratch.img
second=$KDYNO_LAB/boxes/qemu/second.img
right=$TAP_TMP/right.img
at_exit "rm -f '$disk' '$second' '$KDYNO_LAB/boards/qemu.ini'" # box add makes them anew
cp --sparse=always "$disk" "$right"
bytes=$(stat -c %s "$disk")

# boot NAME: one subject, one round, with what lies there as disks
boot() {
    lab_sweep "l-scratch-$1" --kernels "$OLD" --rounds 1 --tests cpu-parallel,disk-seq
    run timeout 600 "$KDYNO" sweep run "l-scratch-$1"
    is "$1: the sweep ends" "$status" 0 || diag "$out" "$err"
    lab_stop
    "$KDYNO" show "l-scratch-$1" --records >"$TAP_TMP/records"
}
# left_alone NAME REASON FILE...
left_alone() {
    name=$1 reason=$2
    shift 2
    before=$(sha256sum "$@")
    boot "$name"
    is "$name: untouched" "$(sha256sum "$@")" "$before"
    is "$name: disk-seq is a skip in both boots, and nothing else in any" "$(grep -o 'end test=disk-seq status=[a-z]*' "$TAP_TMP/records" | sort | uniq -c | tr -s ' ')" " 2 end test=disk-seq status=skip"
    like "$name: with the reason" "$(cat "$TAP_TMP/records")" " end test=disk-seq status=skip .*reason=($reason)( |\$)"
    is "$name: the other test passes" "$(grep -c 'end test=cpu-parallel status=pass' "$TAP_TMP/records")" 2
}

truncate -s 0 "$disk"
truncate -s "$bytes" "$disk"
left_alone none 'no disk with a mark|no%20disk%20with%20a%20mark' "$disk"

cp --sparse=always "$right" "$disk"
cp --sparse=always "$right" "$second"
sed -i '/^\[twin\]/,$d' "$KDYNO_LAB/boards/qemu.ini"
printf '[twin]\nqemu = -drive file=%s,format=raw,if=none,id=second\n\t-device virtio-blk-pci,drive=second\n' "$second" >>"$KDYNO_LAB/boards/qemu.ini"
check "a board with two disks" "$KDYNO" board check "$KDYNO_LAB/boards/qemu.ini" || bail "the path is too long"
left_alone two 'two disks with a mark|two%20disks%20with%20a%20mark' "$disk" "$second"
sed -i '/^\[twin\]/,$d' "$KDYNO_LAB/boards/qemu.ini"

truncate -s $((bytes + 1048576)) "$disk"
tail -c 65536 "$right" | dd of="$disk" bs=65536 seek=$(((bytes + 1048576 - 65536) / 65536)) conv=notrunc 2>/dev/null
left_alone size 'mark of another size|mark%20of%20another%20size' "$disk"

cp --sparse=always "$right" "$disk"
printf 'EFI PART' | dd of="$disk" bs=512 seek=1 conv=notrunc 2>/dev/null
left_alone table 'the marked disk has a partition table \(GPT\)|the%20marked%20disk%20has%20a%20partition%20table%20%28GPT%29' "$disk"

# and with the mark it is written on: else the hashes say nothing
cp --sparse=always "$right" "$disk"
before=$(sha256sum "$disk")
boot right
is "right: disk-seq passes in both boots" "$(grep -c 'end test=disk-seq status=pass' "$TAP_TMP/records")" 2
check "right: and the disk is another" test "$(sha256sum "$disk")" != "$before"
tap_done
