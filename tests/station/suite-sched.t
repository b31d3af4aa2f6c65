#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# timeout: 240
#
# The scheduler tests of the suite on this machine, small: they keep the contract and say sane things, a hog is seen and a SCHED_IDLE hog is
# not, the fault that sched-thief looks for is found where it is made, and a test that is killed leaves nothing. The machine may be loaded: what is
# compared was measured side by side, and a comparison gets several tries.
# shellcheck disable=SC2317 # what check and tries run
. tests/lib/tap.sh
. tests/station/suite.sh

# value PATTERN KEY: of the last line of the facts that matches
value() { grep -E "$1" "$facts" | tail -n 1 | tr ' ' '\n' | sed -n "s/^$2=//p"; }
metric() { value "^metric name=$1 " v; }
# tries N COMMAND...: until it succeeds
tries() {
    n=$1
    shift
    while [ "$n" -gt 0 ]; do
        "$@" && return 0
        n=$((n - 1))
    done
    return 1
}
# A SCHED_IDLE process dies when it gets a CPU, which on a loaded machine takes a while.
nobody() { check "$1 leaves no process" tries 200 none_left; }
none_left() { ! pgrep -f "^$suite " || { sleep 0.1 && false; }; }

# ---- sched-wake

go sched-wake count=400 period_us=1000 exec_ms=50
passes sched-wake "sched-wake"
check "sched-wake: p50 <= p99 <= max" test "$(metric p50)" -le "$(metric p99)" -a "$(metric p99)" -le "$(metric max)"
like "sched-wake: too few for p99.9" "$(cat "$facts")" '^fact lacks=p999$'
is "sched-wake: every wake-up is in the histogram" "$(value '^hist name=wake n=' n)" 400
is "sched-wake: and its work" "$(value '^hist name=work n=' n)" 400
check "sched-wake: programs were started beside it" test "$(value '^fact part=exec ' n)" -ge 2
like "sched-wake: by absolute timers" "$(cat "$facts")" '^fact timer=clock_nanosleep$'
go sched-wake count=4000 period_us=100 warm=0 work_chunks=0 exec_ms=0
passes sched-wake "sched-wake without work or programs"
check "sched-wake: enough for p99.9" test "$(metric p99)" -le "$(metric p999)" -a "$(metric p999)" -le "$(metric max)"
unlike "sched-wake: no programs then" "$(cat "$facts")" part=exec
for load in busy spawn; do
    go sched-wake count=400 period_us=500 load=$load
    passes sched-wake "sched-wake load=$load"
    check "sched-wake: load=$load did something" test "$(value "^fact load=$load " units)" -gt 0
done
for hog in one idle; do
    go sched-wake count=400 period_us=500 hog=$hog
    passes sched-wake "sched-wake hog=$hog"
done
nobody sched-wake
go sched-wake load=disk
skips sched-wake "sched-wake load=disk without KD_SCRATCH"
KD_SCRATCH=$scratch go sched-wake count=400 period_us=1000 load=disk workers=1
passes sched-wake "sched-wake load=disk"
check "sched-wake: load=disk wrote" test "$(value '^fact load=disk ' units)" -gt 65536
is "sched-wake: load=disk leaves no file" "$(ls -A "$scratch")" ""

# ---- sched-pingpong

for via in pipe socket; do
    go sched-pingpong time_ms=50 via=$via
    passes sched-pingpong "sched-pingpong via=$via"
done
if command -v taskset >/dev/null; then
    timeout 60 taskset -c 0 "$suite" sched-pingpong time_ms=20 3>"$facts"
    status=$?
    passes sched-pingpong "sched-pingpong on one CPU"
    like "sched-pingpong: no other CPU" "$(cat "$facts")" '^fact lacks=cross$'
    like "sched-pingpong: the same CPU" "$(cat "$facts")" '^metric name=same '
fi

# ---- sched-messaging

go sched-messaging groups=1 senders=3 receivers=3 messages=20 reps=1 bytes=1000
passes sched-messaging "sched-messaging of 1000 bytes"

# ---- sched-fork

go sched-fork time_ms=100
passes sched-fork "sched-fork"
check "sched-fork: exec costs more than fork" test "$(metric exec)" -lt "$(metric fork)"
check "the program that is started" sh -c "ln -s '$suite' '$TAP_TMP/true' && '$TAP_TMP/true' >'$TAP_TMP/said' && test ! -s '$TAP_TMP/said'"

# ---- sched-fair

