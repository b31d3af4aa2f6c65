#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# timeout: 300
# The power of a simulated box is cut and sweep run is killed, each alone and both at once, at moments of chance: at the end every boot is there
# once. With NFS, and without it on a line that loses bytes; then with the runner's own code on a line that damages 1 byte of 1000, where what is filed is
# compared with what was said, value by value. The seed is the same each time, where SEED does not say another. tests/qemu/soak.t does it to a real
# kernel.
. tests/lib/tap.sh
. tests/station/run.sh
sim_lab
seed=${SEED:-20}
diag "SEED=$seed"

# soak SWEEP CUTS BOX [PROVE...]: BOX is a command
soak() {
    id=$1 cuts=$2 box=$3
    shift 3
    rm -rf "$KDYNO_LAB/sweeps/$id" "$KDYNO_LAB/results/$id"
    check "sweep new $id" "$KDYNO" sweep new "$id" --box sim --kernels 6.1.0-a,6.12.0-b --rounds "${rounds:-12}" --seed 1 --profile smoke --tests boot-time \
        --tries 20 || bail "no sweep"
    mkdir -p "$KDYNO_LAB/run"
    run tests/lib/soak "$KDYNO" "$KDYNO_LAB" "$id" sim "$cuts" "$seed" pause=0.8 max=100 grace=100 log="$TAP_TMP/soak.log" \
        box="$box"
    is "$id: $out" "$status" 0 || { diag "$err"; tail -n 60 "$TAP_TMP/soak.log" | sed 's/^/# /'; }
    check "every boot once, no record twice, none missing" tests/lib/prove-sweep "$KDYNO_LAB" "$id" --allow-repeats "$@"
    lab_kill
}
# sim SWEEP PROVE NAME=VALUE...
sim() {
    id=$1 prove=$2
    shift 2
    soak "$id" 15 "tests/station/boxsim $SIM_SOCKET $KDYNO_LAB $id sim cycle=$TAP_TMP/cycle boot_ms=300 tests=400 seed=\$(($seed + SOAK_NTH)) $*" ${prove:+"$prove"}
}
sim nfs '' nfs=1 kernel=1
sim serial --allow-gaps lose=5 # of a box that was cut behind its bye, before it could say again what the line had lost

mkdir "$TAP_TMP/said"
rm -f "$SIM_SOCKET"
"$BUILD/tests/serial-line" --baud 115200 --flip 0.000333 --drop 0.000333 --double 0.000334 --seed "$seed" "$TAP_TMP/fake.sock" "$SIM_SOCKET" >"$TAP_TMP/line.out" 2>&1 &
wire=$!
at_exit 'kill $wire 2>/dev/null'
until [ -S "$SIM_SOCKET" ]; do sleep 0.05; done
rounds=3
soak damaged 6 "$BUILD/tests/fake-box $TAP_TMP/fake.sock $KDYNO_LAB damaged $TAP_TMP/said 60 \$(($seed + SOAK_NTH))" --allow-gaps
run tests/lib/compare-said "$KDYNO_LAB" damaged "$TAP_TMP/said"
is "nothing wrong was filed: $out" "$status" 0
like "in every complete try" "$out" 'tries=7 '
check "nothing runs on" nothing_runs
tap_done
