#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# timeout: 3600
# kdyno box qualify for real: one kernel, smp and up, four rounds under each switch. Every boot comes up by its switch, whatever that is; the verdict is
# kept, and followed. The times from boot to boot are printed, and nothing is asserted of them.
. tests/lib/tap.sh
. tests/qemu/lab.sh
at_exit lab_stop
lab_ready
kept=$KDYNO_LAB/boxes/qemu/qualified
at_exit "rm -f $kept"
run "$KDYNO" box qualify qemu --kernel "$OLD" --rounds 4 --tests boot-time,cpu-parallel --seed 8 --anew --plain
is "box qualify" "$status" 0 || diag "$err"
diag "$(printf '%s\n' "$out" | sed -n '/^switch  *verdict/,$p')"
for sw in chain via-home firmware; do
    check "$sw: every boot complete once, no record twice" tests/lib/prove-sweep "$KDYNO_LAB" "qualify-qemu-$sw" --allow-repeats
    is "$sw: all came so" "$("$KDYNO" show "qualify-qemu-$sw" --json | jq -r '.tries[] | select(.state == "complete" and (.discarded | not)) | .start' | sort -u)" $sw
    like "$sw: the verdict" "$out" "^$sw +(safe|unsafe) +9 +9 +"
done
like "it is kept" "$(cat "$kept")" '^qualified v=1 box=qemu '
run "$KDYNO" box qualify qemu --kernel "$OLD" --rounds 4 --tests boot-time,cpu-parallel --plain
is "the same again runs nothing" "$(printf '%s\n' "$out" | grep -c 'all of it has been run already')" 3
check "nothing runs on" lab_idle
tap_done
