#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# timeout: 120
#
# The programs of the suite on this machine, with small parameters: facts keep the contract, every metric of the descriptor is there,
# what is lacking is a skip, what is wrong is a failure with its reason, nothing is left behind.
. tests/lib/tap.sh

. tests/station/suite.sh

# ---- names, descriptors, parameters

# words PROFILE: what each of its tests is started with, in $TAP_TMP/words.
# shellcheck disable=SC2317 # run by check
words() { "$BUILD/kdyno" suite "$1" --memory 512M --disk 1G --words >"$TAP_TMP/words"; }
# A profile as a box of 512 MiB with a scratch disk of 1 GiB would run it: each program takes its words.
for profile in tests/suite/*.profile; do
    name=$(basename "$profile" .profile)
    check "profile $name" words "$name"
    while read -r test words; do
        # shellcheck disable=SC2086 # a list
        check "$name, $test: $words" "$suite" $words --help
    done <"$TAP_TMP/words"
done
# Of a descriptor every parameter that its program has, and no other: a profile and --arg can name only those.
printf '[profile]\ntests =' >"$TAP_TMP/all.profile"
for f in tests/suite/*.test; do printf ' %s\n' "$(basename "$f" .test)"; done >>"$TAP_TMP/all.profile"
check "all descriptors" words "$TAP_TMP/all.profile"
while read -r test program words; do
    "$suite" "$program" --help 2>/dev/null | sed -n 's/^  \([a-z0-9_]*\)=.*/\1/p' | sort >"$TAP_TMP/has"
    # shellcheck disable=SC2086 # a list
    printf '%s\n' $words | sed 's/=.*//' | grep . | sort >"$TAP_TMP/says"
    check "$test: its descriptor has every parameter of $program" diff "$TAP_TMP/has" "$TAP_TMP/says"
    go "$program" nonsense=1
    is "$test: an unknown parameter is a usage error" "$status" 2
    one_line "$test: in one line" "$(cat "$TAP_TMP/stderr")"
done <"$TAP_TMP/words"
go disk-seq size_byte=4096
like "the nearest parameter is named" "$(cat "$TAP_TMP/stderr")" "size_bytes"
go disk-seq reps=many
like "a number is wanted" "$(cat "$TAP_TMP/stderr")" "reps=many: not a number"
go disk-seq reps=1000
like "in its range" "$(cat "$TAP_TMP/stderr")" "wanted 1 to"
go disk-seq cold=warm
is "a word is one of its words" "$status" 2
go nonsense
is "an unknown test is a usage error" "$status" 2
ln -s "$suite" "$TAP_TMP/boot-time"
check "started by its own name" "$TAP_TMP/boot-time" --help

# ---- boot-time

go boot-time
skips boot-time "boot-time without KD_BOOT"
boot() { printf '%s\n' "$1" >"$TAP_TMP/boot"; KD_BOOT=$TAP_TMP/boot go boot-time; }
boot "boot init_ns=2000000000 mounts_ns=2100000000 reset=cold degraded=devtmpfs,cgroup ready_ns=2500000000"
passes boot-time "boot-time"
like "boot-time: init" "$(cat "$facts")" '^metric name=init v=2000000000$'
like "boot-time: ready is from init on" "$(cat "$facts")" '^metric name=ready v=500000000$'
like "boot-time: the rest is kept" "$(cat "$facts")" '^fact degraded=devtmpfs,cgroup$'
boot "boot init_ns=5 ready_ns=4"
fails boot-time "boot-time with a clock that went back" back
boot "boot init_ns=5"
fails boot-time "boot-time without ready_ns" ready_ns
boot "nothing here"
fails boot-time "boot-time with another file" line

# ---- boot-initcalls

if ! grep -qw initcall_debug /proc/cmdline; then
    go boot-initcalls
    skips boot-initcalls "boot-initcalls without its word on the command line"
fi

# ---- cpu-parallel

go cpu-parallel time_ms=50 reps=3
passes cpu-parallel "cpu-parallel"
if command -v taskset >/dev/null && [ "$(nproc)" -gt 1 ]; then
    ratio() {
        awk '/^metric name=(one|two) / { split($3, v, "="); split($4, n, "="); r[$2] = v[2] / n[2] }
            END { printf "%d\n", 100 * r["name=two"] / r["name=one"] }' "$facts"
    }
    # on a busy machine one of the two may have had the CPU while the other had not: some tries
    for _ in 1 2 3 4 5; do
        timeout 60 taskset -c 0 "$suite" cpu-parallel time_ms=200 3>"$facts"
        one_cpu=$(ratio)
        [ "$one_cpu" -ge 150 ] || break
    done
    check "on one CPU two processes do what one does ($one_cpu %)" test "$one_cpu" -lt 150
