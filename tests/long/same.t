#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# timeout: 1500
# A/A: one kernel under two ids, 6 + 6 boots. No primary may be called different.
. tests/lib/tap.sh
. tests/qemu/lab.sh
. tests/lib/same.sh
at_exit lab_stop
lab_ready
same_sweep l-same 6 5
tap_done
