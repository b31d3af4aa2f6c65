#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# timeout: 120
# A kernel before 2.6 in a sweep: its image is an ext2 file system with a place for the job, it has no pack, and its command line is a short one.
. tests/lib/tap.sh
. tests/station/lab.sh
PATH=$PATH:/usr/sbin:/sbin
{ command -v e2fsck && command -v debugfs; } >/dev/null || skip_all "e2fsck and debugfs are missing: install e2fsprogs"
built=$TAP_TOP/$BUILD/$ARCH/image.cpio
[ -f "$built" ] || bail "no $built"
cp "$built" "$KDYNO_SHARE/$ARCH/image.cpio"

fake_kernel 6.9.0-b
fake_image "$TAP_TMP/bzImage" 2.4.24
run "$KDYNO" kernel add "$TAP_TMP/bzImage"
is "a bare image of 2.4" "$status" 0
like "what follows from its age is known, the rest is not" "$out" 'initrd=unknown, compression=none, kexec=no, kexec_file=no, modules=no'
like "drivers must be built in, it says" "$err$out" 'before 2\.6.*built in'
check "the twin" "$KDYNO" box add qemu
check "home" "$KDYNO" kernel add 6.9.0-b --as home

run "$KDYNO" sweep new s1 --box qemu --kernels 2.4.24,6.9.0-b --variants smp --rounds 6 --seed 7
is "sweep new" "$status" 0
like "no pack, and why" "$out" '^pack +2\.4\.24: none'
dir=$KDYNO_LAB/sweeps/s1
image=$dir/image-2.4.24.ext2
e2fsck -fn "$image" >"$TAP_TMP/fsck" 2>&1
is "e2fsck finds nothing to say" "$?" 0 || sed 's/^/#   /' "$TAP_TMP/fsck"
check "less than a RAM disk of 4 MB" [ "$(wc -c <"$image")" -lt 4194304 ]
line=$(grep '^file role=image id=2.4.24 ' "$dir/manifest")
like "where the job goes" "$line" ' job_at=[1-9][0-9]* job_bytes=16384 '
like "the superblock says the same" "$(dumpe2fs -h "$image" 2>/dev/null)" \
    "Last mounted on: +job $(echo "$line" | sed 's/.* job_at=\([0-9]*\) job_bytes=\([0-9]*\) .*/\1 \2/')"
is "the init is in it" "$(debugfs -R 'cat /init' "$image" 2>/dev/null | sha256sum)" "$(sha256sum <"$TAP_TOP/$BUILD/$ARCH/init")"
is "no pack" "$(grep -c '^file role=pack id=2.4.24 ' "$dir/manifest")" 0
is "another one has a pack and no such place" "$(grep '^file role=image id=6.9.0-b ' "$dir/manifest" | grep -c job_at)" 0
like "the words that make it the root" "$(grep '^cmdline subject=2.4.24/smp ' "$dir/manifest")" 'root%3D/dev/ram0%20rw%20init%3D/init%20ramdisk_size%3D8192'
is "the other one has none of them" "$(grep '^cmdline subject=6.9.0-b/smp ' "$dir/manifest" | grep -c ramdisk)" 0
is "no word of it on home" "$(find "$dir" -name '*home*ext2*')" ""

long=$(printf 'w%.0s' 1 2 3 4 5 6 7 8 9 10 11 12 13 14 15 16 17 18 19 20 21 22 23 24 25 26 27 28 29 30 31 32 33 34 35 36 37 38 39 40)
refused 2 'takes 255' "a command line that 2.4 would cut off" "$KDYNO" sweep new s2 --box qemu --kernels 2.4.24,6.9.0-b \
    --variants "smp,long:$long+$long+$long+$long" --rounds 6
fake_image "$TAP_TMP/bzImage" 2.4.25
check "one as home" "$KDYNO" kernel add "$TAP_TMP/bzImage" --as old
refused 2 'can load no other' "as home" "$KDYNO" sweep new s3 --box qemu --kernels 6.9.0-b --home old
nothing_left "$KDYNO_LAB/sweeps"
tap_done
