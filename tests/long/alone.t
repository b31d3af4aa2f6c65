#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# timeout: 1200
# kdyno is killed and nobody starts it again for a while: the box goes on alone, from NFS. Then the same command: what the box did alone is filed, each
# boot once, both channels, and the sweep ends.
. tests/lib/tap.sh
. tests/qemu/lab.sh
at_exit lab_stop
lab_ready
lab_sweep t-alone --kernels "$OLD,$NEW" --rounds 3 --seed 5

"$KDYNO" sweep run t-alone >"$TAP_TMP/first" 2>&1 &
first=$!
check "the first boot completes" lab_wait 240 lab_at_least t-alone complete 1 || bail "$(cat "$TAP_TMP/first")"
check "the second says hello" lab_wait 120 lab_at_least t-alone hello 2
kill -9 $first
wait $first 2>/dev/null
# two boots and more go by with no station
# shellcheck disable=SC2317 # called by name
alone() { [ "$(grep -c 'state=start by=box' "$KDYNO_LAB/results/t-alone/qemu/journal")" -ge 4 ]; }
check "the box goes on alone" lab_wait 400 alone
like "and says so in its journal" "$(cat "$KDYNO_LAB/results/t-alone/qemu/journal")" 'control word=self by=box'
is "nothing is filed meanwhile" "$(lab_states t-alone complete)" 1
run "$KDYNO" sweep run t-alone
is "the same command ends the sweep" "$status" 0 || diag "$out" "$err"
like "with the box that still runs" "$out" 'adopted the twin'
check "every boot complete once, every record on both channels" tests/lib/prove-sweep "$KDYNO_LAB" t-alone --channels both
tap_done
