#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# timeout: 180
#
# The image as a legacy initrd, an ext2 file system copied onto /dev/ram0, boots the kernel `486` on a 486 with 28 MB, and runs the tests of the job that
# was written into it; whole, and gzipped as old boot loaders had it. No station: nobody answers its `bye`.
. tests/lib/tap.sh
command -v qemu-system-i386 >/dev/null || bail "qemu-system-i386 is missing: ./build.sh qemu installs it"
image=$BUILD/i486/image.cpio
[ -f "$image" ] || skip_all "no $image: this build leaves i486 out (ARCHES)"
image/kernels/build 486 "$TAP_TMP/486" >"$TAP_TMP/kernel.log" 2>&1 || bail "no kernel 486: $(tail -n 1 "$TAP_TMP/kernel.log")"

cat >"$TAP_TMP/job" <<'J'
job tag=00000486 line=1 boot=1 subject=486/plain sweep=s box=old start=firmware switch=firmware again_s=3 jump_s=30
test name=boot-time deadline_ms=20000 quiet_ms=10000 mem_kb=0 needs=early args=
test name=sched-pingpong deadline_ms=120000 quiet_ms=60000 mem_kb=0 args=reps%3D1
J
"$BUILD/tests/mkext2" 262144 "$TAP_TMP/job" <"$image" >"$TAP_TMP/plain" 2>"$TAP_TMP/err"
is "the initrd is made" "$?" 0
gzip -9nc "$TAP_TMP/plain" >"$TAP_TMP/gzip"

for kind in plain gzip; do
    # Its `bye` unheard, the runner goes on as it would, finds no next boot and no way to one, and the machine is reset: -no-reboot ends QEMU there.
    timeout 80 qemu-system-i386 -cpu 486 -m 28 -display none -no-reboot -kernel "$TAP_TMP/486/bzImage" -initrd "$TAP_TMP/$kind" \
        -append "console=ttyS0,115200 root=/dev/ram0 rw init=/init ramdisk_size=8192 kd=00000486" -serial "file:$TAP_TMP/serial" -monitor none &
    qemu=$!
    n=0
    until grep -q '^# kd1 00000486 .* bye ' "$TAP_TMP/serial" 2>/dev/null || [ $n -ge 700 ] || ! kill -0 $qemu 2>/dev/null; do
        n=$((n + 1))
        sleep 0.1
    done
    kill $qemu 2>/dev/null
    wait $qemu 2>/dev/null
    tr -d '\r' <"$TAP_TMP/serial" >"$TAP_TMP/said"
    said=$(cat "$TAP_TMP/said")
    like "$kind: a RAM disk is the root" "$said" 'VFS: Mounted root \(ext[24] filesystem\)'
    like "$kind: the job written into it is this boot's" "$said" '^# kd1 00000486 0 [0-9]+ hello box=old sweep=s role=subject start=firmware .* tls=gdt '
    like "$kind: a test ran and passed" "$said" '^# kd1 00000486 [0-9]+ [0-9]+ end test=sched-pingpong status=pass '
    like "$kind: to the end" "$said" '^# kd1 00000486 [0-9]+ [0-9]+ bye count='
    is "$kind: nothing was killed for memory, no instruction was unknown" "$(grep -cE 'Out of memory|oom-kill|invalid opcode|Illegal instruction' "$TAP_TMP/said")" 0
    rm -f "$TAP_TMP/serial"
done
tap_done
