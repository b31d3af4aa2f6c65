#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# timeout: 900
# kill -9 of kdyno in the middle of a sweep, then the same command again: it adopts the box and the servers that still run, and goes on; no
# boot is lost, none is counted twice. A second `sweep run` beside the first is refused. Ctrl-C leaves nothing running.
. tests/lib/tap.sh
. tests/qemu/lab.sh
at_exit lab_stop
lab_ready
lab_sweep t-resume --kernels "$OLD" --rounds 3 --seed 3

"$KDYNO" sweep run t-resume >"$TAP_TMP/first" 2>&1 &
first=$!
check "the first boot completes" lab_wait 240 lab_at_least t-resume complete 1 || diag "$(cat "$TAP_TMP/first")"
run "$KDYNO" sweep run t-resume
is "a second run of the same sweep is refused" "$status" 1
one_line "in one line" "$err"
like "that says why" "$err" 'already|lock'

# in the middle of the next boot
sleep 3
kill -9 $first
wait $first 2>/dev/null
vm=$(cut -d ' ' -f 1 "$KDYNO_LAB/run/qemu-qemu.pid")
check "the box runs on without kdyno" kill -0 "$vm"
"$KDYNO" sweep run t-resume >"$TAP_TMP/second" 2>&1 &
second=$!
sleep 5
check "the second run adopts the same box" kill -0 "$vm"
check "the sweep goes on" lab_wait 240 lab_at_least t-resume complete 2 || diag "$(cat "$TAP_TMP/second")"

kill -INT $second
wait $second
check "Ctrl-C leaves nothing running" lab_idle
run "$KDYNO" sweep run t-resume
is "the third run ends the sweep" "$status" 0 || diag "$out" "$err"
check "every boot complete once, no record twice" tests/lib/prove-sweep "$KDYNO_LAB" t-resume --allow-repeats
tap_done
