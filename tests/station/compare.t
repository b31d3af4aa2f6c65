#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# timeout: 120
#
# kdyno compare, on labs made from descriptions (tests/lib/fake-lab): a line a pair, verdicts, failures, notes; JSON has all that the text has.
. tests/lib/tap.sh

[ -x "$BUILD/kdyno" ] || skip_all "no $BUILD/kdyno"
export KDYNO_SHARE="$TAP_TOP" KDYNO_LAB="$TAP_TMP/lab" TZ=UTC
kdyno=$BUILD/kdyno
json() { printf '%s\n' "$out" | tests/lib/json-get "$@"; }
for lab in demo rough report-c started alone half skips armed unarmed tls; do
    tests/lib/fake-lab "$KDYNO_LAB" <"tests/fixtures/labs/$lab" || bail "fake-lab $lab"
done

# ---- kinds of thread-local storage
run "$kdyno" compare tls
is "tls: status" "$status" 0
like "tls: processes are not compared, and why" "$out" '^  skipped +sched-fork .*not comparable: thread-local storage is kept by gdt in 6\.1/smp, by ldt in 2\.4\.24/smp'
unlike "tls: no verdict and no ratio of them" "$out" '^  (regression|improvement).* sched-fork|sched-fork.*[-+][0-9.]+ %'
like "tls: the rest is compared" "$out" '^  no-change +cpu-parallel '
like "tls: a warning" "$out" '^  warning +tls: gdt in 6\.1/smp, ldt in 2\.4\.24/smp; creating processes'
run "$kdyno" compare tls --json
like "tls: JSON says why" "$(json pairs 0 rows | tr '\n' ' ')" 'not comparable: thread-local'
sed 's/tls=ldt/tls=ldt crashkernel= machine=/; s/tls=gdt/tls=gdt crashkernel=0 machine=PC/; s/^sweep tls/sweep quiet/' tests/fixtures/labs/tls | tests/lib/fake-lab "$KDYNO_LAB"
run "$kdyno" compare quiet
like "what a kernel does not tell is no difference that refuses" "$out" '^  no-change +cpu-parallel '
unlike "and nothing is refused" "$out" 'REFUSED'
sed 's/tls=ldt/tls=gdt/; s/^sweep tls/sweep alike/' tests/fixtures/labs/tls | tests/lib/fake-lab "$KDYNO_LAB"
run "$kdyno" compare alike
like "tls: alike, they are compared" "$out" '^  (regression|probable-regression) +sched-fork '

# ---- two kernels
run "$kdyno" compare demo
is "demo: status" "$status" 0
like "demo: the design" "$out" '^sweep demo on twin, suite smoke: 2 subjects in 6 random rounds \(seed 42\), 1 boot discarded by design$'
like "demo: threshold and where it is from" "$out" 'base 6\.1/smp; alpha 0\.05, threshold 3\.0 % \(no A/A on this box\)'
like "demo: the line: slower" "$out" '^6\.12/smp against 6\.1/smp: slower at sched-messaging \(-13\.0 %, CI -13\.9 \.\. -12\.2 %\);'
like "demo: the line: faster" "$out" '; faster at net-tcp \(\+10\.3 %, CI \+8\.9 \.\. \+11\.7 %\);'
like "demo: the line: the rest" "$out" '; inconclusive: disk-seq \(617 more boots each\); no change: boot-time, cpu-parallel$'
like "demo: a regression" "$out" '^  regression +sched-messaging +msgs +6\+6 +250 k/s +217 k/s +-13\.0 % +-13\.9 \.\. -12\.2 % +95\.9 % +\.0022 +\.0108 +slower$'
like "demo: no change prints what would have been seen" "$out" '^  no-change +boot-time .* within 3\.0 %; would have seen 0\.6 %$'
like "demo: inconclusive says how many" "$out" '^  inconclusive +disk-seq .* about 617 more boots each; would have seen 49\.2 %$'
like "demo: exploratory ones have no verdict" "$out" '^  cpu-parallel +one +higher +6\+6 '
like "demo: what else differed" "$out" '^  fact +mitigations: off in 6\.1/smp, auto in 6\.12/smp$'
unlike "demo: what differs by less than a tenth is no note" "$out" 'clock_ns|mem_kb'
like "demo: more boots means a new sweep" "$out" '^More boots means a new sweep'
is "demo: nothing but ASCII" "$(printf '%s' "$out" | tr -d '\n' | LC_ALL=C tr -d ' -~' | wc -c)" 0

