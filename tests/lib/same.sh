# SPDX-License-Identifier: GPL-2.0-or-later
#
# A/A: one kernel under two ids, so that every difference is chance. Read it after tests/qemu/lab.sh. Contract: same_sweep makes, runs and judges the sweep, and
# prints the verdicts and the variation of every metric within and between boots as diagnostics.
# shellcheck shell=sh

# same_sweep SWEEP ROUNDS SEED ARGS...
same_sweep() {
    id=$1 rounds=$2 seed=$3
    shift 3
    rm -rf "$KDYNO_LAB/kernels/twin-of-old"
    check "the same kernel under a second id" "$KDYNO" kernel add "$KDYNO_LAB/kernels/$OLD" --as twin-of-old
    lab_sweep "$id" --kernels "$OLD,twin-of-old" --rounds "$rounds" --seed "$seed" "$@"
    run "$KDYNO" sweep run "$id"
    is "sweep run" "$status" 0 || diag "$out" "$err"
    check "every boot complete once, every test passed" tests/lib/prove-sweep "$KDYNO_LAB" "$id" --allow-repeats --passed
    run "$KDYNO" compare "$id"
    is "compare" "$status" 0
    diag "$out"
    "$KDYNO" compare "$id" --json >"$TAP_TMP/json"
    check "no primary is called different" perl -MJSON::PP -0777 -ne '
        sub find { my ($x) = @_; ref $x eq "ARRAY" ? (map { find($_) } @$x) : ref $x eq "HASH" ? (($x->{verdict} ? $x->{verdict} : ()), map { find($_) } values %$x) : () }
        my @v = find(decode_json($_)); exit(@v && !grep({ /regression|improvement/ } @v) ? 0 : 1)' "$TAP_TMP/json"
    run "$KDYNO" show "$id" --variation
    check "the variation within and between boots is known of every primary that keeps its repetitions" same_varies
    diag "$out"
}

# Of both subjects, for each primary of the smoke profile whose repetitions are kept (boot-time has one, and cpu-parallel's is a ratio of two).
same_varies() {
    for m in 'disk-seq *write' 'net-tcp *recv' 'nfs-bulk *read_v3' 'sched-messaging *msgs'; do
        [ "$(echo "$out" | grep -c "^$m \* .* [0-9.]* % .* [0-9.]* %")" = 2 ] || { echo "$m"; return 1; }
    done
}
