#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# timeout: 60
# Tests from elsewhere: `suite fact` by hand, and made records whose numbers stand in a JSON text.
. tests/lib/tap.sh
. tests/station/suite.sh

says() { # DESCRIPTION STATUS LINES ARG...
    what=$1 want=$2 lines=$3
    shift 3
    go fact "$@"
    is "$what: status" "$status" "$want"
    is "$what: what it says" "$(cat "$facts")" "$lines"
}
says "a rate" 0 "metric name=read v=1 ns=2" metric name=read v=1 ns=2
says "a fact" 0 "fact a=b%20c d=1" fact "a=b c" d=1
says "a phase" 0 "phase name=x quiet_ms=5" phase name=x quiet_ms=5
says "a skip" 4 "skip reason=no%20disk" skip "reason=no disk"
says "a fail" 1 "fail reason=bad" fail reason=bad
says "a note" 0 "note msg=hm" note msg=hm
says "no number" 2 "" metric name=read v=1e5
says "no time" 2 "" metric name=read v=1 ns=0
says "too much" 2 "" metric name=read v=1 ns=1 x=1
says "the runner's key" 2 "" fact test=x
says "too long" 2 "" fact "a=$(printf '%0200d' 0)"
says "no word" 2 "" metrik name=read v=1
like "no word: the nearest" "$(cat "$TAP_TMP/stderr")" "did you mean 'metric'"
printf '{ "a b" : 1,\n "c" : "\\" " }\n' >"$TAP_TMP/json"
says "JSON" 0 "fact text=j part=1/1 data=%7B%22a%20b%22:1,%22c%22:%22%5C%22%20%22%7D" json j "$TAP_TMP/json"
head -c 49153 /dev/zero | tr '\0' x >"$TAP_TMP/long"
says "a text too long" 1 "" text j "$TAP_TMP/long"
head -c 49152 "$TAP_TMP/long" >"$TAP_TMP/fits"
go fact text j "$TAP_TMP/fits"
is "the longest" "$status $(sed 's/.*data=//' "$facts" | tr -d '\n' | wc -c)" "0 49152"
printf 'a\0b' >"$TAP_TMP/nul"
says "a NUL" 1 "" text j "$TAP_TMP/nul"

# ---- made records
export KDYNO_SHARE="$TAP_TOP" KDYNO_LAB="$TAP_TMP/lab"
mkdir -p "$KDYNO_LAB"
tests/lib/fake-lab "$KDYNO_LAB" <<'END2' || bail "fake-lab"
sweep made rounds=3
subject 1/smp 2/smp
test fio
fact 1/smp fio text=fio part=1/2 data={'jobs':[{},{'read':{'bw_by
fact 1/smp fio text=fio part=2/2 data=tes':1000000}}]}
fact 2/smp fio text=fio part=1/1 data={'jobs':[{},{'read':{'bw_bytes':2000000}}]}
END2
sed -i "s/'/\\\\\"/g" "$KDYNO_LAB/sweeps/made/records.jsonl"
mkdir "$KDYNO_LAB/sweeps/made/tests"
cp tests/external/fio/fio.test "$KDYNO_LAB/sweeps/made/tests/"
run "$BUILD/kdyno" show made --metrics
is "show: status" "$status" 0 || diag "$err"
like "show: the number in the text" "$out" 'fio +read +\* .*1\.00? MB/s|fio +read +\* .*(976|977|1000|1\.0)'
like "show: what is not there is counted" "$out" '3 not taken'
run "$BUILD/kdyno" compare made
like "compare has it" "$out$err" 'fio'
tap_done