run "$kdyno" compare demo --json
is "JSON: verdict" "$(json pairs 0 rows 0 verdict)" regression
is "JSON: base units" "$(json pairs 0 rows 0 base median) $(json pairs 0 rows 0 unit)" "249688.279301746 count/s"
is "JSON: n, p" "$(json pairs 0 rows 0 base n) $(json pairs 0 rows 0 p_method) $(json pairs 0 family)" "6 exact 5"
is "JSON: six values a side" "$(json pairs 0 rows 0 subject values '#')" 6
is "JSON: the design" "$(json seed) $(json rounds) $(json discarded) $(json threshold) $(json alpha)" "42 6 1 0.03 0.05"
is "JSON: more boots" "$(json pairs 0 rows test=disk-seq more_boots_each)" 617
is "JSON: exploratory rows have no verdict" "$(json pairs 0 rows metric=one verdict || echo none)" none
is "JSON: notes" "$(json pairs 0 notes about=mitigations weight)" fact
is "JSON: the line" "$(json pairs 0 summary | cut -c1-42)" "6.12/smp against 6.1/smp: slower at sched-"

run "$kdyno" compare demo --base 6.12/smp
like "swapped: the words are swapped" "$out" '^6\.1/smp against 6\.12/smp: slower at net-tcp \(.*; faster at sched-messaging'
run "$kdyno" compare demo --base 6.12
like "a kernel alone names its only subject" "$out" '^6\.1/smp against 6\.12/smp: '
run "$kdyno" compare demo --threshold 20
like "threshold: as given" "$out" 'threshold 20\.0 % \(as given\)'
like "threshold: within it, though proven" "$out" '^  no-change +sched-messaging .* within 20\.0 %, though a difference is proven'
run "$kdyno" compare demo --alpha .01
like "alpha: six boots do not reach .01 over five metrics" "$out" '^  inconclusive +sched-messaging .* too few runs: 1 more each$'

# ---- too few is never the same
run "$kdyno" compare report-c
like "report C: the line" "$out" ': inconclusive: boot-time \(x3\.23, a large effect, too few runs: 2 more each\)$'
like "report C: the row" "$out" '2\+3 +73\.5 s +237 s +x3\.23 +x2\.09 \.\. x4\.06 +80\.0 % +\.200 +\.200 +large effect, too few runs: 2 more each$'
unlike "report C: never the same" "$out" 'no.change'

run "$kdyno" compare half
like "half: not a failure yet" "$out" '^  inconclusive +cpu-parallel .* 1\+0 .* no boot of 6\.12/smp is complete yet$'
like "half: a skip on one side neither" "$out" '^  inconclusive +net-tcp .* no boot of 6\.12/smp is complete yet$'
like "half: what is still to come" "$out" '^  warning  still to come: 6 of 6 boots of 6\.12/smp$'
unlike "half: no notes about a side that has no boots" "$out" 'unknown'

run "$kdyno" compare skips
like "skips: fewer values" "$out" ' disk-seq +write +4\+6 '
like "skips: and why" "$out" '^  warning  disk-seq: skipped in 2 of 6 boots of 6\.1/smp: no disk with a mark$'
unlike "skips: not of the other side" "$out" 'skipped in .* of 6\.12/smp'

