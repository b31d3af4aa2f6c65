# SPDX-License-Identifier: GPL-2.0-or-later
#
# What the tests of the three field reports share. Read it after tests/lib/tap.sh and tests/qemu/lab.sh.
# Contract: report_sweep makes and runs a sweep of a profile; report_bonnie, report_tiobench and report_boot do it for one of the reports and judge what it left. No time and
# no rate is judged, only that it is there. KERNELS is a comma list, MIB the size of the file, SCALE as disk-tree has it.
# shellcheck shell=sh

# report_sweep ID PROFILE ARGS...
report_sweep() {
    id=$1 profile=$2
    shift 2
    lab_sweep "$id" --profile "$profile" --seed 11 "$@"
    run "$KDYNO" sweep run "$id"
    is "sweep run $id ends well" "$status" 0 || diag "$out" "$err"
    check "every boot complete once" tests/lib/prove-sweep "$KDYNO_LAB" "$id" --channels both
    # not one test ended otherwise than REPORT_SKIPS (test:words of the reason, or empty) allows
    is "every test passed, or skipped for the reason that is known" "$(jq -r --arg skips "${REPORT_SKIPS-}" 'select(.kind == "end") | .kv |
        ($skips | split(":")) as $s | select(.status != "pass" and (.status != "skip" or .test != $s[0] or ((.reason // "") | contains($s[1]) | not))) |
        .test + " " + .status + " " + (.reason // "")' "$KDYNO_LAB/sweeps/$id/records.jsonl")" ""
    is "no metric is 0" "$(jq -r 'select(.kind == "metric" and .kv.v == "0" and .kv.name != "retrans") | .kv | .test + "." + .name' \
        "$KDYNO_LAB/sweeps/$id/records.jsonl" | sort -u | paste -sd ' ')" ""
}

# report_view WORDS...: kdyno show of the sweep, into $out, and for people
report_view() {
    run "$KDYNO" show "$id" "$@"
    is "show $*: status" "$status" 0 || diag "$err"
    diag "$out"
}

# report_compare ID: without a verdict that is judged
report_compare() {
    run "$KDYNO" compare "$1"
    is "compare: status" "$status" 0 || diag "$err"
    diag "$out"
}

# count_of KERNELS
count_of() { printf '%s\n' "$1" | tr , '\n' | grep -c .; }

# rows PATTERN: how many lines of $out match
rows() { printf '%s\n' "$out" | grep -cE "$1"; }

# report_bonnie ID KERNELS ROUNDS MIB
report_bonnie() {
    REPORT_SKIPS="nfs-bonnie-udp:this kernel refuses it"
    report_sweep "$1" bonnie-nfs --kernels "$2" --rounds "$3" --arg nfs-bonnie.size_bytes="$4"M --arg nfs-bonnie-udp.size_bytes="$4"M --arg "*.bytes=$4M" \
        --arg '*.cold=auto' --arg '*.seeks=20' --arg '*.time_ms=500'
    REPORT_SKIPS=
    report_view --as bonnie
    is "a row a kernel, each of six rates and six shares of CPU" "$(rows "^6\\.[0-9.-]+ +1\\* +$4( +[0-9]*[1-9][0-9.]* +[0-9]+\\.[0-9]){6}\$")" "$(count_of "$2")"
    is "least, median and greatest of six phases of each" "$(rows " (putc|write|rewrite|getc|read|seek) +$3 +[0-9]")" $((6 * $(count_of "$2")))
    report_view --cost
    like "cost: the phases of Bonnie" "$out" 'nfs-bonnie +read '
    report_view --nfs
    like "nfs: READs of the read phase" "$out" 'nfs-bonnie +read +READ '
    report_view --hist
    like "hist: the seeks" "$out" 'nfs-bonnie +seek'
    report_compare "$1"
}

# report_tiobench ID KERNELS ROUNDS MIB
report_tiobench() {
    report_sweep "$1" tiobench-nfs --kernels "$2" --rounds "$3" --arg nfs-threads.size_bytes="$4"M --arg nfs-threads.cold=auto --arg nfs-threads.random_ms=200 \
        --arg nfs-threads.random_ops=200 --arg net-tcp.bytes="$4"M --arg net-tcp.time_ms=500
    report_view --as tiobench
    is "three rows a variant, each of four rates and four shares of CPU" \
        "$(rows "^   \\. +$4 +4096 +[124]( +[0-9]*[0-9.]*[1-9][0-9.]* +[0-9.]+%){4}\$")" $((6 * $(count_of "$2")))
    is "a table a kernel for smp" "$(rows '^6[^ ]*/smp:')" "$(count_of "$2")"
    is "a table a kernel for up" "$(rows '^6[^ ]*/up:')" "$(count_of "$2")"
    report_view --cost
    like "cost: sequential reads" "$out" 'nfs-threads +seqread_1 '
    report_view --nfs
    like "nfs: READs of four workers" "$out" 'nfs-threads +seqread_4 +READ '
    report_view --hist
    like "hist: random reads" "$out" 'nfs-threads +randread_1'
    report_compare "$1"
}

# report_boot ID KERNELS ROUNDS SCALE
report_boot() {
    report_sweep "$1" boot-tree --kernels "$2" --rounds "$3" --arg disk-tree.scale="$4"
    report_view --as boot
    is "a row a kernel: boot, to the runner, jump to hello, create, walk, read, rm -rf" "$(rows "^6\\.[^ ]+( +[0-9.]+ [mun]?s \\([^)]*\\) n=$3){7}\$")" "$(count_of "$2")"
    report_view --cost
    like "cost: rm" "$out" 'disk-tree +rm '
    report_view --hist
    like "hist: wake-ups, idle" "$out" 'sched-wake '
    like "hist: wake-ups under disk I/O" "$out" 'sched-wake-disk '
    report_compare "$1"
}
