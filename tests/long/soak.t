#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# timeout: 4200
# 200 power cuts and kills at moments of chance over a smoke sweep on 5.10, as many of them as fit into 40 minutes: 0 results lost, 0 doubled, 0 boots
# without a verdict. CUTS, ROUNDS, SEED and MINUTES say otherwise.
. tests/lib/tap.sh
. tests/qemu/lab.sh
at_exit lab_stop
. tests/lib/soak.sh
cuts=${CUTS:-200}
lab_ready
soak_twin l-soak "$cuts" "${ROUNDS:-40}" "${SEED:-20}" "$((${MINUTES:-40} * 60))" 1500
diag "$made of $cuts cuts were made"
check "cuts were made" [ "${made:-0}" -gt 0 ]
tap_done