# ---- failures
run "$kdyno" compare rough
is "rough: status" "$status" 0
like "rough: a hang ranks first" "$out" '^6\.12/smp against 6\.1/smp: FAILED: 1 of 6 boots of 6\.12/smp lost: hang \(3 tries failed\); FAILED: net-tcp \(crash in 1 of 5'
like "rough: up is slower on two CPUs' work" "$out" '^6\.1/up against 6\.1/smp: worse at cpu-parallel \(x0\.500, CI x0\.499 \.\. x0\.501\)'
like "rough: skipped on both sides" "$out" '^  skipped +net-tcp .* no peer$'
unlike "rough: a failure is no number" "$out" '-100'
like "rough: CPU count of another variant is a fact" "$out" '^  fact +cpus: 2 in 6\.1/smp, 1 in 6\.1/up'
like "rough: another clock is a warning" "$out" '^  warning  clocksource: tsc in 6\.1/smp, hpet in 6\.12/smp'
like "rough: another start is left out" "$out" '^  warning  left out: 1 of 12 boots, which were not started by chain$'
like "rough: a try that was repeated" "$out" '^  warning  1 try of 6\.1/up failed \(panic\) and was repeated$'
like "rough: values not taken" "$out" '^  warning  sched-messaging msgs: 2 values of 6\.1/up not taken'
like "rough: torn tests" "$out" '^  warning  cpu-parallel: records missing or differing in 2 boots of 6\.1/smp'
like "rough: damaged lines" "$err" 'damaged lines left out: 1$'
run "$kdyno" compare rough --json
is "rough: JSON: failed first" "$(json pairs 1 rows 0 verdict) $(json pairs 1 notes 0 weight)" "failed failure"
is "rough: JSON: reason" "$(json pairs 1 rows 0 reason)" "crash in 1 of 5 boots of 6.12/smp: signal 11"
is "rough: JSON: no number for a failure" "$(json pairs 1 rows 0 ratio)" null

# ---- a crash kernel
run "$kdyno" compare armed
like "armed: what loading it took, without a verdict" "$out" '^  crash-kernel +arm +lower +6\+6 +52\.5 ms +62\.5 ms +\+1'
unlike "armed: nothing is refused" "$out" 'REFUSED|crash_armed'
run "$kdyno" compare demo
unlike "no crash kernel, no such metric" "$out" 'crash-kernel'
run "$kdyno" compare unarmed
is "unarmed: status" "$status" 0
like "unarmed: one boot without it, and what to do" "$out" \
    '^6\.12/smp against 6\.1/smp: REFUSED: crash_armed: yes in 6\.1/smp, yes \(5\), no \(1\) in 6\.12/smp; .*\(--armed\), or sweep without crash_kernel$'
like "unarmed: a side without it" "$out" '^6\.6/smp against 6\.1/smp: REFUSED: crash_armed: yes in 6\.1/smp, no in 6\.6/smp; '
run "$kdyno" compare unarmed --armed
like "--armed: the others count" "$out" '^  no-change +cpu-parallel +speedup +6\+5 '
like "--armed: and what was left out is said" "$out" '^  warning  left out: 1 of 12 boots, which had no crash kernel loaded$'
like "--armed: none to count" "$out" '^6\.6/smp against 6\.1/smp: REFUSED: no boot of 6\.6/smp has a crash kernel loaded \(kdyno show unarmed --metrics'
run "$kdyno" compare unarmed --armed --json
is "--armed: JSON" "$(json armed) $(json pairs 0 rows 0 subject values '#') $(json pairs 1 refused)" "true 5 true"

# ---- bad input
bad() { # DESCRIPTION STATUS PATTERN WORD...
    bad_what=$1 bad_status=$2 bad_like=$3
    shift 3
    run "$kdyno" compare "$@"
    is "$bad_what: status" "$status" "$bad_status"
    one_line "$bad_what: one line" "$err"
    like "$bad_what: names it" "$err" "$bad_like"
    is "$bad_what: nothing else said" "$out" ""
}
bad "no sweep named" 2 "one SWEEP"
bad "unknown sweep" 1 "no sweep 'demoo'.*demo" demoo
bad "unknown subject" 2 "6\.13/smp.*did you mean 6\.1" demo --base 6.13/smp
bad "kernel of several subjects" 2 "several subjects" rough --base 6.1
bad "one subject" 1 "one subject, nothing to compare" alone
bad "no records" 1 "no records yet: run it \(kdyno sweep run started\)" started
bad "--armed, no crash kernel" 1 "no crash kernel" demo --armed
bad "alpha" 2 "number between" demo --alpha 2
bad "threshold" 2 "number between" demo --threshold lots
bad "unknown option" 2 "did you mean --threshold" demo --treshold 3
: >"$KDYNO_LAB/sweeps/demo/records.jsonl"
bad "empty store" 1 "no records yet" demo
check "help" "$kdyno" compare --help
tap_done
