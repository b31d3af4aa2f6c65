#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# timeout: 900
# The result path does not depend on the network: the NFS server falls silent in the middle of a sweep, later the cable is pulled and put back. The
# boots that run complete by serial; while there is no network the sweep says so and waits; afterwards it goes on, and nothing is lost.
. tests/lib/tap.sh
. tests/qemu/lab.sh
at_exit lab_stop
lab_ready
lab_sweep t-network --kernels "$OLD" --rounds 3 --seed 9

"$KDYNO" sweep run t-network >"$TAP_TMP/run" 2>&1 &
run=$!
check "the first boot completes" lab_wait 240 lab_at_least t-network complete 1 || bail "$(cat "$TAP_TMP/run")"
server=$(cut -d ' ' -f 1 "$KDYNO_LAB/run/nfs-results.pid")
kill -STOP "$server"
check "without the NFS server the next boot completes" lab_wait 240 lab_at_least t-network complete 2

# the third boot is under way when the cable goes
check "the third boot says hello" lab_wait 120 lab_at_least t-network hello 3
tests/lib/qmp "$KDYNO_LAB/run/qemu.qmp" set_link name=nic0 up=false
check "without the cable it completes by serial" lab_wait 300 lab_at_least t-network complete 3
check "the sweep shows waiting: network" lab_wait 120 grep -q 'waiting: network' "$TAP_TMP/run" || diag "$(cat "$TAP_TMP/run")"
is "and has not gone on" "$(lab_states t-network complete)" 3
tests/lib/qmp "$KDYNO_LAB/run/qemu.qmp" set_link name=nic0 up=true
wait $run
is "with the cable it ends well" "$?" 0 || diag "$(cat "$TAP_TMP/run")"
check "nothing lost, nothing doubled" tests/lib/prove-sweep "$KDYNO_LAB" t-network --allow-repeats
serial=$(grep -c '"ch":"serial"' "$KDYNO_LAB/sweeps/t-network/records.jsonl")
check "records came by serial alone while NFS was gone" [ "$serial" -gt 0 ]
tap_done
