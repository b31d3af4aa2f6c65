#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# timeout: 240
#
# Every program of the suite fits the memory that its descriptor states (mem_kb), with the sizes of profile smoke, which are the descriptors' own, and where a
# profile asks for more memory with those. The list is the suite's: a new test is covered by itself. What runs long is cut in time, not in size.
. tests/lib/tap.sh
. tests/station/suite.sh
[ -r /proc/self/smaps_rollup ] || skip_all "no smaps_rollup here (Linux 4.14)"

as_on_a_box memory
KD_NFSTEST="127.0.0.1:$(cat "$TAP_TMP/rpc"),1:/kd/test"
export KD_NFSTEST

# stated FILE SECTION: mem_kb of it
stated() { sed -n "/^\[$2\]/,/^\[/s/^mem_kb *= *\([0-9]*\).*/\1/p" "$1"; }

# fits TEST LIMIT WHAT ARG...: it runs within so many KiB, or skips where this machine lacks what it needs
fits() {
    test=$1 limit=$2 what=$3
    shift 3
    timeout 60 tests/station/suite-memory "$TAP_TMP/peak" "$suite" "$test" "$@" 3>"$facts" >"$TAP_TMP/stdout" 2>"$TAP_TMP/stderr" </dev/null
    status=$?
    peak=$(cat "$TAP_TMP/peak" 2>/dev/null)
    if [ "$status" = 4 ]; then
        skip "$test, $what: mem_kb" "$(sed -n 's/^skip reason=//p' "$facts" | sed 's/%20/ /g')"
        return
    fi
    is "$test, $what: status" "$status" 0 || sed 's/^/#   /' "$facts" "$TAP_TMP/stderr"
    [ "$test" = boot-time ] || check "$test, $what: it was seen" test "${peak:-0}" -gt 0 # that one has ended before one looks
    check "$test, $what: ${peak:-no} KiB within the $limit of mem_kb" test "${peak:-999999999}" -le "${limit:-0}"
}

# What makes a test short; none of it is a size.
words() {
    case $1 in
    disk-rand | disk-bonnie) echo "reps=1" ;;
    disk-threads) echo "random_ms=50 random_ops=400" ;;
    disk-fsync | sched-wake) ;;
    disk-tree) echo "reps=1" ;;
    sched-storm) echo "count=100" ;;
    boot-* | fault) ;;
    nfs-patterns) echo "on=scratch reps=1" ;;
    nfs-bulk) echo "reps=1" ;;
    *) echo "reps=1 warm=0" ;;
    esac
}
for test in $("$suite"); do
    [ "$test" != nfs-bulk ] || ! grep -qw nfs /proc/filesystems || continue # it would wait for the server
    # shellcheck disable=SC2046 # a list
    fits "$test" "$(stated "tests/suite/$test.test" test)" "as in smoke" $(words "$test")
done
for profile in full mem; do
    is "mem-copy in $profile: the bytes that are looked at here" "$(sed -n '/^.test mem-copy/,/^$/s/^bytes *= *//p' tests/suite/$profile.profile)" 64M
    fits mem-copy "$(stated tests/suite/$profile.profile 'test mem-copy')" "as in $profile" bytes=67108864 passes=1 reps=1 warm=0
done
fits sched-messaging "$(stated tests/suite/sched-messaging.test test)" "as in full" groups=2 senders=20 receivers=20 messages=200 reps=1 warm=0
fits disk-rand "$(stated tests/suite/disk-rand.test test)" "by many" depth=16 reps=1 size_bytes=1048576 time_ms=50
fits disk-threads "$(stated tests/suite/disk-threads.test test)" "by eight" workers=8 size_bytes=1048576 random_ms=50 random_ops=400
is "nothing left" "$(ls -A "$scratch")" ""
tap_done
