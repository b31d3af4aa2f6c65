#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# timeout: 240
#
# The programs of the suite that work on files, disturbed: ended by TERM, their file changed or their folder removed by another, little memory, few
# descriptors, extreme parameters. They fail or skip with one reason, a wrong byte with its offset, and leave nothing.
# shellcheck disable=SC3045 # ulimit -v and -n: dash and bash have them
. tests/lib/tap.sh
. tests/station/suite.sh
memory=$TAP_TMP/memory
mkdir "$memory"
export KD_SCRATCH="$scratch" KD_TMP="$memory"

# ---- ended

# ended TEST ARG...: TERM when its file or folder is there
ended() {
    "$suite" "$@" 3>/dev/null >/dev/null 2>&1 &
    pid=$!
    check "$1: at work" wait_for 20 sh -c "ls '$scratch'/kd-$pid || ls '$memory'/kd-$pid"
    kill -TERM $pid
    wait $pid
    is "$1, ended: by TERM" "$?" 143
    is "$1, ended: nothing left" "$(ls -A "$scratch")$(ls -A "$memory")" ""
    check "$1, ended: no process" wait_for 5 sh -c "! pgrep -f '^$suite $1'"
}
ended disk-seq reps=60 size_bytes=33554432
ended disk-rand time_ms=60000 depth=4
ended disk-rand time_ms=60000 on=tmpfs
ended disk-fsync time_ms=60000
ended disk-tree scale=1
ended nfs-patterns on=scratch reps=60
ended sched-wake load=disk count=100000

# ---- changed by another

# changed TEST REASON ARG...: while it runs bytes of its file are overwritten, again and again
changed() {
    test=$1 reason=$2
    shift 2
    while sleep 0.02; do
        for f in "$scratch"/kd-*/*; do
            [ -f "$f" ] && printf XXXXXXXXXXXXXXXX | dd of="$f" bs=1 seek=24576 conv=notrunc 2>/dev/null
        done
    done &
    other=$!
    go "$test" "$@"
    kill $other
    wait $other 2>/dev/null
    fails "$test" "$test, its file changed" "$reason"
    rm -rf "$scratch"/kd-*
}
changed disk-seq 'wrong%20data%20at%2024576$' reps=60 cold=none
changed disk-rand 'wrong%20data%20at%2024576$' time_ms=3000 cold=none
changed disk-fsync 'wrong%20data%20at%2024576$' mode=overwrite time_ms=2000 cold=none
changed disk-bonnie 'wrong%20data%20at%20(24576|24577)$' reps=60
changed disk-threads 'wrong%20data%20at%2024576%20of%20file%200$' random_ms=2000 workers=1

# ---- gone

gone() {
    (
        wait_for 20 sh -c "ls '$scratch'/kd-*/*"
        sleep 0.1
        while sleep 0.05; do rm -rf "$scratch"/kd-*; done # it may fail: something is made in there meanwhile
    ) &
    other=$!
    go "$@"
    kill $other
    wait $other 2>/dev/null
    fails "$1" "$1, its folder gone" 'No%20such%20file%20or%20directory'
}
gone disk-seq reps=60 cold=none
gone disk-rand time_ms=2000 reps=3 cold=none
gone disk-bonnie reps=60
rm -rf "$scratch"/kd-*

# ---- lack

# little TEST ARG...: with so little address space that its buffers cannot be had
little() {
    (
        ulimit -v 1800
        exec "$suite" "$@" 3>"$facts" 2>"$TAP_TMP/stderr" </dev/null
    )
    status=$?
    skips "$1" "$1 with 1800 KiB of address space"
    like "$1 with 1800 KiB: and why" "$(cat "$facts")" 'reason=no%20memory'
    is "$1 with 1800 KiB: nothing left" "$(ls -A "$scratch")" ""
}
little disk-seq chunk_bytes=1048576
little disk-rand block_bytes=1048576
little disk-fsync block_bytes=1048576
little disk-bonnie chunk_bytes=1048576
(
    ulimit -n 6
    exec "$suite" disk-bonnie size_bytes=1048576
) 3>"$facts" 2>"$TAP_TMP/stderr" </dev/null
status=$?
fails disk-bonnie "disk-bonnie with six descriptors" 'No%20file%20descriptors'
empty "disk-bonnie with six descriptors"
KD_SCRATCH=$TAP_TMP/$(head -c 400 /dev/zero | tr '\0' a) go disk-seq
skips disk-seq "a path that is too long"
like "a path that is too long: so it says" "$(cat "$facts")" 'too%20long'

# ---- parameters

go disk-rand size_bytes=1048576 time_ms=3600000 max_ms=200 reps=1 cold=none
passes disk-rand "disk-rand: max_ms below time_ms ends it"
go disk-threads size_bytes=65536 random_ops=1 random_ms=0 workers=8
passes disk-threads "disk-threads: fewer operations than workers"
go disk-threads size_bytes=1000000 block_bytes=512 random_ops=10 random_ms=1 workers=1+2+4+8 seed=0
passes disk-threads "disk-threads: seed 0, a size that is no multiple"
go disk-tree files=1 dirs=550 scale=1
passes disk-tree "disk-tree: more folders than files"
empty "all tests"
tap_done
