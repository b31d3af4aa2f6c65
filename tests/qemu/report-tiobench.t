#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# timeout: 600
# The second field report: tiobench over NFS by one kernel, on all CPUs and on one, as the profile tiobench-nfs has it, in small; and its table.
. tests/lib/tap.sh
. tests/qemu/lab.sh
. tests/qemu/reports.sh
at_exit lab_stop
lab_ready
report_sweep t-tiobench tiobench-nfs --kernels "$OLD" --rounds 1 --arg nfs-threads.size_bytes=4M --arg nfs-threads.cold=auto --arg nfs-threads.random_ms=200 \
    --arg nfs-threads.random_ops=200 --arg net-tcp.bytes=4M --arg net-tcp.time_ms=500
report_view --as tiobench
is "three rows a variant, each of four rates and four shares of CPU" "$(printf '%s\n' "$out" | grep -cE '^   \. +4 +4096 +[124]( +[0-9]*[0-9.]*[1-9][0-9.]* +[0-9.]+%){4}$')" 6
like "a table for smp" "$out" '^6[^ ]*/smp:'
like "a table for up" "$out" '^6[^ ]*/up:'
report_view --cost
like "cost: sequential reads" "$out" 'nfs-threads +seqread_1 '
report_view --nfs
like "nfs: READs of four workers" "$out" 'nfs-threads +seqread_4 +READ '
report_view --hist
like "hist: random reads" "$out" 'nfs-threads +randread_1'
run "$KDYNO" compare t-tiobench
is "compare: status" "$status" 0
diag "$out"
like "compare: the variant is what is compared" "$out" 'same-kernel|one kernel|variant'
check "nothing runs on" lab_idle
tap_done