fi

# ---- disk-seq

go disk-seq
skips disk-seq "disk-seq without KD_SCRATCH"
KD_SCRATCH="" go disk-seq
skips disk-seq "disk-seq with an empty KD_SCRATCH"
export KD_SCRATCH="$scratch"
go disk-seq size_bytes=1048576 cold=fadvise
passes disk-seq "disk-seq"
like "disk-seq: fsync and close apart" "$(cat "$facts")" '^fact times=write i=1 .*move_ns=[0-9]+ fsync_ns=[1-9][0-9]* close_ns='
like "disk-seq: how the cache was made cold" "$(cat "$facts")" '^fact place=scratch on=scratch fs=[a-z0-9]+ cold=fadvise$'
like "disk-seq: warm-up is apart" "$(cat "$facts")" '^fact times=read i=0 '
like "disk-seq: what each phase moved" "$(grep -c '^fact timed=[a-z]* n=5 ns=[1-9][0-9]* bytes=5242880$' "$facts")" '^3$'
like "disk-seq: books" "$(cat "$facts")" '^fact cpu=write self_us=[0-9]+ busy_us='
like "disk-seq: faults and switches" "$(cat "$facts")" '^fact own=write sys_us=[0-9]+ minor='
like "disk-seq: progress" "$(cat "$facts")" '^fact progress=read ms=100 i=1 kib=[0-9,]*$'
like "disk-seq: the longest stall" "$(cat "$facts")" '^fact progress=write ns=[1-9][0-9]* bytes=1048576 stall_ns=[1-9]'
empty disk-seq
go disk-seq size_bytes=1099511627776
skips disk-seq "disk-seq too large for the disk"
go disk-seq size_bytes=100000
is "disk-seq: a size that is no multiple" "$status" 2
KD_SCRATCH=$TAP_TMP/none go disk-seq
skips disk-seq "disk-seq without its folder"
check "disk-seq in 4 MB" sh -c "ulimit -v 4096; '$suite' disk-seq size_bytes=1048576 reps=1 warm=0 cold=none 3>/dev/null"
unset KD_SCRATCH

# ---- sched-messaging

for via in socket pipe; do
    go sched-messaging groups=2 senders=5 receivers=4 messages=20 reps=3 via=$via
    passes sched-messaging "sched-messaging by $via"
    like "sched-messaging by $via: all messages" "$(cat "$facts")" '^metric name=msgs v=800 ns='
done
check "sched-messaging that cannot fork fails and ends" sh -c "ulimit -n 12; '$suite' sched-messaging 3>/dev/null; test \$? = 1"
is "sched-messaging leaves no process" "$(pgrep -f "^$suite sched-messaging" | wc -l | tr -d ' ')" 0

# ---- nfs-bulk

go nfs-bulk readahead_kb=12 --help
like "a number where a word can be too" "$(cat "$TAP_TMP/stdout")" 'readahead_kb=12 \(0 to 1048576\)'
go nfs-bulk --help
like "and the word" "$(cat "$TAP_TMP/stdout")" 'readahead_kb=keep \(0 to 1048576\)'
go nfs-bulk readahead_kb=kept
is "and nothing else" "$status" 2
go nfs-bulk
skips nfs-bulk "nfs-bulk without KD_NFSTEST"
export KD_TMP="$scratch"
KD_NFSTEST=127.0.0.1:2049 go nfs-bulk
fails nfs-bulk "nfs-bulk without a path" wanted
if [ "$(id -u)" = 0 ] && ! grep -qw nfs /proc/filesystems && ! modprobe nfs 2>/dev/null; then
    KD_NFSTEST=127.0.0.1:1,1:/kd/test go nfs-bulk
    skips nfs-bulk "nfs-bulk on a kernel without NFS"
    like "nfs-bulk: both versions lack" "$(grep -c '^fact lacks=v[34]$' "$facts")" '^2$'
    empty nfs-bulk
fi

tap_done
