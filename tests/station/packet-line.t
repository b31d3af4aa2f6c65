#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# The cable that the tests of causes hang a twin on: carries every frame whole and in order, holds it for as long as it is told, loses what it is
# told to, and refuses settings that it cannot read.
. tests/lib/tap.sh
line=$TAP_TOP/$BUILD/tests/packet-line
mkdir "$TAP_TMP/c"
set_cable() { printf 'up delay_us=%s loss_ppm=%s\ndown delay_us=0 loss_ppm=0\n' "$1" "$2" >"$TAP_TMP/settings"; }
# shellcheck disable=SC2317 # by at_exit
cleanup() { [ -z "${pid:-}" ] || kill "$pid" 2>/dev/null; }
at_exit cleanup

set_cable 0 0
"$line" --seed 7 "$TAP_TMP/settings" "$TAP_TMP/c" >"$TAP_TMP/said" &
pid=$!
wait_for 10 test -S "$TAP_TMP/c/down-to"
run tests/lib/packet-ends "$TAP_TMP/c" up 3000
is "3000 frames come through whole and in order" "$out" "sent=3000 got=3000 wrong=0 early=0"
run tests/lib/packet-ends "$TAP_TMP/c" down 200
is "the other way too" "$out" "sent=200 got=200 wrong=0 early=0"

set_cable 50000 0
kill -HUP "$pid"
wait_for 10 grep -q 'up delay_us=50000' "$TAP_TMP/said"
run tests/lib/packet-ends "$TAP_TMP/c" up 50 50
is "none comes before its 50 ms are over" "$out" "sent=50 got=50 wrong=0 early=0"

set_cable 0 100000
kill -HUP "$pid"
wait_for 10 grep -q 'loss_ppm=100000' "$TAP_TMP/said"
run tests/lib/packet-ends "$TAP_TMP/c" up 2000
got=$(echo "$out" | sed -n 's/.*got=\([0-9]*\) wrong=0.*/\1/p')
check "a tenth is lost, about" [ "${got:-0}" -gt 1700 -a "${got:-0}" -lt 1900 ] || diag "$out"
kill -USR1 "$pid"
wait_for 10 grep -q "^up frames=.* lost=$((2000 - ${got:-0})) full=0" "$TAP_TMP/said"
is "and it says how many" "$?" 0 || diag "$(cat "$TAP_TMP/said")"

kill "$pid"
wait "$pid"
is "it ends well" "$?" 0
pid=""
echo 'sideways delay_us=1' >"$TAP_TMP/settings"
run "$line" "$TAP_TMP/settings" "$TAP_TMP/c"
check "bad settings are one line" [ "$status" = 1 -a "$(echo "$err" | wc -l)" = 1 ]
check "that names them" expr "$err" : ".*sideways"
tap_done
