#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# timeout: 1200
# One kernel, two variants: the control cpu-parallel must be found slower with one CPU, after Holm.
. tests/lib/tap.sh
. tests/qemu/lab.sh
at_exit lab_stop
lab_ready
lab_sweep l-up --kernels "$OLD" --variants smp,up:nosmp --rounds 6 --seed 4
run "$KDYNO" sweep run l-up
is "sweep run" "$status" 0 || diag "$out" "$err"
check "every boot complete once, every test passed" tests/lib/prove-sweep "$KDYNO_LAB" l-up --allow-repeats --passed
run "$KDYNO" compare l-up
is "compare" "$status" 0
diag "$out"
"$KDYNO" compare l-up --json >"$TAP_TMP/json"
check "cpu-parallel is a regression under up" perl -MJSON::PP -0777 -ne '
    sub find { my ($x) = @_; ref $x eq "ARRAY" ? (map { find($_) } @$x) : ref $x eq "HASH" ? ((($x->{test} // "") eq "cpu-parallel" && $x->{verdict} ? $x : ()), map { find($_) } values %$x) : () }
    my ($v) = find(decode_json($_)); exit(($v->{verdict} // "") =~ /regression/ ? 0 : 1)' "$TAP_TMP/json"
tap_done
