#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# timeout: 300
# Boxes that go deaf, each in its way, at the same time (the limits are what takes long): silent, no-progress and deadline are three verdicts;
# evidence is kept; power is cut by cycle, by off and on, or by nobody; every boot is there once in the end.
. tests/lib/tap.sh
. tests/station/run.sh
sim_lab 10
pids=
# shellcheck disable=SC2317 # called by name
deaf_end() { for p in $pids; do kill "$p" 2>/dev/null; done; }
at_exit deaf_end

# deaf NAME OPTION: a box, a sweep and its run of that name; the sweep's output in NAME.out
deaf() {
    check "sweep new $1" "$KDYNO" sweep new "$1" --box "$1" --kernels 6.1.0-a,6.12.0-b --rounds 1 --seed 1 --profile smoke --tests boot-time ||
        bail "no sweep"
    tests/station/boxsim "$TAP_TMP/$1.sock" "$KDYNO_LAB" "$1" "$1" cycle="$TAP_TMP/cycle-$1" "$2" 2>"$TAP_TMP/$1.err" &
    pids="$pids $!"
    until [ -S "$TAP_TMP/$1.sock" ]; do sleep 0.05; done
    timeout 200 "$KDYNO" sweep run "$1" >"$TAP_TMP/$1.out" 2>&1 &
    eval "run_$1=$!"
}
power() { sed -i '/^\[power\]/,$d' "$KDYNO_LAB/boards/$1.ini" && cat >>"$KDYNO_LAB/boards/$1.ini"; }
# shellcheck disable=SC2317 # called by name
said() { grep -q "$2" "$TAP_TMP/$1.out"; }
powers() { sed -n 's/^power .* how=\([a-z]*\) .*/\1/p' "$KDYNO_LAB/sweeps/$1/journal" | tr '\n' ' '; }
# ended NAME: its sweep ends well, with every boot there once
ended() {
    eval "wait \$run_$1"
    is "$1: the sweep goes on to its end" $? 0 || diag "$(cat "$TAP_TMP/$1.out" "$TAP_TMP/$1.err")"
    check "$1: every boot counts once" tests/lib/prove-sweep "$KDYNO_LAB" "$1" --allow-repeats
}

for box in silent talk late onoff hand; do sim_board $box 10; done
power onoff <<END
[power]
cycle = exit 7
off = touch $TAP_TMP/is-off
on = test -e $TAP_TMP/is-off && touch $TAP_TMP/cycle-onoff
retries = 1
off_s = 0
END
power hand <<END
[power]
cycle = touch $TAP_TMP/cycle-hand
enabled = no
END
sed -i '/^type = socket/a sysrq = yes' "$KDYNO_LAB/boards/late.ini"
deaf silent silent=2
deaf talk talk=2
deaf late late=2
deaf onoff silent=2
deaf hand hang=2

# nobody cuts the power of a board that forbids it; a hand does, and what was never heard is not the subject's fault
check "enabled = no: said at the start" wait_for 30 said hand 'has \[power\] enabled = no: nothing is ever cut'
check "and when it is deaf" wait_for 60 said hand 'deaf (no hello after the jump).*needs a hand'
check "its start stays open" sh -c '! grep -q "line=2 .*state=\(not-run\|failed\)" "$1"' sh "$KDYNO_LAB/sweeps/hand/journal"
check "nothing was run" test ! -e "$TAP_TMP/cycle-hand"
touch "$TAP_TMP/cycle-hand"
ended hand
check "not-run, once it is back" journal_has hand 'line=2 .*state=not-run'
is "and no power line" "$(powers hand)" ""

ended silent
check "silent: failed, with the reason" journal_has silent 'line=2 .*state=failed .*name=silent why=silence'
is "power was cut once, which stands in the journal before" "$(powers silent)" "cycle "
check "the boot after it is discarded" journal_has silent 'line=3 .*state=void .*why=after-power-cycle'
ended onoff
is "where cycle fails twice: off and on" "$(powers onoff)" "cycle cycle off on "
like "and says so" "$(cat "$TAP_TMP/onoff.out")" 'the power command failed \(exit 7\): exit 7'
ended late
check "deadline: a test that talks past it" journal_has late 'line=2 .*state=failed .*name=deadline'
check "sysrq is wanted there, and a socket has no BREAK" said late 'no sysrq: there is no BREAK on this kind of console'
ended talk
check "no-progress: kernel text for ever" journal_has talk 'line=2 .*state=failed .*name=no-progress'
check "nothing runs on" nothing_runs

for name in silent late talk; do
    tag=$(sed -n 's/^try line=2 tag=\([0-9a-f]*\) .*/\1/p' "$KDYNO_LAB/sweeps/$name/schedule")
    case $name in late) why=deadline ;; talk) why=no-progress ;; *) why=silent ;; esac
    f=$KDYNO_LAB/sweeps/$name/evidence/$tag-$why.txt
    check "$name: evidence is kept" grep -q "kd1 $tag 0 .* hello " "$f"
    is "harmless on a terminal" "$(LC_ALL=C tr -d '\n\t -~' <"$f" | wc -c)" 0
    is "at most 128 KiB and a head" "$(($(wc -c <"$f") < 4 * 131072 + 400))" 1
    check "and nothing of what came after the power was cut" sh -c '! grep -q "role=home start=firmware reset=cold line=0.*" "$1" || ! tail -n 1 "$1" | grep -q role=home' sh "$f"
done
check "talk: with what the kernel said" grep -q 'something the \\x1b\[31mkernel says' "$f"
tap_done
