#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# timeout: 600
# The third field report: boot and rm -rf of a tree by two kernels, as the profile boot-tree has it, in small; and its table.
. tests/lib/tap.sh
. tests/qemu/lab.sh
. tests/qemu/reports.sh
at_exit lab_stop
lab_ready
report_boot t-boot "$OLD,$NEW" 1 16
like "compare: a finding, of one run a side" "$out" '[oO]ne run|error bar'
check "nothing runs on" lab_idle
tap_done
