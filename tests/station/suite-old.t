#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# timeout: 400
#
# Every program of the suite measures under a kernel that answers ENOSYS to each system call which Linux 2.4.0 lacked (tests/lib/old-kernel.c). The list
# is the suite's own: a new test is covered by itself, with its defaults, or with small parameters named below. A skip must stand in the table of those
# that are due here.
. tests/lib/tap.sh
. tests/station/suite.sh
old=$(cd "$BUILD" && pwd)/tests/old-kernel
[ -x "$old" ] || bail "no $old"
"$old" 99.0 /bin/true 2>/dev/null || skip_all "no seccomp or ptrace here: $("$old" 99.0 /bin/true 2>&1)"

# ---- the filter itself

"$old" 2.4.0 /bin/true 2>/dev/null
is "a program that needs openat does not even start" "$?" 127
"$old" 9.0 /bin/true
is "and does under a kernel that has all" "$?" 0
"$old" 2.4 /nowhere 2>/dev/null
is "no such program" "$?" 127
"$old" new /bin/true 2>/dev/null
is "no such version" "$?" 125
"$old" 2.4.0 "$suite" cpu-parallel time_ms=30 reps=1 3>"$facts"
like "the clock is gettimeofday: whole microseconds" "$(sed -n 's/^metric name=one .* ns=//p' "$facts")" '^[1-9][0-9]*000$'

# ---- all tests

as_on_a_box old

# What makes a test short, or lets it run at all here.
words() {
    case $1 in
    cpu-parallel) echo "time_ms=100 reps=1" ;;
    disk-tree) echo "scale=64 reps=1" ;;
    mem-*) echo "reps=2" ;;
    net-udp) echo "bytes=500000 reps=1" ;;
    *) grep -q '^reps *=' "tests/suite/$1.test" 2>/dev/null && echo "reps=1 warm=0" ;;
    esac
}
# Why a test skips on this machine: a pattern of its reason.
due() {
    case $1 in
    fault) echo "^no kdfault" ;;
    boot-initcalls) echo "no initcall_debug" ;;
    nfs-*) echo "^neither v3 nor v4|^KD_NFSTEST is not set|No such device" ;;
    esac
}
for test in $("$suite"); do
    case $test in
    net-rpc)
        KD_NFSTEST=127.0.0.1:$(cat "$TAP_TMP/rpc"),1:/kd/test
        export KD_NFSTEST
        ;;
    *) # a machine that has NFS would wait for the server
        export KD_NFSTEST=127.0.0.1:1,1:/kd/test
        grep -qw nfs /proc/filesystems && unset KD_NFSTEST
        ;;
    esac
    # shellcheck disable=SC2046
    timeout 100 "$old" 2.4.0 "$suite" "$test" $(words "$test") 3>"$facts" >"$TAP_TMP/stdout" 2>"$TAP_TMP/stderr" </dev/null
    status=$?
    if [ -n "$(due "$test")" ]; then
        reason=$(sed -n 's/^skip reason=//p' "$facts" | sed 's/%20/ /g')
        is "$test on 2.4.0: it is due that it skips" "$status" 4
        like "$test: and why" "$reason" "$(due "$test")"
        continue
    fi
    is "$test on 2.4.0" "$status" 0 || sed 's/^/#   /' "$facts" "$TAP_TMP/stderr"
    check "$test: its facts" tests/station/suite-facts "tests/suite/$test.test" "$facts" pass
done
empty "all tests"
tap_done
