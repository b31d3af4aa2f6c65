#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
#
# The image as an ext2 initrd, for kernels before 2.6: made without root, clean by e2fsck, the same files bit for bit, small enough for a RAM disk of
# 4 MB, the same from the same input, and a job written where the superblock says is the file /kd/job.
. tests/lib/tap.sh
make_ext2=$BUILD/tests/mkext2
image=$BUILD/${ARCH:-x86_64}/image.cpio
PATH=$PATH:/usr/sbin:/sbin
[ -x "$make_ext2" ] || bail "no $make_ext2"
[ -f "$image" ] || bail "no $image"
{ command -v e2fsck && command -v debugfs; } >/dev/null || skip_all "e2fsck and debugfs are missing: install e2fsprogs"

"$make_ext2" 524288 <"$image" >"$TAP_TMP/a" 2>"$TAP_TMP/job"
is "made" "$?" 0
"$make_ext2" 524288 <"$image" >"$TAP_TMP/b" 2>/dev/null
check "the same from the same files" cmp "$TAP_TMP/a" "$TAP_TMP/b"
e2fsck -fn "$TAP_TMP/a" >"$TAP_TMP/fsck" 2>&1
is "e2fsck finds nothing to say" "$?" 0 || sed 's/^/#   /' "$TAP_TMP/fsck"
size=$(wc -c <"$TAP_TMP/a")
check "$size bytes: less than a RAM disk of 4 MB" [ "$size" -lt 4194304 ]

# ---- every file of the archive, as it was

mkdir "$TAP_TMP/cpio" "$TAP_TMP/ext2"
(cd "$TAP_TMP/cpio" && cpio -id --quiet --no-preserve-owner -f 'dev/*') <"$image" 2>/dev/null
debugfs -R "rdump / $TAP_TMP/ext2" "$TAP_TMP/a" >/dev/null 2>&1
rm -rf "$TAP_TMP/ext2/lost+found" "$TAP_TMP/ext2/kd/job" "$TAP_TMP/ext2/dev" "$TAP_TMP/cpio/dev"
check "the same files" diff -r --no-dereference "$TAP_TMP/cpio" "$TAP_TMP/ext2"
debugfs -R "stat /dev/console" "$TAP_TMP/a" 2>/dev/null >"$TAP_TMP/console"
like "the console is a device" "$(tr '\n' ' ' <"$TAP_TMP/console")" 'Type: character special .*Device major/minor number: 05:01'

# ---- the job

# shellcheck disable=SC2046
set -- $(cat "$TAP_TMP/job")
is "where the job goes" "$1 $3" "job 16384"
echo "job tag=00000001" | dd of="$TAP_TMP/a" bs=1 seek="$2" conv=notrunc 2>/dev/null
is "what is written there is the file" "$(debugfs -R "cat /kd/job" "$TAP_TMP/a" 2>/dev/null | head -n 1)" "job tag=00000001"
e2fsck -fn "$TAP_TMP/a" >/dev/null 2>&1
is "and the file system is still clean" "$?" 0

"$make_ext2" 9000000 <"$image" >/dev/null 2>"$TAP_TMP/err"
is "what does not fit one group is refused" "$?" 1
echo nonsense | "$make_ext2" 0 >/dev/null 2>&1
is "what is no archive is refused" "$?" 1
tap_done
