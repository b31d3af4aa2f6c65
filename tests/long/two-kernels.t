#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# timeout: 1200
# The default design whole: two kernels, one discarded boot, six rounds in seeded random blocks; all complete, every record on both channels.
. tests/lib/tap.sh
. tests/qemu/lab.sh
at_exit lab_stop
lab_ready
lab_sweep l-two --kernels "$OLD,$NEW" --rounds 6 --seed 2
begun=$(date +%s)
run "$KDYNO" sweep run l-two
is "sweep run" "$status" 0 || diag "$out" "$err"
diag "13 boots took $(($(date +%s) - begun)) s"
check "every boot complete once, every record on both channels, every test passed" tests/lib/prove-sweep "$KDYNO_LAB" l-two --channels both --allow-repeats --passed
run "$KDYNO" compare l-two
is "compare" "$status" 0
diag "$out"
tap_done
