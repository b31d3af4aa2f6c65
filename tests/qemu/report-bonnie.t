#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# timeout: 600
# The first field report: Bonnie over NFS by two kernels, with its controls, as the profile bonnie-nfs has it, in small; and its table.
. tests/lib/tap.sh
. tests/qemu/lab.sh
. tests/qemu/reports.sh
at_exit lab_stop
lab_ready
REPORT_SKIPS="nfs-bonnie-udp:this kernel refuses it"
report_sweep t-bonnie bonnie-nfs --kernels "$OLD,$NEW" --rounds 1 --arg nfs-bonnie.size_bytes=4M --arg nfs-bonnie-udp.size_bytes=4M --arg '*.bytes=4M' --arg '*.cold=auto' \
    --arg '*.seeks=20' --arg '*.time_ms=500'
report_view --as bonnie
is "a row a kernel, each of six rates and six shares of CPU" "$(printf '%s\n' "$out" | grep -cE '^6\.[0-9.-]+ +1\* +4( +[0-9]*[1-9][0-9.]* +[0-9]+\.[0-9]){6}$')" 2
is "least, median and greatest of six phases of both" "$(printf '%s\n' "$out" | grep -cE ' (putc|write|rewrite|getc|read|seek) +1 +[0-9]')" 12
report_view --cost
like "cost: the phases of Bonnie" "$out" 'nfs-bonnie +read '
report_view --nfs
like "nfs: READs of the read phase" "$out" 'nfs-bonnie +read +READ '
report_view --hist
like "hist: the seeks" "$out" 'nfs-bonnie +seek'
run "$KDYNO" compare t-bonnie
is "compare: status" "$status" 0
diag "$out"
like "compare: a finding, of one run a side" "$out" '[oO]ne run|error bar'
check "nothing runs on" lab_idle
tap_done
