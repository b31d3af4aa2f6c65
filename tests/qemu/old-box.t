#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# timeout: 1800
# The old box: a 486 with 28 MiB, an IDE disk and an NE2000 in QEMU, under a kernel of our own make, twice under two names: kexec from home to the first and
# from the first to the second, a tree and Bonnie on the disk, NFS v3 by TCP and by UDP, the i486 image. The kernel is made here where the cache has none.
. tests/lib/tap.sh
. tests/qemu/lab.sh
at_exit lab_stop
case " ${ARCHES-} " in *" i486 "*) ;; *) skip_all "i486 is not among ARCHES" ;; esac
[ -s "$BUILD/i486/image.cpio.gz" ] || bail "no image for i486: make image-i486"
make -s kernel-486 BUILD="$BUILD" >"$TAP_TMP/kernel" 2>&1 || bail "make kernel-486: $(tail -n 1 "$TAP_TMP/kernel")"
diag "$(cat "$TAP_TMP/kernel")"
KDYNO_LAB=$TAP_TOP/$BUILD/test-lab-486
lab_stop
rm -rf "$KDYNO_LAB"

for id in home 486 486-again; do
    check "kernel add --as $id" "$KDYNO" kernel add "$BUILD/kernels/486/bzImage" --as $id || bail "no kernel"
done
check "box add" "$KDYNO" box add old --board qemu-i486-28m || bail "no box"
check "sweep new" "$KDYNO" sweep new t-old --box old --kernels 486,486-again --rounds 1 --seed 3 --profile old-box --arg disk-tree.scale=64 --arg '*.size_bytes=2M' \
    --arg '*.seeks=20' --arg disk-bonnie.seek_chunk_bytes=16384 --arg '*.bytes=1M' --arg '*.time_ms=500' --arg sched-wake.count=400 || bail "no sweep"
run "$KDYNO" sweep run t-old
is "sweep run ends well" "$status" 0 || diag "$out" "$err"
check "every boot complete once, every record by serial and by NFS" tests/lib/prove-sweep "$KDYNO_LAB" t-old --channels both
check "nothing runs on" lab_idle
records=$KDYNO_LAB/sweeps/t-old/records.jsonl
is "every test passed" "$(jq -r 'select(.kind == "end" and .kv.status != "pass") | .kv | .test + " " + .status + " " + (.reason // "")' "$records" | sort -u)" ""
is "from kernel to kernel by kexec" "$(jq -r 'select(.kind == "hello" and .kv.role != "home") | .kv.start' "$records" | sort | uniq -c | tr -s ' ' | paste -sd ,)" " 2 chain, 1 via-home"
like "on a 486" "$(jq -r 'select(.kind == "env") | .kv.cpu // empty' "$records" | sort -u)" '^486'
like "its disk is on IDE" "$(cat "$KDYNO_LAB/sweeps/t-old/console-old.log")" 'pata|ATA-7|sda'
like "NFS by UDP" "$(jq -r 'select(.kv.proto == "udp") | .kv | "\(.mount) \(.proto) \(.rsize)"' "$records" | sort -u)" '^v3 udp 1024$'
like "NFS by TCP" "$(jq -r 'select(.kv.proto == "tcp") | .kv | "\(.mount) \(.proto) \(.rsize)"' "$records" | sort -u)" '^v3 tcp 8192$'
unlike "nothing was killed for memory, no instruction was refused" "$(cat "$KDYNO_LAB/sweeps/t-old/console-old.log")" \
    'Out of memory|oom-kill|invalid opcode|illegal instruction|SIGILL|signal 4'
run "$KDYNO" show t-old --as boot
is "show --as boot: status" "$status" 0
diag "$out"
run "$KDYNO" show t-old --as bonnie
is "show --as bonnie: status" "$status" 0
diag "$out"
diag "$("$KDYNO" show t-old)"
tap_done
