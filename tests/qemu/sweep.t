#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# timeout: 900
# The main job, small: two real kernels, two rounds after one discarded boot, PXE to home, kexec from kernel to kernel, every record by serial and
# NFS; then what show and compare make of it. Two rounds prove nothing about a kernel, and compare must say so.
. tests/lib/tap.sh
. tests/qemu/lab.sh
at_exit lab_stop
lab_ready
lab_sweep t-two --kernels "$OLD,$NEW" --rounds 2 --seed 7

run "$KDYNO" sweep run t-two
is "sweep run ends well" "$status" 0 || diag "$out" "$err"
check "every boot complete once, every record on both channels, every test passed" tests/lib/prove-sweep "$KDYNO_LAB" t-two --channels both --passed
check "nothing runs on" lab_idle

run "$KDYNO" sweep run t-two
is "running it again is harmless" "$status" 0
check "and changes nothing" tests/lib/prove-sweep "$KDYNO_LAB" t-two --channels both

run "$KDYNO" show t-two
is "show" "$status" 0
like "show names the old kernel" "$out" "$OLD"
like "show names the state" "$out" complete
"$KDYNO" show t-two --json >"$TAP_TMP/json"
check "show --json is JSON" perl -MJSON::PP -0777 -ne 'decode_json($_)' "$TAP_TMP/json"

run "$KDYNO" show t-two --records
like "how the kernel is set" "$out" ' env .*hz=(100|250|300|1000) .*preempt=[a-z]+'
like "its mitigations" "$out" ' env .*mitigations=[0-9a-f]{16}( |$)'
like "the queue of the scratch disk" "$out" ' fact test=disk-seq queue=[a-z]+ scheduler=[a-z-]+ nr_requests=[0-9]+ read_ahead_kb=[0-9]+'
like "the clocksource of a test" "$out" ' end test=net-tcp status=pass .*clock=[a-z-]+'
run "$KDYNO" show t-two --cost
like "CPU of a phase, and kernel threads by name" "$out" '^nfs-bulk +read_v3 .* kworker_u [0-9.]+'
run "$KDYNO" compare t-two
is "compare" "$status" 0
for test in boot-time cpu-parallel disk-seq nfs-bulk net-tcp sched-messaging; do like "compare has $test" "$out" "$test"; done
like "two rounds are too few" "$out" inconclusive
unlike "and never called the same" "$out" 'no-change'
"$KDYNO" compare t-two --json >"$TAP_TMP/json"
check "compare --json is JSON" perl -MJSON::PP -0777 -ne 'decode_json($_)' "$TAP_TMP/json"
tap_done
