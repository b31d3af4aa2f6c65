#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# timeout: 600
# The second field report: tiobench over NFS by one kernel, on all CPUs and on one, as the profile tiobench-nfs has it, in small; and its table.
. tests/lib/tap.sh
. tests/qemu/lab.sh
. tests/qemu/reports.sh
at_exit lab_stop
lab_ready
report_tiobench t-tiobench "$OLD" 1 4
like "compare: the variant is what is compared" "$out" 'same-kernel|one kernel|variant'
check "nothing runs on" lab_idle
tap_done
