#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# timeout: 300
# kdyno rehearse and sweep prove as far as they go without a machine: the list of faults, bad input, a sweep that holds, and one whose files have
# been spoilt.
. tests/lib/tap.sh
. tests/station/run.sh

# ---- the list, and what is wrong with a command line

run "$KDYNO" rehearse --list
is "the list wants no lab" "$status" 0
for fault in panic oops hardlockup softlockup hungtask segv oom rundie forkbomb diskfull noinit power-go power-start power-hello power-bye nfsstop \
    nfsrestart nfsgone dhcp home-cut kernel-cut image-cut kernel-swap line flood station-hello clock; do
    like "it has $fault" "$out" "^$fault "
done
"$KDYNO" rehearse --list --json >"$TAP_TMP/json"
is "as JSON it has as many" "$(perl -MJSON::PP -0777 -ne 'print scalar @{decode_json($_)}' "$TAP_TMP/json")" \
    "$(($(printf '%s\n' "$out" | wc -l) - 1))"

# wrong STATUS PATTERN ARGS...: one line that says what is wrong
wrong() {
    want=$1 pattern=$2
    shift 2
    run "$KDYNO" rehearse "$@"
    is "rehearse $*: exit $want" "$status" "$want"
    one_line "rehearse $*: one line" "$err"
    like "rehearse $*: says what" "$err" "$pattern"
}
wrong 2 "no fault 'panik'; did you mean 'panic'" --faults panik
wrong 2 '/nowhere: No such file' --line /nowhere
wrong 2 "twice" --faults panic,panic
wrong 2 "no words" panic
wrong 2 "did you mean --faults" --fault panic
wrong 1 "no lab at" --faults panic
sim_lab
wrong 1 "is no QEMU twin" --faults panic --box sim
wrong 1 "no kernel '6.9'" --faults panic --kernel 6.9
wrong 2 "home is never a subject" --faults panic --kernel home

# ---- a sweep that holds

sim_sweep proven 2
sim_start proven panic=3 nfs=1 kernel=1 boot_ms=100 tests=20 seed=3
run timeout 120 "$KDYNO" sweep run proven
is "the sweep ends" "$status" 0 || diag "$out" "$err"
run "$KDYNO" sweep prove proven
is "nothing is wrong with it" "$status" 0 || diag "$out"
like "it counts what it saw" "$out" '^boots=5 complete=5 given-up=0 tries=[0-9]+ failed=[0-9]+ void=[0-9]+ records=[0-9]+ gaps=0 torn=0 wrong=0$'
check "the independent proof says the same" tests/lib/prove-sweep "$KDYNO_LAB" proven --allow-repeats

# ---- and one whose files have been spoilt

dir=$KDYNO_LAB/sweeps/proven
cp -r "$dir" "$TAP_TMP/good"
# spoilt WHAT PATTERN: after the change it is found; then all is as it was
spoilt() {
    run "$KDYNO" sweep prove proven
    is "$1: exit 1" "$status" 1
    like "$1: is found" "$out" "$2"
    cp "$TAP_TMP/good/records.jsonl" "$TAP_TMP/good/journal" "$TAP_TMP/good/schedule" "$dir/"
}
last=$(grep '"kind":"metric"' "$dir/records.jsonl" | tail -n 1)
printf '%s\n' "$last" >>"$dir/records.jsonl"
spoilt "a record twice" "stands twice in the store"
grep -Fvx -- "$last" "$TAP_TMP/good/records.jsonl" >"$dir/records.jsonl"
spoilt "a record that is missing" "neither there nor a gap"
grep state=start "$dir/journal" | tail -n 1 >"$TAP_TMP/line"
cat "$TAP_TMP/line" >>"$dir/journal"
spoilt "a line started twice" "was started twice"
entry=$(grep -o 'line=[0-9]* tag=[0-9a-f]* state=complete' "$TAP_TMP/good/journal" | tail -n 1)
grep -v "$entry" "$TAP_TMP/good/journal" >"$dir/journal"
spoilt "a boot without a verdict" "has no verdict"
grep -v 'word=hold' "$TAP_TMP/good/journal" >"$dir/journal"
spoilt "a station that did not say hold" "not hold"
run "$KDYNO" sweep prove nothing
is "no such sweep" "$status" 1
one_line "in one line" "$err"
check "nothing runs on" nothing_runs

# ---- the page that is made of it

fault() { printf '{"name":"%s","about":"x|y","allowed":"complete not-run","verdict":"%s","seen":"complete","evidence":"3 records","why":"","seconds":1.6}' "$1" "$2"; }
page() {
    printf '{"kernel":"6.1","box":"b","seed":7,"boots":3,"complete":2,"given_up":1,"records":40,"wrongs":0,"wrong":[],"faults":[%s,%s]}' \
        "$(fault panic ok)" "$(fault oops "$1")" >"$TAP_TMP/run.json"
    run perl tests/lib/reliability-report "$TAP_TMP/run.json"
}
page WRONG
is "the page of a run that is whole" "$status" 0
like "a row a fault" "$out" '^\| `panic` \| x\\\|y \| complete \| complete, not-run \| 3 records \| 2 \| ok \|$'
like "what went wrong stands in it" "$out" '^\| `oops` .*WRONG \|$'
like "with kernel and seed" "$out" 'kernel 6.1,.* seed 7\.'
page "not done"
is "a fault that was not done makes it a failure" "$status" 1
tap_done
