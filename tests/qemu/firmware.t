#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# timeout: 900
# switch = firmware: the firmware boots every subject itself, by an entry that the station writes for one boot at a time. kdyno is killed between
# the jump and the subject's first word: started again it goes on, nothing is lost. Afterwards the entry is home's.
. tests/lib/tap.sh
. tests/qemu/lab.sh
at_exit lab_stop
lab_ready
lab_sweep t-firmware --kernels "$OLD" --variants smp,up:nosmp --rounds 2 --seed 5 --tests boot-time,cpu-parallel --switch firmware
entry=$KDYNO_LAB/tftp/qemu/pxelinux.cfg/default

"$KDYNO" sweep run t-firmware >"$TAP_TMP/first" 2>&1 &
first=$!
check "the first boot completes" lab_wait 240 lab_at_least t-firmware complete 1 || bail "$(cat "$TAP_TMP/first")"
check "the second is jumped to" lab_wait 120 lab_at_least t-firmware start 2
kill -9 $first
wait $first 2>/dev/null
is "killed before the second said a word" "$(lab_states t-firmware hello)" 1
like "the entry is the subject's then" "$(cat "$entry")" '^DEFAULT subject$'

run "$KDYNO" sweep run t-firmware
is "the same command again ends the sweep" "$status" 0 || diag "$(cat "$TAP_TMP/first")" "$out" "$err"
check "every boot complete once, no record twice" tests/lib/prove-sweep "$KDYNO_LAB" t-firmware --allow-repeats
is "no boot was run twice" "$(grep -c '^try ' "$KDYNO_LAB/sweeps/t-firmware/schedule")" 5
is "none failed, none void" "$(grep -cE 'state=(failed|void|not-run) ' "$KDYNO_LAB/sweeps/t-firmware/journal")" 0
"$KDYNO" show t-firmware --json >"$TAP_TMP/json"
is "all came by firmware" "$(grep -c '"start": "firmware"' "$TAP_TMP/json")" 5 || diag "$(cat "$TAP_TMP/json")"
like "home's entry is back" "$(cat "$entry")" '^DEFAULT home$'
check "nothing runs on" lab_idle
tap_done
