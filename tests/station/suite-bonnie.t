#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# timeout: 180
#
# disk-bonnie and disk-threads on this machine: both orders, every number of workers, data that somebody changes, and being ended in the middle.
. tests/lib/tap.sh

. tests/station/suite.sh

export KD_TMP="$scratch"

# phases: in which order they were run
phases() { sed -n 's/^phase name=\([^ ]*\) .*/\1/p' "$facts" | grep -v clean | tr '\n' ' '; }

# spoil OFFSET PATTERN: as long as it runs, the byte at that offset of the file (in a folder of the place) changes again and again
spoil() {
    perl -e 'my ($at, $glob) = @ARGV; my $c = 0;
        while (1) { for (glob $glob) { next if -s $_ <= $at; open my $f, "+<", $_ or next; seek $f, $at, 0; print $f chr(++$c & 255) } select undef, undef, undef, .002 }' \
        "$1" "$scratch/$2" &
    spoiler=$!
    at_exit "kill $spoiler 2>/dev/null"
}
unspoil() { kill "$spoiler" && wait "$spoiler" 2>/dev/null; }

# ended TEST GLOB ARG...: started, and sent TERM when its file is there
ended() {
    test=$1 glob=$2
    shift 2
    "$suite" "$test" "$@" 3>"$facts" >/dev/null 2>&1 </dev/null &
    pid=$!
    for _ in $(seq 200); do
        # shellcheck disable=SC2086 # a pattern
        set -- "$scratch"/$glob
        [ -e "$1" ] && break
        sleep 0.05
    done
    check "$test to be ended has its file" test -e "$1"
    kill "$pid"
    wait "$pid" 2>/dev/null
    is "$test ended by TERM: by that" "$?" 143
    empty "$test ended by TERM"
    for _ in $(seq 100); do # its workers die with it, but not before it
        pgrep -f "^$suite $test" >/dev/null || break
        sleep 0.1
    done
    is "$test ended by TERM: no process" "$(pgrep -f "^$suite $test" | wc -l | tr -d ' ')" 0
}

# ---- disk-bonnie

go disk-bonnie
skips disk-bonnie "disk-bonnie without KD_SCRATCH"
for lock in 0 1; do
    go disk-bonnie on=tmpfs size_bytes=2097152 seeks=200 unlocked=$lock reps=2 warm=1
    passes disk-bonnie "disk-bonnie unlocked=$lock"
    like "disk-bonnie: what was used" "$(cat "$facts")" '^fact how=bonnie order=bonnie1 size_bytes=2097152 chunk_bytes=1048576 seek_chunk_bytes=1048576 seeks=200 seekers=3'
    like "disk-bonnie: and the rest" "$(cat "$facts")" "^fact how=bonnie .*unlocked=$lock fsync=1 seed=1\$"
    like "disk-bonnie: its order" "$(phases)" '^(putc rewrite write getc read seek ){3}verify $'
    like "disk-bonnie: one in ten is written back" "$(cat "$facts")" '^fact seek=done rewrites=40 '
    like "disk-bonnie: the books of a phase" "$(cat "$facts")" '^fact timed=putc n=2 ns=[0-9]+ bytes=4194304'
    like "disk-bonnie: progress" "$(cat "$facts")" '^fact progress=read '
    like "disk-bonnie: a histogram of seeks" "$(cat "$facts")" '^hist name=seek n=400 '
    empty disk-bonnie
