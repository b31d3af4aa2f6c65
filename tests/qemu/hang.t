#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# A subject that hangs before init is reset by the hardware watchdog, armed by the kernel before it and carried over the kexec, without a power cycle of the
# station's; the rest of the sweep goes on. The board's jump_s is the watchdog's time; home is a kernel with its driver.
. tests/lib/tap.sh
. tests/qemu/lab.sh
at_exit lab_stop
lab_ready
lab_stop

HOME_ID=home-i6300esb
rm -rf "$KDYNO_LAB/kernels/$HOME_ID" "$KDYNO_LAB/sweeps/t-hang" "$KDYNO_LAB/results/t-hang" "$KDYNO_LAB/boards/hang.ini"
check "a home with the driver" "$KDYNO" kernel add "$NEW" --as "$HOME_ID" || bail "no home"
{ sed -e 's/^jump_s = .*/jump_s = 40/' board-configs/qemu-x86_64.ini; printf '[power]\nenabled = no\n'; } >"$TAP_TMP/hang.ini"
check "a board with a short jump_s, whose power nobody cuts" "$KDYNO" box add hang --board "$TAP_TMP/hang.ini" || bail "no box"

# rootwait waits for ever for a root that never comes: no init, no panic, nothing more on the console.
run "$KDYNO" sweep new t-hang --box hang --home "$HOME_ID" --kernels "$NEW" --tests boot-time --rounds 1 --tries 1 --seed 3 \
    --variants ok,hang:rdinit=/nowhere+root=/dev/nowhere+rootwait
is "sweep new" "$status" 0 || diag "$err"
manifest=$KDYNO_LAB/sweeps/t-hang/manifest schedule=$KDYNO_LAB/sweeps/t-hang/schedule journal=$KDYNO_LAB/sweeps/t-hang/journal
is "the manifest names the driver of both kernels" "$(grep -c '^expect .* watchdog=i6300esb ' "$manifest")" 2

run timeout 600 "$KDYNO" sweep run t-hang
is "sweep run: not every boot is complete" "$status" 1 || diag "$out" "$err"
hang=$(grep '^try .*/hang ' "$schedule" | sed -n '1s/^try line=\([0-9]*\) .*/\1/p')
# Behind the hang it comes from home, off its path, and is run again: any of its lines.
ok=$(grep '^try .*/ok .*discard=0' "$schedule" | sed 's/^try line=\([0-9]*\) .*/\1/' | paste -sd '|')
like "the jump was guarded by the watchdog" "$(cat "$journal")" "^try line=$hang .* state=start .* guard=watchdog"
like "failed:hang" "$(cat "$journal")" "^try line=$hang .* state=failed .* name=hang"
unlike "no hello of it" "$(cat "$journal")" "^try line=$hang .* state=hello "
unlike "the station cut no power" "$out$err" 'power cycle'
like "the other subject's boot is complete" "$(cat "$journal")" "^try line=($ok) .* state=complete "
like "home says who reset the box" "$(grep -a 'role=home' "$KDYNO_LAB/sweeps/t-hang/console-hang.log")" 'reset=watchdog'
like "show has it" "$("$KDYNO" show t-hang)" '/hang .* failed:hang.* watchdog '
check "nothing runs on" lab_idle
tap_done
