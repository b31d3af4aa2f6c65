#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# timeout: 900
# The results server, one fault a boot: it stops in the middle of a write and goes on; it dies and comes back as a new instance; it never answers
# again. No boot waits for it, each completes by serial, and what was written while it was away is on NFS when it is back. tests/long/nfs-faults.t
# has the long absences.
. tests/lib/tap.sh
. tests/qemu/lab.sh
at_exit lab_stop
lab_ready
lab_sweep t-nfs --kernels "$OLD" --rounds 3 --seed 9
. tests/lib/nfs-faults.sh

nfs_begin t-nfs
check "the first boot completes" lab_wait 240 lab_at_least t-nfs complete 1 || bail "$(cat "$TAP_TMP/run")"

# in a test, with records of this boot on NFS already
nfs_wait_writing t-nfs 2
kill -STOP "$(nfs_server)"
sleep 8
kill -CONT "$(nfs_server)"
check "stopped for 8 s in the middle of a boot: it completes" lab_wait 240 lab_at_least t-nfs complete 2
nfs_caught_up t-nfs 2

nfs_wait_writing t-nfs 3
first=$(nfs_server)
kill -9 "$first"
check "killed: the station starts it again" lab_wait 60 nfs_other_than "$first"
check "the boot completes" lab_wait 240 lab_at_least t-nfs complete 3
nfs_caught_up t-nfs 3

nfs_wait_writing t-nfs 4
kill -STOP "$(nfs_server)"
check "it never answers again: the boot completes by serial" lab_wait 240 lab_at_least t-nfs complete 4
wait "$run"
is "the sweep ends well" "$?" 0 || diag "$(cat "$TAP_TMP/run")"
like "show says which records came by serial alone" "$(nfs_channels t-nfs 4)" "serial_only=[1-9]"
check "nothing lost, nothing doubled" tests/lib/prove-sweep "$KDYNO_LAB" t-nfs
nfs_no_hang t-nfs
tap_done
