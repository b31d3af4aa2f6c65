#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# timeout: 600
# The cause, not only the effect: on a real kernel with two CPUs a hog on one of them shows in fairness and in wake-ups, and a SCHED_IDLE hog,
# which may have only what is left, shows in neither. All arms run in one boot, one after another.
. tests/lib/tap.sh
. tests/qemu/lab.sh
at_exit lab_stop
lab_ready

# Each arm of sched-wake works for a third of its period: less than its half of the CPU, more than a slice.
profile=$TAP_TMP/cause.profile
{
    printf '[profile]\nsummary = hogs\ntests = boot-time'
    for hog in none one idle; do printf ' fair-%s wake-%s' $hog $hog; done
    printf '\n'
    for hog in none one idle; do
        printf '[test fair-%s]\nlike = sched-fair\nhogs = 2\ntime_ms = 800\nreps = 3\nhog = %s\nprimary = none\n' $hog $hog
        printf '[test wake-%s]\nlike = sched-wake\nperiod_us = 20000\ncount = 150\nwork_chunks = 100\ncpu = first\n' $hog
        printf 'exec_ms = 0\nhog = %s\nprimary = none\n' $hog
    done
} >"$profile"
lab_stop
rm -rf "$KDYNO_LAB/sweeps/t-cause-sched" "$KDYNO_LAB/results/t-cause-sched"
check "sweep new" "$KDYNO" sweep new t-cause-sched --box qemu --profile "$profile" --kernels "$NEW" --rounds 1 || bail "no sweep"
run "$KDYNO" sweep run t-cause-sched
is "sweep run ends well" "$status" 0 || diag "$out" "$err"
check "every test passed" tests/lib/prove-sweep "$KDYNO_LAB" t-cause-sched --passed

# said TEST LINE KIND KEY VALUE WHAT: of the last record of that boot and kind whose KEY is VALUE
said() {
    perl -MJSON::PP -ne 'BEGIN { ($test, $line, $kind, $key, $value, $what) = splice @ARGV, 0, 6 }
        $r = decode_json($_); $k = $r->{kv} || {};
        $v = $k->{$what} if ($r->{line} // 0) == $line && ($r->{kind} // "") eq $kind && ($k->{test} // "") eq $test
            && ($k->{$key} // "") eq $value && defined $k->{$what};
        END { print defined $v ? "$v\n" : "0\n" }' "$@" "$KDYNO_LAB/sweeps/t-cause-sched/records.jsonl"
}
# of TEST-HOG KIND KEY VALUE WHAT in boot $line: to none, one, idle
arms() {
    none=$(said "$1-none" "$line" "$2" "$3" "$4" "$5")
    one=$(said "$1-one" "$line" "$2" "$3" "$4" "$5")
    idle=$(said "$1-idle" "$line" "$2" "$3" "$4" "$5")
    diag "boot $line, $1, $4 $5: $none alone, $one under a hog, $idle under a SCHED_IDLE hog"
}
# The CPUs of the twin are threads of this station, whose other work takes time from one arm and not from another: one boot of the two must show it.
line=0 fair=no takes=no late=no stretched=no
for line in 1 2; do
    # Two processes on two CPUs have all of both; a third on one of them takes half of that one.
    arms fair metric name share v
    [ $((one * 100)) -lt $((none * 85)) ] && [ $(((none - idle) * 2)) -lt $((none - one)) ] && fair=yes
    arms fair fact fair share hog_permille
    [ "$one" -ge 120 ] && [ $((idle * 3)) -lt "$one" ] && takes=yes
    # On the hog's CPU: wake-ups that come late, by half of them or by the latest, and work after a wake-up that the hog stretches.
    for p in p50 max; do
        arms wake metric name $p v
        [ "$one" -gt $((none * 2)) ] && [ "$one" -gt $((idle * 2)) ] && late=yes
    done
    arms wake fact part work p50
    [ $((one * 100)) -gt $((none * 130)) ] && [ $((one * 100)) -gt $((idle * 130)) ] && stretched=yes
done
is "a hog lowers the share, a SCHED_IDLE hog does not" $fair yes
is "a hog takes its part of the work, a SCHED_IDLE hog does not" $takes yes
is "wake-ups are late under a hog, not under a SCHED_IDLE hog" $late yes
is "the work after them is stretched under a hog, not under a SCHED_IDLE hog" $stretched yes
tap_done