go sched-fair hogs=2 time_ms=100 reps=2
passes sched-fair "sched-fair"
check "sched-fair: Jain's index is one at most" test "$(value '^fact fair=share ' jain_permille)" -le 1000
check "sched-fair: the least is no more than the most" \
    test "$(value '^fact fair=share ' least)" -le "$(value '^fact fair=share ' most)"
# What the hog takes of the work that it and the others do: of the same CPUs at the same time, so that whatever else runs takes from all.
hog_takes() {
    timeout 60 "$suite" sched-fair hogs=4 time_ms=300 reps=1 "hog=$1" 3>"$facts"
    value '^fact fair=share ' hog_permille
}
two_hogs() {
    one=$(hog_takes one) idle=$(hog_takes idle)
    test "$one" -ge 80 -a "$idle" -le 60 -a "$((one - idle))" -ge 50
}
if [ "$(hog_takes none)" = 0 ] && tries 5 two_hogs; then
    pass "sched-fair: a hog takes its share, a SCHED_IDLE hog does not ($one and $idle in 1000)"
else
    fail "sched-fair: a hog took $one in 1000, a SCHED_IDLE hog $idle"
fi
# The same in the metric: the share of CPU time that the test's own processes got, on one CPU, which the hog has to be on as well.
share() {
    timeout 60 "$suite" sched-fair hogs=2 time_ms=200 reps=3 "hog=$1" 3>"$facts"
    metric share
}
shares() {
    none=$(share none) one=$(share one) idle=$(share idle)
    test "$((one * 100))" -lt "$((none * 92))" -a "$((idle * 100))" -gt "$((one * 104))"
}
if tries 8 shares; then
    pass "sched-fair: share falls under a hog and not under a SCHED_IDLE hog ($none, $one, $idle)"
else
    fail "sched-fair: share is $none alone, $one under a hog, $idle under a SCHED_IDLE hog"
fi
order() {
    timeout 60 "$suite" sched-fair hogs=1 time_ms=300 reps=1 3>"$facts"
    value '^fact fair=nice ' chunks | awk -F, '{ exit !($1 > $2 * 1.5 && $2 > $3 * 1.5) }'
}
check "sched-fair: a lower nice value gets more" tries 5 order
nobody sched-fair

# ---- sched-thief

go sched-thief time_ms=100
passes sched-thief "sched-thief"
check "sched-thief: rounds in both arms" test "$(value '^fact thief=alone ' rounds)" -gt 0 -a "$(value '^fact thief=fed ' rounds)" -gt 0
per_round() { echo $(($(value '^fact thief=fed ' "$1") * 1000 / $(value '^fact thief=fed ' rounds))); }
fault() {
    timeout 60 "$suite" sched-thief time_ms=300 reps=3 io_kb=512 3>"$facts"
    good=$(metric stretch) good_us=$(per_round elapsed_us) good_sys=$(per_round sys_us)
    timeout 60 "$suite" sched-thief time_ms=500 reps=3 io_kb=512 lag_us=20000 3>"$facts"
    bad=$(metric stretch) bad_us=$(per_round elapsed_us) bad_sys=$(per_round sys_us)
    test "$bad" -gt $((good * 2)) -a "$bad_us" -gt $((good_us * 3)) -a $((bad_sys * good_us * 3)) -lt $((good_sys * bad_us))
}
if tries 5 fault; then
    pass "sched-thief: wake-ups that come late are seen: stretch $good to $bad, elapsed up, system time not"
else
    fail "sched-thief: with late wake-ups stretch $good is $bad, ns a round $good_us and $bad_us, of it system $good_sys and $bad_sys"
fi
nobody sched-thief

# ---- sched-storm

go sched-storm count=400 period_us=1000 spawners=2
passes sched-storm "sched-storm"
check "sched-storm: p50 <= p99" test "$(metric p50)" -le "$(metric p99)"
is "sched-storm: every probe is in the histogram" "$(value '^hist name=exec n=' n)" 400
check "sched-storm: there was a storm" test "$(value '^fact load=spawn ' units)" -gt 0
nobody sched-storm

# ---- killed

for test in "sched-wake load=busy count=100000" "sched-wake load=spawn count=100000" "sched-storm count=100000" "sched-fair time_ms=60000" \
    "sched-fair time_ms=60000 hog=idle" "sched-pingpong time_ms=60000" "sched-thief time_ms=60000" "sched-fork time_ms=60000"; do
    # shellcheck disable=SC2086 # a list
    "$suite" $test 3>/dev/null &
    pid=$!
    sleep 0.5
    kill -9 $pid
    wait $pid 2>/dev/null
    sleep 0.2
    nobody "$test, killed,"
done
tap_done
