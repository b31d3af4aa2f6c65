#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# sweep run against a simulated box: whole, over a bad line, over NFS and HTTP; wrong kernel, panic, a second hello.
. tests/lib/tap.sh
. tests/station/run.sh
sim_lab

sim_sweep whole 2
sim_start whole
run timeout 60 "$KDYNO" sweep run whole
is "a whole sweep" "$status" 0 || diag "$out" "$err"
like "says so" "$out" '5 of 5 boots complete, 0 tries did not count'
check "every boot once, every record" tests/lib/prove-sweep "$KDYNO_LAB" whole
check "nothing runs on" nothing_runs
like "the last control word is hold" "$(tail -n 1 "$KDYNO_LAB/sweeps/whole/journal")" 'control word=hold'
cp -r "$KDYNO_LAB/sweeps/whole" "$TAP_TMP/before"
run timeout 60 "$KDYNO" sweep run whole
is "again: nothing to do" "$status" 0
check "and nothing done" cmp "$TAP_TMP/before/records.jsonl" "$KDYNO_LAB/sweeps/whole/records.jsonl"
sim_end

sim_sweep bad-line 1
sim_start bad-line lose=20 kernel=1 tests=40
run timeout 100 "$KDYNO" sweep run bad-line
is "0.2 % of all bytes lost, kernel lines in records" "$status" 0 || diag "$out" "$err"
check "nothing is missing" tests/lib/prove-sweep "$KDYNO_LAB" bad-line
check "because it was asked for again" grep -q 'answered: .* again what=' "$KDYNO_LAB/sweeps/bad-line/console-sim.log"
sim_end

sim_sweep both 1
sim_start both nfs=1 lose=10 tests=40
run timeout 60 "$KDYNO" sweep run both
is "serial and NFS" "$status" 0 || diag "$out" "$err"
check "nothing is missing" tests/lib/prove-sweep "$KDYNO_LAB" both
check "some came both ways" grep -q '"ch":"both"' "$KDYNO_LAB/sweeps/both/records.jsonl"
sim_end

sim_sweep by-http 1
sim_start by-http network=http nfs=1
run timeout 60 "$KDYNO" sweep run by-http
is "questions by HTTP" "$status" 0 || diag "$out" "$err"
check "nothing is missing" tests/lib/prove-sweep "$KDYNO_LAB" by-http
sim_end

for what in wrong panic second; do
    sim_sweep "$what" 1
    sim_start "$what" $what=2
    run timeout 60 "$KDYNO" sweep run "$what"
    is "$what at line 2: the boot is tried again" "$status" 0 || diag "$out" "$err"
    check "and counts once" tests/lib/prove-sweep "$KDYNO_LAB" "$what" --allow-repeats
    case $what in
    wrong) check "wrong-kernel, void" journal_has wrong 'line=2 .*state=void' ;;
    panic)
        check "failed:panic" journal_has panic 'line=2 .*state=failed .*name=panic'
        check "what it said before is kept" grep -q '"line":2,.*"kind":"begin"' "$KDYNO_LAB/sweeps/panic/records.jsonl"
        like "and counts as no boot" "$("$KDYNO" compare panic)" '\(1 boot\) against .* \(1 boot\)'
        like "but as a failure" "$("$KDYNO" compare panic)" '1 try of .* failed \(panic\) and was repeated'
        ;;
    second) check "void: second-hello" journal_has second 'line=2 .*state=void .*why=second-hello' ;;
    esac
    unlike "nothing of line 2 is in the store" "$(grep '"line":2,' "$KDYNO_LAB/sweeps/$what/records.jsonl" | grep -v '"line":2.,')" '"kind":"bye"'
    sim_end
done
tap_done
