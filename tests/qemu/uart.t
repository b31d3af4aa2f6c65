#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# timeout: 400
#
# A kernel without serial driver (8250.nr_uarts=0 takes the ports from it): the box polls the chip, its records come by serial all the same, and it hears
# what the station answers.
. tests/lib/tap.sh
. tests/qemu/lab.sh
at_exit lab_stop
lab_ready
lab_sweep t-uart --kernels "$NEW" --variants plain,deaf:8250.nr_uarts=0 --rounds 1 --seed 5
run "$KDYNO" sweep run t-uart
is "sweep run" "$status" 0 || diag "$out" "$err"
check "every boot complete once" tests/lib/prove-sweep "$KDYNO_LAB" t-uart --allow-repeats
records=$KDYNO_LAB/sweeps/t-uart/records.jsonl
tag=$(sed -n 's/^try .* tag=\([0-9a-f]*\) .*/\1/p; ' "$KDYNO_LAB/sweeps/t-uart/schedule" | sed -n 2,3p |
    while read -r t; do grep -q "\"tag\":\"$t\".*nr_uarts" "$records" && echo "$t"; done)
like "one of the boots was without" "$tag" '^[0-9a-f]{8}$'
its=$(grep "\"tag\":\"$tag\"" "$records")
like "it polled the chip" "$its" '"serial":"uart"'
like "all of it came by serial, and by NFS" "$(printf '%s\n' "$its" | grep -o '"ch":"[a-z]*"' | sort | uniq -c | tr -d ' \n')" '^[0-9]+"ch":"both"$'
like "none was dropped" "$its" '"serial_dropped_bytes":"0"'
is "the other one had its driver" "$(grep -c '"serial":"yes"' "$records" | sed 's/^[1-9].*/some/')" some
tap_done
