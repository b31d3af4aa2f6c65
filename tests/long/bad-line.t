#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# timeout: 1800
# A real kernel behind a line of 115200 baud that damages bytes, both ways. Without NFS and 1 byte of 1000: every boot is complete, without gaps. With
# NFS and 10 bytes of 1000: not one record that came by serial differs from what came over NFS.
. tests/lib/tap.sh
. tests/qemu/lab.sh
. tests/lib/line.sh
at_exit lab_stop
lab_ready

line_sweep l-bad bad "--baud 115200 --flip 0.000333 --drop 0.000333 --double 0.000334 --seed 5" --kernels "$OLD" --rounds 2 --seed 5
"$KDYNO" sweep run l-bad >"$TAP_TMP/run" 2>&1 &
run=$!
check "the NFS server is there" lab_wait 60 grep -q '^[0-9]' "$KDYNO_LAB/run/nfs-results.pid"
kill -STOP "$(cut -d ' ' -f 1 "$KDYNO_LAB/run/nfs-results.pid")"
wait $run
is "1 byte of 1000, no NFS: the sweep ends well" "$?" 0 || diag "$(cat "$TAP_TMP/run")"
diag "$(cat "$KDYNO_LAB/run/line-bad.log")"
check "every boot complete, all of its records, none twice" tests/lib/prove-sweep "$KDYNO_LAB" l-bad --allow-repeats --channels serial
is "no gap" "$(grep -c '"gap"' "$KDYNO_LAB/sweeps/l-bad/records.jsonl")" 0

line_sweep l-worse worse "--baud 115200 --flip 0.00333 --drop 0.00333 --double 0.00334 --seed 6" --kernels "$OLD" --rounds 2 --seed 6
run "$KDYNO" sweep run l-worse
is "10 bytes of 1000, with NFS: the sweep ends well" "$status" 0 || diag "$out" "$err"
diag "$(cat "$KDYNO_LAB/run/line-worse.log")"
check "every boot complete, all of its records, none twice" tests/lib/prove-sweep "$KDYNO_LAB" l-worse --allow-repeats
both=$(line_channel l-worse both)
diag "$both records came both ways, $(line_channel l-worse nfs) by NFS alone, $(line_channel l-worse serial) by serial alone"
check "records came both ways" [ "$both" -gt 0 ]
is "none differs" "$(line_channel l-worse differ)" 0
tap_done
