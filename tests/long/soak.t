#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# timeout: 4800
# 200 power cuts and kills at moments of chance over a smoke sweep on 5.10, as many of them as fit into 50 minutes: 0 results lost, 0 doubled, 0 boots
# without a verdict. All cuts are made, or the time is over first, which is said. CUTS, ROUNDS, SEED and MINUTES say otherwise.
. tests/lib/tap.sh
. tests/qemu/lab.sh
at_exit lab_stop
. tests/lib/soak.sh
cuts=${CUTS:-200} max=$((${MINUTES:-50} * 60))
lab_ready
soak_twin l-soak "$cuts" "${ROUNDS:-40}" "${SEED:-20}" "$max" 1500
if [ "${made:-0}" -eq "$cuts" ]; then
    diag "ended by: all $cuts cuts"
elif [ "${seconds:-0}" -ge "$max" ]; then
    diag "ended by: the time ($max s), after $made of $cuts cuts"
else
    diag "ended by: neither; after ${made:-0} of $cuts cuts the sweep had no boot left (more ROUNDS), or something is wrong"
fi
check "cuts were made" [ "${made:-0}" -gt 0 ]
check "all of them, or the time was over" [ "${made:-0}" -eq "$cuts" -o "${seconds:-0}" -ge "$max" ]
tap_done
