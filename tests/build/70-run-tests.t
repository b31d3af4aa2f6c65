#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
#
# The summariser of the tests on tests that pass, fail, die, come late or lie about their number.
. tests/lib/tap.sh
summary() { # FILE TEXT...: runs one script of that text; its last line in $last
    f=$TAP_TMP/$1.t
    shift
    printf '%s\n' "$@" >"$f"
    run env BUILD="$TAP_TMP/build" perl tests/lib/run-tests "$f"
    last=$(printf '%s\n' "$out" | tail -n 1)
}
summary good 'echo 1..3' 'echo ok 1 - a' 'echo ok 2 - b' 'echo "ok 3 - c # SKIP no"'
is "good: exit code" "$status" 0
is "good: last line" "$last" "2 passed, 0 failed, 1 skipped"
summary bad 'echo 1..2' 'echo not ok 1 - a' 'echo "# why"' 'echo ok 2 - b' 'exit 1'
is "failed assertion: exit code" "$status" 1
is "failed assertion: last line" "$last" "1 passed, 1 failed"
like "failed assertion: its diagnostics are shown" "$out" '# why'
summary short 'echo 1..3' 'echo ok 1'
is "fewer than planned: the rest has failed" "$last" "1 passed, 2 failed"
summary dies 'echo 1..1' 'echo ok 1' 'kill -9 $$'
is "dies: is a failure" "$last" "1 passed, 1 failed"
summary unplanned 'echo ok 1'
is "no plan: is a failure" "$last" "1 passed, 1 failed"
summary silent 'exit 0'
is "no output: is a failure" "$last" "0 passed, 1 failed"
summary late '# timeout: 1' 'echo 1..1' 'echo ok 1' 'sleep 321 & echo $! >"$BUILD/pid"' 'sleep 60'
is "late: is a failure" "$last" "1 passed, 1 failed"
check "late: its children are ended" sh -c '! kill -0 "$(cat "$1")" 2>/dev/null' sh "$TAP_TMP/build/pid"
summary skipped 'echo "1..0 # SKIP no QEMU"'
is "skipped whole: is no failure" "$last" "0 passed, 0 failed, 1 skipped"
run env BUILD="$TAP_TMP/build" perl tests/lib/run-tests
is "no test at all: exit code" "$status" 1
tap_done
