#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# timeout: 600
# The third field report: boot and rm -rf of a tree by two kernels, as the profile boot-tree has it, in small; and its table.
. tests/lib/tap.sh
. tests/qemu/lab.sh
. tests/qemu/reports.sh
at_exit lab_stop
lab_ready
report_sweep t-boot boot-tree --kernels "$OLD,$NEW" --rounds 1 --arg disk-tree.scale=16
report_view --as boot
is "a row a kernel: boot, to the runner, create, walk, read, rm -rf" "$(printf '%s\n' "$out" | grep -cE '^6\.[^ ]+( +[0-9.]+ [mun]?s \([^)]*\) n=1){6}$')" 2
report_view --cost
like "cost: rm" "$out" 'disk-tree +rm '
report_view --hist
like "hist: wake-ups, idle" "$out" 'sched-wake '
like "hist: wake-ups under disk I/O" "$out" 'sched-wake-disk '
run "$KDYNO" compare t-boot
is "compare: status" "$status" 0
diag "$out"
like "compare: a finding, of one run a side" "$out" '[oO]ne run|error bar'
check "nothing runs on" lab_idle
tap_done
