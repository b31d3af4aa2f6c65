#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# timeout: 600
# The first field report: Bonnie over NFS by two kernels, with its controls, as the profile bonnie-nfs has it, in small; and its table.
. tests/lib/tap.sh
. tests/qemu/lab.sh
. tests/qemu/reports.sh
at_exit lab_stop
lab_ready
report_bonnie t-bonnie "$OLD,$NEW" 1 4
like "compare: a finding, of one run a side" "$out" '[oO]ne run|error bar'
check "nothing runs on" lab_idle
tap_done
