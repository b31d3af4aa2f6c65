#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# Trouble with kexec, each kind recognised, recorded, and followed by the next boot: a load that is refused, a jump that comes back, a kernel that falls
# over into home, which looks like success. A subject that always fails is quarantined: the sweep goes on, and show and compare say so.
. tests/lib/tap.sh
. tests/station/run.sh
command -v jq >/dev/null || bail "jq is missing"
sim_lab
BAD=6.12.0-b/default

# sweep ID ROUNDS EXIT [NAME=VALUE]...: made, run, and its journal in $journal
sweep() {
    sim_sweep "$1" "$2"
    id=$1 want=$3
    shift 3
    sim_start "$id" tests=1 "$@"
    run "$KDYNO" sweep run "$id"
    is "sweep run $id: exit $want" "$status" "$want" || diag "$out" "$err"
    sim_end
    journal=$(cat "$KDYNO_LAB/sweeps/$id/journal")
}
# marks LINE: the states of a line, in order
marks() { echo "$journal" | sed -n "s/^try line=$1 tag=[0-9a-f]* state=\([a-z-]*\) by=station at=[0-9]*\( name=\([a-z-]*\)\)\{0,1\}.*/\1 \3/p" | xargs; }
# line_of N BOOT: the Nth line of a boot
line_of() { sed -n "s/^try line=\([0-9]*\) .* boot=$2 .*/\1/p" "$KDYNO_LAB/sweeps/$id/schedule" | sed -n "$1p"; }

# ---- once each: the boot is repeated and complete, none of it counts twice
sweep load 1 0 load=2
is "a load that is refused" "$(marks 2)" "go failed load"
is "and its next try" "$(marks "$(line_of 2 2)")" "go start hello complete"
sweep back 1 0 back=2
is "a jump that comes back" "$(marks 2)" "go start failed jump"
is "and its next try" "$(marks "$(line_of 2 2)")" "go start hello complete"
sweep wrong 1 0 wrong=2
is "another kernel came up" "$(marks 2)" "go start failed wrong-kernel void"
is "and its next try" "$(marks "$(line_of 2 2)")" "go start hello complete"
sweep triple 2 0 triple=2
is "a kernel that falls over into home is not-run" "$(marks 2)" "go start not-run"
is "and its next try" "$(marks "$(line_of 2 2)")" "go start hello complete"
check "sweep new firmware" "$KDYNO" sweep new triple-fw --box sim --kernels 6.1.0-a,6.12.0-b --rounds 1 --seed 1 --tests boot-time --switch firmware
id=triple-fw
sim_start $id tests=1 triple=2 uptime=5
run "$KDYNO" sweep run $id
is "with switch=firmware too" "$status" 0 || diag "$out" "$err"
sim_end
journal=$(cat "$KDYNO_LAB/sweeps/$id/journal")
is "at its first line the entry was home's again" "$(marks 2)" "go start not-run"
is "and its next try" "$(marks "$(line_of 2 2)")" "go start hello complete"

# ---- one that always falls over: twice not-run a boot, then no-hello; then it is quarantined
sweep fall 3 1 fall=$BAD
like "not-run" "$journal" 'state=not-run'
like "then no-hello" "$journal" 'state=failed .* name=no-hello'
is "the first boot of it: two not-run, then failed" "$(for n in 1 2 3; do marks "$(line_of $n 1)"; done | xargs)" \
    "go start not-run go start not-run go start failed no-hello"
is "every boot of the other is complete" "$(echo "$journal" | grep -c 'state=complete')" 3

# ---- one whose load is always refused
sweep refuse 6 1 refuse=$BAD
is "three tries" "$(echo "$journal" | grep -c 'state=failed .* name=load')" 3
is "every boot of the other is complete" "$(echo "$journal" | grep -c 'state=complete')" 6
like "it is said" "$out" "line [0-9]+ $BAD .*quarantined: 3 tries of this subject failed in a row; the sweep goes on with the others"
run "$KDYNO" show refuse
is "show" "$status" 0
like "ended" "$out" '^sweep refuse on sim: ended, 6 of 13 boots done, 7 given up'
like "a failed try" "$out" "$BAD .*failed:load"
like "one that will not run" "$out" "$BAD .*quarantined"
unlike "and is not to come" "$out" "$BAD .*planned"
is "the same as JSON" "$("$KDYNO" show refuse --json | jq -r ".tries[] | select(.subject == \"$BAD\") | .state" | sort -u | xargs)" "failed quarantined"
for base in 6.1.0-a 6.12.0-b; do
    run "$KDYNO" compare refuse --base $base
    is "compare --base $base: an answer" "$status" 0
    like "failed, with numbers of neither" "$out" "FAILED: 6 of 6 boots of $BAD lost: load \\([23] tries failed; quarantined\\)"
    like "every primary" "$out" "^  failed +boot-time +init .*no complete boot of $BAD: load"
    unlike "never a change" "$out" '-100'
done
"$KDYNO" compare refuse --json >"$TAP_TMP/json"
is "JSON: the verdict" "$(jq -c '.pairs[].rows[] | select(.primary) | [.verdict, .ratio, .ci[0]]' "$TAP_TMP/json")" '["failed",null,null]'
is "JSON: no change without a verdict" "$(jq -r '[.. | .ratio? // empty] | length' "$TAP_TMP/json")" 0
is "JSON: the subject" "$(jq -c '.subjects[1] | [.id, .complete, .lost, .failure, .quarantined]' "$TAP_TMP/json")" "[\"$BAD\",0,6,\"load\",true]"

# ---- both fail: nothing was measured, and compare says that in place of nothing
check "sweep new both" "$KDYNO" sweep new both --box sim --kernels 6.12.0-b --variants a,b --rounds 2 --seed 1 --tests boot-time
sim_start both tests=1 refuse=6.12.0-b/a,6.12.0-b/b
run "$KDYNO" sweep run both
is "sweep run: exit 1" "$status" 1
sim_end
run "$KDYNO" compare both
is "compare: an answer" "$status" 0
like "that says so of both" "$out" 'FAILED: 2 of 2 boots of 6\.12\.0-b/b lost.*FAILED: 2 of 2 boots of 6\.12\.0-b/a lost|FAILED: 2 of 2 boots of 6\.12\.0-b/a lost.*FAILED: 2 of 2 boots of 6\.12\.0-b/b lost'
tap_done
