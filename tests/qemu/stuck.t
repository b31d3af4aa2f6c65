#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# A test that hangs in the kernel (on a frozen file system) and is not even ended by KILL: the runner gives it up in bounded time, says so, and the box goes
# by a reset, not by a kexec. The kernel's own detector is off for it: with it the boot would end in a panic.
. tests/lib/tap.sh
. tests/qemu/lab.sh
at_exit lab_stop
lab_ready
lab_stop

rm -rf "$KDYNO_LAB/sweeps/t-stuck" "$KDYNO_LAB/results/t-stuck"
run "$KDYNO" sweep new t-stuck --box qemu --profile rehearse --kernels "$OLD" --tests boot-time,fault --rounds 1 --tries 1 \
    --variants stuck:kdfault=hungtask+sysctl.kernel.hung_task_panic=0
is "sweep new" "$status" 0 || diag "$err"
run timeout 600 "$KDYNO" sweep run t-stuck
is "sweep run: the boot is not complete" "$status" 1 || diag "$out" "$err"
journal=$KDYNO_LAB/sweeps/t-stuck/journal records=$KDYNO_LAB/sweeps/t-stuck/records.jsonl
like "failed:hang" "$(cat "$journal")" '^try line=1 .* state=failed .* name=hang'
unlike "the station cut no power" "$out$err" 'power cycle'
like "the test is a timeout" "$(grep '"kind":"end"' "$records")" '"test":"fault".*"status":"timeout"|"status":"timeout".*"test":"fault"'
like "and says what hangs" "$(grep '"kind":"end"' "$records")" 'not even KILL ends it: pid [0-9]+ suite|not even KILL ends it: pid [0-9]+ fault'
like "the test before it is kept" "$(grep '"kind":"metric"' "$records")" '"test":"boot-time"'
unlike "there is no bye of it" "$(grep '"line":1,' "$records")" '"kind":"bye"'
is "no jump out of it: home came back by the reset" "$(grep -ac 'role=home' "$KDYNO_LAB/sweeps/t-stuck/console-qemu.log")" 2
check "nothing runs on" lab_idle
tap_done
