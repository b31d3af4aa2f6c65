# SPDX-License-Identifier: GPL-2.0-or-later
#
# What the soak tests of the twin share. Read it after tests/qemu/lab.sh. Contract: soak_twin leaves the number of cuts in $made, the seconds that they were made in in $seconds, their counts in $out.
# shellcheck shell=sh

# soak_twin SWEEP CUTS ROUNDS SEED MAX_S GRACE_S: a smoke sweep on 5.10, of short tests
soak_twin() {
    check "5.10 from bullseye" "$KDYNO" kernel fetch --suite bullseye || bail "no 5.10"
    diag "SEED=$4"
    lab_sweep "$1" --kernels "$(lab_kernels | grep '^5\.10' | tail -n 1)" --tests boot-time,cpu-parallel --rounds "$3" --tries 50 --seed 10
    run tests/lib/soak "$KDYNO" "$KDYNO_LAB" "$1" qemu "$2" "$4" max="$5" grace="$6" pause=12
    is "$out" "$status" 0 || diag "$err" "$(tail -n 60 "$KDYNO_LAB/run/soak.log")"
    check "every boot is complete once, no record is lost or doubled" tests/lib/prove-sweep "$KDYNO_LAB" "$1" --allow-repeats
    made=$(echo "$out" | sed -n 's/^cuts=\([0-9]*\).*/\1/p')
    seconds=$(echo "$out" | sed -n 's/^cuts=.*) in \([0-9]*\) s:.*/\1/p')
}
