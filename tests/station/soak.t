#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# timeout: 300
# The power of a simulated box is cut and sweep run is killed, each alone and both at once, at moments of chance: at the end every boot is there
# once. With NFS, and without it on a line that loses bytes. tests/qemu/soak.t does it to a real kernel.
. tests/lib/tap.sh
. tests/station/run.sh
sim_lab
seed=${SEED:-$(date +%s)}
diag "SEED=$seed"

# soak SWEEP CUTS NAME=VALUE...
soak() {
    id=$1 cuts=$2
    shift 2
    rm -rf "$KDYNO_LAB/sweeps/$id" "$KDYNO_LAB/results/$id"
    check "sweep new $id" "$KDYNO" sweep new "$id" --box sim --kernels 6.1.0-a,6.12.0-b --rounds 12 --seed 1 --profile smoke --tests boot-time \
        --tries 20 || bail "no sweep"
    mkdir -p "$KDYNO_LAB/run"
    run tests/lib/soak "$KDYNO" "$KDYNO_LAB" "$id" sim "$cuts" "$seed" pause=1.6 max=100 grace=100 log="$TAP_TMP/soak.log" \
        box="tests/station/boxsim $SIM_SOCKET $KDYNO_LAB $id sim cycle=$TAP_TMP/cycle boot_ms=300 tests=400 seed=\$\$ $*"
    is "$id: $out" "$status" 0 || { diag "$err"; tail -n 60 "$TAP_TMP/soak.log" | sed 's/^/# /'; }
    check "every boot once, no record twice, none missing" tests/lib/prove-sweep "$KDYNO_LAB" "$id" --allow-repeats
    lab_kill
}
soak nfs 15 nfs=1 kernel=1
soak serial 15 lose=5
check "nothing runs on" nothing_runs
tap_done
