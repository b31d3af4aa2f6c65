#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# timeout: 300
# sweep run is killed again and again, at moments of chance, over a line that loses bytes: at the end every boot is there once.
. tests/lib/tap.sh
. tests/station/run.sh
sim_lab
sim_sweep chaos 4
sim_start chaos panic=4 nfs=1 lose=5 kernel=1 boot_ms=150 tests=60 seed=3
seed=${SEED:-$(date +%s)}
diag "SEED=$seed"
# 20 pauses of 0.2 to 1.4 s
for pause in $(perl -e 'srand shift; printf "%.2f\n", 0.2 + rand 1.2 for 1 .. 20' "$seed"); do
    "$KDYNO" sweep run chaos >"$TAP_TMP/run" 2>&1 &
    run=$!
    sleep "$pause"
    case $pause in
    *[05]) kill -INT $run 2>/dev/null ;;
    *) kill -9 $run 2>/dev/null ;;
    esac
    wait $run 2>/dev/null
    case $? in
    0 | 1 | 137) ;;
    *) fail "exit $?"; diag "$(cat "$TAP_TMP/run")" ;;
    esac
done
run timeout 120 "$KDYNO" sweep run chaos
is "the last run ends the sweep" "$status" 0 || diag "$out" "$err"
check "every boot once, no record twice, none missing" tests/lib/prove-sweep "$KDYNO_LAB" chaos --allow-repeats
check "sweep prove finds nothing wrong" "$KDYNO" sweep prove chaos
is "no line was started twice" "$(grep 'state=start' "$KDYNO_LAB/sweeps/chaos/journal" | grep -o 'line=[0-9]*' | sort | uniq -d)" ""
check "nothing runs on" nothing_runs
tap_done
