#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# timeout: 900
# A/A in short: one kernel under two ids, 3 + 3 boots. Nothing may be called different, and so few boots are called too few, not the same.
. tests/lib/tap.sh
. tests/qemu/lab.sh
. tests/lib/same.sh
at_exit lab_stop
lab_ready
same_sweep t-same 3 5
run "$KDYNO" compare t-same
check "three boots a side are too few to prove anything, and it says so" expr "$out" : ".*too few"
tap_done
