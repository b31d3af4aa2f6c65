#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# box add, list, show, scratch: the lab's boxes, and the one command that can cost somebody their data.
. tests/lib/tap.sh
. tests/station/lab.sh

run "$KDYNO" box add qemu --board qemu-x86_64
is "a twin" "$status" 0
like "added" "$out" '^added box qemu: '
check "its config may be edited" test -w "$KDYNO_LAB/boards/qemu.ini"
size=$(($(sed -n 's/^scratch = \([0-9]*\)M$/\1/p' board-configs/qemu-x86_64.ini) * 1024 * 1024))
is "its disk has the size" "$(stat -c %s "$KDYNO_LAB/boxes/qemu/scratch.img")" "$size"
check "and is sparse" test "$(stat -c %b "$KDYNO_LAB/boxes/qemu/scratch.img")" -lt 2000
like "and has its mark" "$(tail -c 65536 "$KDYNO_LAB/boxes/qemu/scratch.img" | tr -d '\0')" "^kdyno-scratch v=1 uuid=[0-9a-f-]{36} box=qemu bytes=$size \\*[0-9a-f]{8}\$"
run "$KDYNO" box add qemu
like "twice is once, and the default board is the twin" "$out" '^have box qemu: '
echo '; a remark' >>"$KDYNO_LAB/boards/qemu.ini"
run "$KDYNO" box add qemu
like "a remark changes nothing" "$out" '^have box qemu: '
run "$KDYNO" box list
like "list" "$out" '^qemu +x86_64 +chain '
mkdir "$KDYNO_LAB/boards/odd.ini"
run "$KDYNO" box list
like "what is no config is named, without a line" "$err" '/boards/odd.ini: no plain file$'
rmdir "$KDYNO_LAB/boards/odd.ini"
mkfifo "$KDYNO_LAB/boards/odd.ini"
refused 1 '/boards/odd.ini: no plain file$' "what would hang whoever opens it" timeout 20 "$KDYNO" box show odd
rm "$KDYNO_LAB/boards/odd.ini"
run "$KDYNO" box show qemu
like "show" "$out" '^nic +virtio_net$'

refused 1 "no box 'qemy'.*did you mean 'qemu'" "an unknown box" "$KDYNO" box show qemy
refused 1 "no board config 'vax'" "an unknown board" "$KDYNO" box add v --board vax
refused 2 'no name of a box' "a name that is none" "$KDYNO" box add a/b
sed 's/^cpus/cpu/' "$KDYNO_LAB/boards/qemu.ini" >"$TAP_TMP/typo.ini"
refused 1 "typo.ini:[0-9]+: unknown key 'cpu' in \[machine\]; did you mean 'cpus'" "an unknown key" "$KDYNO" box add typo --board "$TAP_TMP/typo.ini"
check "and no box came of it" test ! -e "$KDYNO_LAB/boards/typo.ini"
sed 's/^summary.*/summary = other/' "$KDYNO_LAB/boards/qemu.ini" >"$TAP_TMP/other.ini"
refused 1 "another config" "a box that is there and edited" "$KDYNO" box add qemu --board "$TAP_TMP/other.ini"
printf x | dd of="$KDYNO_LAB/boxes/qemu/scratch.img" bs=1 seek=$((size - 65536 + 40)) conv=notrunc 2>/dev/null
refused 1 "does not carry the mark" "a disk whose mark is damaged" "$KDYNO" box add qemu

# ---- scratch
truncate -s 64M "$TAP_TMP/disk"
refused 2 "nobody is there to ask; --yes='file 67108864'" "nobody there" "$KDYNO" box scratch qemu "$TAP_TMP/disk"
refused 1 "nothing was written" "another model" "$KDYNO" box scratch qemu "$TAP_TMP/disk" --yes "file 1"
is "nothing was written indeed" "$(tr -d '\0' <"$TAP_TMP/disk" | wc -c)" 0
run "$KDYNO" box scratch qemu "$TAP_TMP/disk" --yes "file 67108864"
is "marked" "$status" 0
like "the mark" "$(tail -c 65536 "$TAP_TMP/disk" | tr -d '\0')" 'box=qemu bytes=67108864 '
is "and nothing else" "$(head -c -65536 "$TAP_TMP/disk" | tr -d '\0' | wc -c)" 0
run "$KDYNO" box scratch qemu "$TAP_TMP/disk"
like "twice is once" "$out" '^have the mark of box qemu'
perl -e 'my $b = "\0" x 8192; substr($b, 450, 1) = "\x83"; substr($b, 510, 2) = "\x55\xaa"; print $b' | dd of="$TAP_TMP/mbr" 2>/dev/null
truncate -s 64M "$TAP_TMP/mbr"
refused 1 "partition table" "an MBR" "$KDYNO" box scratch qemu "$TAP_TMP/mbr" --yes "file 67108864"
perl -e 'my $b = "\0" x 8192; substr($b, 512, 8) = "EFI PART"; print $b' | dd of="$TAP_TMP/gpt" 2>/dev/null
truncate -s 64M "$TAP_TMP/gpt"
refused 1 "partition table" "a GPT" "$KDYNO" box scratch qemu "$TAP_TMP/gpt" --yes "file 67108864"
truncate -s 1M "$TAP_TMP/tiny"
refused 1 "at least 16 MiB" "a disk that is too small" "$KDYNO" box scratch qemu "$TAP_TMP/tiny" --yes "file 1048576"
refused 1 "neither a block device nor a file" "no disk" "$KDYNO" box scratch qemu /dev/null
refused 1 "No such file" "no device" "$KDYNO" box scratch qemu /dev/none
root=$(awk '$5 == "/" && $10 ~ /^\/dev/ { print $10; exit } $5 == "/" && $9 ~ /^\/dev/ { print $9; exit }' /proc/self/mountinfo)
if [ -b "$root" ]; then
    refused 1 "is mounted" "the disk that this machine runs on" "$KDYNO" box scratch qemu "$root"
else
    skip "the disk that this machine runs on" "no device is mounted on /"
fi
tap_done
