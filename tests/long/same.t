#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# timeout: 1200
# A/A: one kernel under two ids. No primary may be called different.
. tests/lib/tap.sh
. tests/qemu/lab.sh
at_exit lab_stop
lab_ready
check "the same kernel under a second id" "$KDYNO" kernel add "$KDYNO_LAB/kernels/$OLD" --as twin-of-old
lab_sweep l-same --kernels "$OLD,twin-of-old" --rounds 6 --seed 5
run "$KDYNO" sweep run l-same
is "sweep run" "$status" 0 || diag "$out" "$err"
check "every boot complete once, every test passed" tests/lib/prove-sweep "$KDYNO_LAB" l-same --allow-repeats --passed
run "$KDYNO" compare l-same
is "compare" "$status" 0
diag "$out"
"$KDYNO" compare l-same --json >"$TAP_TMP/json"
check "no primary is called different" perl -MJSON::PP -0777 -ne '
    sub find { my ($x) = @_; ref $x eq "ARRAY" ? (map { find($_) } @$x) : ref $x eq "HASH" ? (($x->{verdict} ? $x->{verdict} : ()), map { find($_) } values %$x) : () }
    my @v = find(decode_json($_)); exit(@v && !grep({ /regression|improvement/ } @v) ? 0 : 1)' "$TAP_TMP/json"
tap_done
