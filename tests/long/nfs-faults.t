#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# timeout: 1800
# tests/qemu/nfs-faults.t with a long absence: the results server stops in the middle of a write for 90 s, in boots long enough to see it come back. The
# mount is given up and made anew, no boot waits for it, and what was missed is written.
. tests/lib/tap.sh
. tests/qemu/lab.sh
. tests/lib/line.sh
. tests/lib/nfs-faults.sh
at_exit lab_stop
lab_ready
# 2400 baud make a boot last long enough
line_sweep l-nfs slow "--baud 2400" --kernels "$OLD" --rounds 2 --seed 9
NFS_BOX=slow
nfs_begin l-nfs
check "the first boot completes" lab_wait 400 lab_at_least l-nfs complete 1 || bail "$(cat "$TAP_TMP/run")"
nfs_wait_writing l-nfs 2
kill -STOP "$(nfs_server)"
sleep 90
kill -CONT "$(nfs_server)"
check "stopped for 90 s: the boot completes" lab_wait 400 lab_at_least l-nfs complete 2
nfs_caught_up l-nfs 2
wait "$run"
is "the sweep ends well" "$?" 0 || diag "$(cat "$TAP_TMP/run")"
check "nothing lost, nothing doubled" tests/lib/prove-sweep "$KDYNO_LAB" l-nfs --allow-repeats
nfs_no_hang l-nfs
tap_done
