#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# timeout: 900
# The power of the twin is cut (SIGKILL to QEMU), sweep run is killed, and both at once, at 10 moments that a seed draws (the same each time,
# where SEED does not say another): no result is lost, none is doubled, no boot is without a verdict. tests/long/soak.t makes 200 cuts;
# tests/station/soak.t does it fast, with a simulated box.
. tests/lib/tap.sh
. tests/qemu/lab.sh
at_exit lab_stop
cuts=${CUTS:-10} rounds=${ROUNDS:-3} seed=${SEED:-20}
# shellcheck source=tests/lib/soak.sh
. tests/lib/soak.sh
lab_ready
soak_twin t-soak "$cuts" "$rounds" "$seed" 300 300
is "all the cuts were made" "$made" "$cuts"
tap_done