done
go disk-bonnie on=tmpfs order=bonnie++ size_bytes=1048576 char_bytes=65536 seeks=100 fsync=0
passes disk-bonnie "disk-bonnie as bonnie++"
like "disk-bonnie as bonnie++: what was used" "$(cat "$facts")" '^fact how=bonnie order=bonnie\+\+ size_bytes=1048576 chunk_bytes=8192 seek_chunk_bytes=8192 seeks=100 seekers=5'
like "disk-bonnie as bonnie++: its order" "$(phases)" '^putc write rewrite getc read seek verify $'
like "disk-bonnie as bonnie++: a part by the byte" "$(cat "$facts")" '^metric name=putc v=65536 '
go disk-bonnie on=tmpfs size_bytes=1048576 seeks=20 chunk_bytes=65536 seek_chunk_bytes=16384 seekers=8 cold=auto
passes disk-bonnie "disk-bonnie with other chunks"
go disk-bonnie on=tmpfs size_bytes=1048576 char_bytes=65536 chunk_bytes=65536
is "disk-bonnie: a part by the byte has no place in Bonnie's order" "$status" 2
go disk-bonnie on=tmpfs size_bytes=100000
is "disk-bonnie: a size that is no multiple" "$status" 2
go disk-bonnie on=tmpfs size_bytes=1099511627776
skips disk-bonnie "disk-bonnie larger than the place"
KD_SCRATCH=$scratch go disk-bonnie size_bytes=1048576 seeks=20 seek_chunk_bytes=16384
passes disk-bonnie "disk-bonnie on scratch"

spoil 33554431 'kd-*/bonnie'
go disk-bonnie on=tmpfs size_bytes=33554432 seeks=20 verify=0
unspoil
fails disk-bonnie "disk-bonnie whose data somebody changes" 'reason=getc.*wrong%20data%20at%2033554431$'
empty "disk-bonnie whose data was wrong"
ended disk-bonnie 'kd-*/bonnie' on=tmpfs size_bytes=67108864

# ---- disk-threads

go disk-threads on=tmpfs size_bytes=1048576 workers=1+2+4+8 random_ms=20 random_ops=100
passes disk-threads "disk-threads"
order=
for n in 1 2 4 8; do order="${order}seqwrite_$n randwrite_$n seqread_$n randread_$n verify "; done
is "disk-threads: its order" "$(phases)" "$order"
like "disk-threads: all of the file is written" "$(cat "$facts")" '^fact work=seqwrite_8 ops=256 bytes=1048576 '
like "disk-threads: a random phase has both bounds" "$(sed -n 's/^fact work=randread_4 ops=\([0-9]*\) .* ns=\([0-9]*\) .*/\1 \2/p' "$facts" | awk '{ print ($1 >= 100 && $2 >= 20000000) }')" '^1$'
like "disk-threads: fairness" "$(cat "$facts")" '^fact fair=randwrite_8 least=[0-9]+ most=[0-9]+ ratio_permille=[0-9]+ jain_permille=[0-9]+$'
is "disk-threads: a histogram a random phase" "$(grep -c '^hist name=rand[a-z]*_[1248] n=' "$facts")" 8
unlike "disk-threads: none of a sequential one" "$(cat "$facts")" '^hist name=seq'
unlike "disk-threads: one worker is not unfair" "$(cat "$facts")" '^fact fair=[a-z]*_1 '
empty disk-threads
go disk-threads on=tmpfs size_bytes=1048576 workers=2 random_ms=0 random_ops=10 block_bytes=8192
passes disk-threads "disk-threads by two"
is "disk-threads by two: what was not asked for" "$(grep -c '^fact lacks=' "$facts")" 12
like "disk-threads by two: as few operations as were asked for" "$(cat "$facts")" '^fact work=randread_2 ops=10 '
go disk-threads on=tmpfs block_bytes=3000
is "disk-threads: a block is a power of two" "$status" 2
go disk-threads on=tmpfs workers=3
is "disk-threads: numbers of workers are words" "$status" 2
check "disk-threads in 6 MB" sh -c "ulimit -v 6144; '$suite' disk-threads on=tmpfs size_bytes=1048576 random_ms=0 workers=8 3>/dev/null"

spoil 4096 'kd-*/thr1'
go disk-threads on=tmpfs size_bytes=16777216 workers=2 random_ms=100
unspoil
fails disk-threads "disk-threads whose data somebody changes" 'wrong%20data%20at%204096%20of%20file%201$'
empty "disk-threads whose data was wrong"
ended disk-threads 'kd-*/thr1' on=tmpfs size_bytes=33554432 workers=2

tap_done
