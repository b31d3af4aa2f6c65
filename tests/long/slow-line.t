#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# timeout: 1800
# A line of 9600 baud: a sweep over it is whole, the box says how many bytes went and how many did not, and its metrics beside those at 115200 are
# printed as ratios (a ratio says little from few boots in emulation: nothing is asserted of it).
. tests/lib/tap.sh
. tests/qemu/lab.sh
. tests/lib/line.sh
at_exit lab_stop
lab_ready
for baud in 9600 115200; do
    line_sweep "l-$baud" "line$baud" "--baud $baud" --kernels "$OLD" --rounds 4 --seed 7
    run "$KDYNO" sweep run "l-$baud"
    is "$baud baud: the sweep ends well" "$status" 0 || diag "$out" "$err"
    check "every boot complete once, every test passed" tests/lib/prove-sweep "$KDYNO_LAB" "l-$baud" --allow-repeats --passed
    sent=$(grep -o '"serial_sent_bytes":"[0-9]*"' "$KDYNO_LAB/sweeps/l-$baud/records.jsonl" | tr -dc '0-9\n' | sort -n | tail -n 1)
    dropped=$(grep -o '"serial_dropped_bytes":"[0-9]*"' "$KDYNO_LAB/sweeps/l-$baud/records.jsonl" | tr -dc '0-9\n' | sort -n | tail -n 1)
    diag "$baud baud: at most $sent bytes sent and $dropped dropped in a boot"
    check "what was sent is recorded" [ "${sent:-0}" -gt 1000 ]
    is "nothing was dropped" "$dropped" 0
done
for metric in boot-time:init cpu-parallel:speedup disk-seq:write sched-messaging:msgs net-tcp:recv; do
    slow=$(line_median l-9600 "${metric%:*}" "${metric#*:}") fast=$(line_median l-115200 "${metric%:*}" "${metric#*:}")
    diag "$metric: 9600 over 115200 baud = $(perl -e 'printf "%.3f", $ARGV[0] / $ARGV[1]' "${slow:-0}" "${fast:-1}") (median of 5 boots each)"
    check "$metric was measured at both" [ -n "$slow" ] && [ -n "$fast" ]
done
tap_done
