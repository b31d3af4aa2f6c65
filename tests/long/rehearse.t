#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# timeout: 7200
# Every fault of the table, each alone: every one ends with a verdict that is allowed, something of it is kept, every sweep comes to its end and is
# proven whole. Writes the table docs/RELIABILITY.md. SEED= is the order.
. tests/lib/tap.sh
. tests/qemu/lab.sh
at_exit lab_stop
lab_ready
lab_stop

release=$(sed -n 's/.* release=\([^ ]*\).*/\1/p' "$KDYNO_LAB/kernels/$OLD/facts")
if tests/qemu/fault/build "$release" "$TAP_TMP/kdfault.ko" 2>"$TAP_TMP/why"; then
    module=$TAP_TMP/kdfault.ko
else
    module=
    diag "without kdfault.ko: $(cat "$TAP_TMP/why")"
fi
run "$KDYNO" rehearse --kernel "$OLD" --seed "${SEED:-1}" ${module:+--module "$module"} --json
is "every fault ends as it may, and nothing is lost" "$status" 0 || diag "$err"
printf '%s\n' "$out" >"$TAP_TMP/json"
check "the table is whole" perl tests/lib/reliability-report "$TAP_TMP/json"
perl tests/lib/reliability-report "$TAP_TMP/json" >"$TAP_TMP/table" && cp "$TAP_TMP/table" docs/RELIABILITY.md
diag "$(sed -n '/^|/p' "$TAP_TMP/table")"
tap_done
