#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# timeout: 1800
# The unchanged image from 5.10 to the newest kernel that Debian has.
. tests/lib/tap.sh
. tests/qemu/lab.sh
at_exit lab_stop
lab_ready
check "5.10 from bullseye" "$KDYNO" kernel fetch --suite bullseye || bail "no 5.10"
check "the newest from sid" "$KDYNO" kernel fetch --suite sid || bail "no kernel of sid"
first=$(lab_kernels | head -n 1)
newest=$(lab_kernels | tail -n 1)
like "the oldest is 5.10" "$first" '^5\.10'
lab_sweep l-ages --kernels "$first,$newest" --rounds 6 --seed 6
run "$KDYNO" sweep run l-ages
is "sweep run" "$status" 0 || diag "$out" "$err"
check "every boot complete once, every test passed" tests/lib/prove-sweep "$KDYNO_LAB" l-ages --channels both --allow-repeats --passed
run "$KDYNO" compare l-ages
is "compare" "$status" 0
diag "$out"
tap_done
