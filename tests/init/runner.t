#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# What PID 1 does with a runner that ends, dies, hangs, jumps or leaves orphans.
. tests/lib/tap.sh
. tests/init/namespace.sh

# Each runner notes how it was called; the second life resets.
life() {
    printf '%s\n' 'echo "${1:-first}${2:+ $2}" >>/out/lives' '[ "${1:-}" != --next ] || exit 43'
    cat
}

life <<'R' | runner
exit 3
R
boot
is "an exit that means nothing: --next, once" "$(has lives)" "first
--next exit-3"
is "then the reset" "$status" 129

life <<'R' | runner
kill -SEGV $$
R
boot
is "a crash: --next with the signal" "$(has lives)" "first
--next signal-11"

runner <<'R'
echo "${1:-first}" >>/out/lives
exit 1
R
boot
is "a --next that dies too is not started again" "$(has lives)" "first
--next"
is "but the machine is reset" "$status" 129

like "and the station is told, past the log level" "$(cat "$TAP_TMP/console")" '^kd-init: no runner left \(exit-1\): reset'

runner <<'R'
if [ "${1:-}" != --next ]; then
    (trap '' TERM; while :; do sleep 0.1; done) &
    setsid sleep 60 &
    sleep 0.2
    kill -SEGV $$
fi
echo "$2 $(cat /proc/[0-9]*/comm 2>/dev/null | grep -c sleep)" >>/out/lives
exit 43
R
boot
is "what a dead runner has started is ended before the next one" "$(has lives)" "signal-11 0"

rm "$TAP_TMP/runner"
boot
is "no runner at all: a reset" "$status" 129
like "and a word about it" "$(cat "$TAP_TMP/console")" 'the runner ended: exit-127'

life <<'R' | runner
trap 'echo term >>/out/lives; exit 0' TERM
(trap '' TERM; sleep 60) &
echo promise 300 >&3
while :; do sleep 0.1; done
R
boot
is "a promise that is not kept: TERM, then --next" "$(has lives)" "first
term
--next promise"

life <<'R' | runner
for i in 1 2 3 4 5 6; do echo promise 400 >&3; sleep 0.2; done
echo nonsense >&3
echo kept >>/out/lives
exit 43
R
boot
is "promises that are renewed are kept" "$(has lives)" "first
kept"

life <<'R' | runner
printf 'jump 5\n' >&3
exit 42
R
boot
is "a jump that returns: --next jump-returned" "$(has lives)" "first
--next jump-returned"

life <<'R' | runner
for i in 1 2 3 4 5; do (sleep 0.1 & ) ; done
sleep 0.6
ls -d /proc/[0-9]* | while read -r p; do sed -n 's/^State:[[:space:]]*//p' "$p/status"; done 2>/dev/null | grep -c Z >>/out/zombies
exit 43
R
boot
is "orphans are reaped" "$(has zombies)" 0

life <<'R' | runner
kill -TERM 1; kill -INT 1; kill -HUP 1
sleep 0.2
echo alive >>/out/lives
exit 43
R
boot
is "no signal ends PID 1" "$(has lives)" "first
alive"
tap_done
