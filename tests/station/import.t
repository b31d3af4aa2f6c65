#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# timeout: 120
#
# kdyno import and the findings of kdyno compare: the three field reports, in the layouts of their tools, come out with their numbers and with what can
# be said of them; with one number disturbed the same is not said. Parsers alone: tests/unit/host/test_import.c; each rule: test_findings.c.
. tests/lib/tap.sh

[ -x "$BUILD/kdyno" ] || skip_all "no $BUILD/kdyno"
export KDYNO_SHARE="$TAP_TOP" KDYNO_LAB="$TAP_TMP/lab" TZ=UTC
kdyno=$BUILD/kdyno reports=tests/fixtures/reports
json() { printf '%s\n' "$out" | tests/lib/json-get "$@"; }
# disturbed NAME FILE SED-EXPRESSION OPTION...: a report with numbers changed, imported and compared.
disturbed() {
    what=$1 from=$2 by=$3
    shift 3
    sed -E "$by" "$reports/$from" >"$TAP_TMP/$what.txt"
    if cmp -s "$reports/$from" "$TAP_TMP/$what.txt"; then bail "$what: nothing was disturbed"; fi
    "$kdyno" import "$what" "$TAP_TMP/$what.txt" "$@" >"$TAP_TMP/.import" 2>&1 || bail "$what: $(cat "$TAP_TMP/.import")"
    run "$kdyno" compare "$what"
}

# a finding a line, as the patterns below want them; wrapping has its own test at the end
COLUMNS=4096
export COLUMNS

# ---- report A
run "$kdyno" import a "$reports/report-a.txt" --nfs --machine athlon
is "A: status" "$status" 0
like "A: all values" "$out" '^sweep a: 2 boots imported, 14 values, 0 skipped'
like "A: which unit was assumed" "$out" 'assumed: K/sec of bonnie is 1024 bytes a second$'
run "$kdyno" compare a
like "A: marked as imported" "$out" '^sweep a, IMPORTED from tables, machine athlon: .* no records and no proof$'
for change in 'putc .* -28\.8 %' 'write .* -32\.8 %' 'rewrite .* -26\.0 %' 'getc .* -29\.2 %' 'read .* -27\.9 %' 'seek .* \+6\.5 %'; do
    like "A: $change" "$out" "nfs-bonnie +$change"
done
like "A: ftp" "$out" 'ftp +get .* \+2\.1 %'
like "A: the control" "$out" '^  control-unchanged +the control ftp get did not move \(\+2\.1 %\) while 5 sequential phases fell \(-26\.0 % to -32\.8 %\): .* sequential NFS path$'
like "A: it waits" "$out" '^  waiting .* in 5 phases and in 5 of them .* the client waits, .* the lower %CPU is no improvement; .*putc 10\.66 to 10\.83'
like "A: CPU a GiB, rewrite" "$out" 'rewrite 7\.84 to 4\.30'
like "A: together" "$out" '^  together +all 5 sequential phases'
like "A: seeks" "$out" '^  seeks-not-down .*\(\+6\.5 %\).*inferred.*moved 89 % of its sequential rate'
like "A: no error bar" "$out" '^  one-run +one run each: there is no error bar'
like "A: too few" "$out" '^  too-few-runs +nfs-bonnie read: a large effect \(-27\.9 %\), too few runs: 3 more each'
like "A: whose CPU" "$out" '^  cpu-of-process-only .*rpciod'
unlike "A: fewer CPU seconds are no improvement" "$out" '^  per-cpu-second'
unlike "A: no page cache in it" "$out" '^  (cache-dominated|wake-up|same-kernel)'
run "$kdyno" compare a --json
is "A: JSON: imported" "$(json imported)" true
is "A: JSON: a finding" "$(json pairs 0 findings rule=control-unchanged numbers control.ratio | cut -c1-5)" 1.021
is "A: JSON: resolution of whole seconds" "$(json pairs 0 findings rule=control-unchanged numbers control.resolution | cut -c1-6)" 0.0104
run "$kdyno" show a
like "A: show says it too" "$out" '^sweep a: imported from tables, machine athlon: .* no proof$'
like "A: each record as well" "$out" ' imported 32 '
run "$kdyno" show a --metrics
like "A: metrics" "$out" 'nfs-bonnie +putc'

run "$kdyno" show a --as bonnie
is "A: the table that went in comes out: size, way, seeks, rates, %CPU" "$(printf '%s\n' "$out" | sed -n 2,6p)" \
    "              ---Sequential Output (sync)----- ---Sequential Input-- --Rnd Seek-
              -CharUnlk- --Block--- -Rewrite-- -CharUnlk- --Block--- --00k (03)-
Machine    MB K/sec %CPU K/sec %CPU K/sec %CPU K/sec %CPU K/sec %CPU   /sec %CPU
2.4.19 1*1500 10328 10.5 10319  3.8  4280  3.2 10436 14.3 10712  2.8    9.3  3.0
2.4.20 1*1500  7356  7.6  6939  1.7  3168  1.3  7389  7.0  7722  2.1    9.9  3.8"
check "A in markdown: imported" "$kdyno" import a-md "$reports/reports.md"
run "$kdyno" show a-md --as bonnie
is "A in markdown: no size, way or seeks where none was said" "$(printf '%s\n' "$out" | sed -n 2,6p)" \
    "              ---Sequential Output ----------- ---Sequential Input-- --Rnd Seek-
              ---Char--- --Block--- -Rewrite-- ---Char--- --Block--- ---Seeks---
Machine    MB K/sec %CPU K/sec %CPU K/sec %CPU K/sec %CPU K/sec %CPU   /sec %CPU
2.4.19 1*   - 10328 10.5 10319  3.8  4280  3.2 10436 14.3 10712  2.8    9.3  3.0
2.4.20 1*   -  7356  7.6  6939  1.7  3168  1.3  7389  7.0  7722  2.1    9.9  3.8"
csv='1.98,2.00a,2.6.11,1,7,300000K,8192,8192,5,100,90,200,50,150,30,110,80,500,20,600.5,10,,,,,,,,,,,,,,,,,,,,,,,,,,,,,'
printf '%s\n' "$csv" >"$TAP_TMP/plus.csv"
check "bonnie++ CSV: imported" "$kdyno" import plus "$TAP_TMP/plus.csv"
run "$kdyno" show plus --as bonnie++csv
is "bonnie++ CSV: comes out as it went in" "$(printf '%s\n' "$out" | sed 's,/imported,,')" "$csv"

disturbed a-control report-a.txt 's/95 secs/130 secs/' --nfs
unlike "A with a control that moved: not acquitted" "$out" '^  control-unchanged'
like "A with a control that moved: said" "$out" '^  control-moved .*ftp get moved too \(-25\.4 %\)'
disturbed a-coarse report-a.txt 's/97 secs/2 secs/; s/95 secs/2 secs/' --nfs
unlike "A with a control of two seconds: not acquitted" "$out" '^  control-unchanged'
like "A with a control of two seconds: too coarse" "$out" '^  control-too-coarse'
disturbed a-cpu report-a.txt 's/7356  7.6  6939  1.7  3168  1.3  7389  7.0  7722  2.1/7356 19.6  6939  9.7  3168  8.3  7389 27.0  7722  6.1/' --nfs
unlike "A with more CPU a byte: it does not wait" "$out" '^  waiting'
disturbed a-one report-a.txt 's/6939  1.7  3168  1.3  7389  7.0/10319 3.8  4280  3.2 10436 14.3/' --nfs
unlike "A with three phases as before: not together" "$out" '^  together'
disturbed a-seeks report-a.txt 's/^   9.9  3.8/   5.9  3.8/' --nfs
unlike "A with seeks down: not said" "$out" '^  seeks-not-down'
disturbed a-fast report-a.txt 's/ 10319  3.8 / 20319  3.8 /; s/ 10712  2.8   9.3/ 90712  2.8   9.3/' --nfs
unlike "A with seeks far from the sequential rate: not bandwidth" "$out" 'seek phase is bandwidth'

# ---- report B
run "$kdyno" import b "$reports/report-b.txt" --nfs --kernel 2.6.11 --subject smp,up
like "B: all values, out of a quoted mail" "$out" '^sweep b: 2 boots imported, 24 values, 0 skipped'
run "$kdyno" show b --as tiobench
is "B: the table that went in comes out" "$(printf '%s\n' "$out" | grep -E '^   \. ')" "$(sed -n 's/^>  \(  *\. \)/ \1/p' "$reports/report-b.txt")"
run "$kdyno" compare b
like "B: same kernel" "$out" '^  same-kernel .* the kernel 2\.6\.11: what is compared is the variant, up against smp$'
like "B: bytes a CPU second" "$out" '^  per-cpu-second .* seqread_1 x1\.76, seqwrite_1 x3\.56, .* seqwrite_2 x3\.33, .* one worker is the safe ratio$'
like "B: the cache" "$out" '^  cache-dominated .* footprint of 15\.6 MiB .*randread_1 \(x13\.9\), .*randread_2 \(x8\.80\), .*randread_4 \(x3\.82\)$'
unlike "B: random writes are no such thing" "$out" '^  cache-dominated .*randwrite'
like "B: whose CPU" "$out" '^  cpu-of-process-only .*rpciod'
unlike "B: nothing fell" "$out" '^  (waiting|control-|together|seeks)'
disturbed b-random report-b.txt 's/69.60 24.9%/6.012 24.9%/; s/70.99 30.8%/9.612 30.8%/; s/42.10 19.1%/13.01 19.1%/' --nfs --kernel 2.6.11 --subject smp,up
unlike "B with random reads that moved like the others: no cache" "$out" '^  cache-dominated'
disturbed b-cpu report-b.txt 's/57.11 54.7%/57.11 96.0%/; s/60.11 58.8%/60.11 99.0%/; s/67.89 59.8%/67.89 99.0%/; s/35.09 14.2%/35.09 50.0%/; s/33.82 14.1%/33.82 47.0%/; s/29.86 12.7%/29.86 42.0%/' --nfs --kernel 2.6.11 --subject smp,up
unlike "B with CPU in step: nothing of bytes a CPU second" "$out" '^  per-cpu-second'
run "$kdyno" import b-pl "$reports/report-b.pl.txt" --nfs
like "B in tiobench.pl's layout, names and rows wrapped" "$out" '^sweep b-pl: 2 boots imported, 6 values, 0 skipped'
run "$kdyno" show b-pl --as tiobench
like "B in tiobench.pl's layout: latencies come out" "$out" '^2\.6\.11/imported {15}2000  4096    2   45\.29 78\.60%     0\.169      140\.12   0\.00000  0\.00000    58$'
like "B in tiobench.pl's layout: a random phase" "$out" '^2\.6\.11/imported {15}2000  4096    1    5\.01 2\.790%     0\.778       23\.45   0\.00000  0\.00000   180$'
like "B in tiobench.pl's layout: what is lacking" "$out" '^2\.6\.11/imported {15}2000  4096    2       -     -% +- +- +- +- +-$'
run "$kdyno" compare b-pl
like "B in tiobench.pl's layout: the same" "$out" 'seqread_2 .* \+32\.7 %'
run "$kdyno" import b-md "$reports/report-b.md" --kernel 2.6.11
like "B in markdown" "$out" '^sweep b-md: 2 boots imported, 24 values, 0 skipped'

run "$kdyno" show b-md --as tiobench
like "B in markdown: no size where none was said" "$out" '^   \.      -       -     1  47\.53 80\.0% 5\.013 2\.79% 22\.34 32\.2% 6\.510 14\.9%$'
printf '%s\n' 'MB/s' '' '| kernel | threads | rand read |' '| --- | --- | --- |' '| 2.6.11 | 128 | 5.013 2.79% |' >"$TAP_TMP/many.md"
check "128 threads, and no sequential reads: imported" "$kdyno" import many "$TAP_TMP/many.md"
run "$kdyno" show many --as tiobench
like "128 threads: a row" "$out" '^   \.      -       -    128     -    -% 5\.013 2\.79%     -    -%     -    -%$'
like "128 threads: and its bar" "$out" '^2\.6\.11/imported +randread_128 +1 +5\.01 MiB/s'

# ---- another machine
run "$kdyno" import two "$reports/report-b.md" --kernel 2.6.11 --machine one
run "$kdyno" import two "$reports/report-b-other.md" --add --machine other
is "another machine: added" "$status" 0
like "another machine: said" "$out" '^sweep two: 1 boots imported, 12 values'
run "$kdyno" compare two
like "another machine: refused" "$out" '^2\.6\.11\.6/imported against 2\.6\.11/SMP: REFUSED: machine: one in .*, other in .*another machine'
like "another machine: found" "$out" '^  different-machines'
like "the same machine: compared" "$out" '^2\.6\.11/UP against 2\.6\.11/SMP: inconclusive'

# ---- report C
run "$kdyno" import c "$reports/report-c.txt" --machine 486
like "C: all values" "$out" '^sweep c: 6 boots imported, 9 values, 0 skipped'
run "$kdyno" show c --as boot
is "C: the table comes out, with login, and all runs" "$(printf '%s\n' "$out" | tr -s ' ')" "subject login rm -rf
2.2.21pre2/imported 71.0 s (71.0 s .. 71.0 s) n=1 75.0 s (75.0 s .. 75.0 s) n=1
2.4.18pre1/imported 64.0 s (64.0 s .. 64.0 s) n=1 72.0 s (72.0 s .. 72.0 s) n=1
2.5.2-pre7/imported 97.0 s (97.0 s .. 97.0 s) n=1 251 s (251 s .. 251 s) n=1
2.5.2-pre8/imported - 237 s (157 s .. 292 s) n=3"
run "$kdyno" compare c --base 2.4.18pre1
like "C: boot" "$out" 'boot-time +login +1\+1 +64\.0 s +97\.0 s +\+51\.6 %'
like "C: rm" "$out" 'disk-tree +rm +1\+1 +72\.0 s +251 s +x3\.49'
like "C: again and again" "$out" '^  too-few-runs +disk-tree rm: a large effect \(x3\.29\), too few runs: 2 more each; the sides do not overlap; a coefficient of variation of 29\.7 %$'
like "C: look at wake-ups" "$out" '^  elapsed-only +disk-tree rm takes longer \(x3\.49\), .* idle is up, it is a fault of wake-ups; look at wake-up latency under I/O and at stalls'
unlike "C: what the table lacks did not fail" "$out" 'FAILED'
unlike "C: never the same" "$out" '^  no-change'
disturbed c-same report-c.txt 's/157, 237, 292 s/73, 72, 74 s/; s/251 s/74 s/; s/97 s/65 s/' --machine 486
unlike "C with times as before: nothing" "$out" '^  (elapsed-only|noisy-but-separate)|x3'
# good {75, 72} and bad {157, 237, 292}: as in the fixture, whose exact p is .2
printf '%s\n' '| kernel | rm -rf |' '| --- | --- |' '| 2.4.18 | 75, 72 s |' '| 2.5.2 | 157, 237, 292 s |' >"$TAP_TMP/rm.md"
check "rm: imported" "$kdyno" import rm "$TAP_TMP/rm.md"
like "rm: a table without any boot time" "$("$kdyno" show rm --as boot)" '^2\.4\.18/imported +73\.5 s \(72\.0 s \.\. 75\.0 s\) n=2$'
run "$kdyno" compare rm
like "rm: inconclusive, and how large" "$out" '^  inconclusive +disk-tree +rm +2\+3 .* x3\.[12][0-9] .* \.200 +\.200 +large effect, too few runs: 2 more each$'
printf '%s\n' '| kernel | cp -a |' '| --- | --- |' '| 6.9 | 101, 102, 103 s |' '| 6.15 | 110, 111, 112 s |' >"$TAP_TMP/three.md"
check "three each: imported" "$kdyno" import three "$TAP_TMP/three.md"
run "$kdyno" compare three --json
is "three each, apart: exact p is .1, so three are never enough" "$(json pairs 0 rows 0 p | cut -c1-3) $(json pairs 0 rows 0 p_method)" "0.1 exact"

# ---- it is no sweep of a box
run "$kdyno" show
like "the list says imported" "$out" '^a +athlon .* imported '
run "$kdyno" sweep run a
is "run: status" "$status" 1
like "run: refused" "$err" 'was imported from tables: there is nothing to run'
run "$kdyno" sweep prove a
like "prove: refused" "$err" 'was imported from tables: there is nothing to prove'

# ---- a finding is wrapped for people, its sentence hangs; in JSON it is whole
unset COLUMNS
run "$kdyno" compare a
like "wrapped: the rule begins a line" "$out" '^  control-unchanged    the control ftp get did not move'
is "wrapped: no line of the findings is longer than 100" "$(printf '%s\n' "$out" | sed -n '/^  findings/,/^$/p' | awk 'length > 100' | wc -l)" 0
like "wrapped: the rest hangs below" "$out" '^ {23}[^ ]'
is "wrapped: nothing is lost" "$(printf '%s\n' "$out" | sed -n '/^  control-unchanged/,/^  [a-z]/p' | tr -s '\n ' '  ' | grep -c 'in the sequential NFS path')" 1
out=$(COLUMNS=70 "$kdyno" compare a)
is "wrapped: COLUMNS is followed" "$(printf '%s\n' "$out" | sed -n '/^  findings/,/^$/p' | awk 'length > 70' | wc -l)" 0
like "one run a side has no interval" "$out" 'nfs-bonnie +read .* too few '
unlike "nor a level" "$out" ' 0\.0 % '
run "$kdyno" compare a --json
is "JSON: nor there" "$(json pairs 0 rows metric=read ci_coverage)" null
is "JSON: a finding is whole" "$(json pairs 0 findings rule=control-unchanged text | wc -l)" 1

# ---- bad input
bad() { # DESCRIPTION STATUS PATTERN WORD...
    bad_what=$1 bad_status=$2 bad_like=$3
    shift 3
    run "$kdyno" import "$@"
    is "$bad_what: status" "$status" "$bad_status"
    one_line "$bad_what: one line" "$err"
    like "$bad_what: names it" "$err" "$bad_like"
}
head -c 100000 /dev/urandom >"$TAP_TMP/noise"
head -c 10000000 /dev/zero | tr '\0' 9 >"$TAP_TMP/long"
printf 'nothing of use\n' >"$TAP_TMP/prose"
bad "no file" 2 "at least one FILE" x
bad "missing file" 1 "nowhere" x "$TAP_TMP/nowhere"
bad "binary" 1 "is no text" x "$TAP_TMP/noise"
bad "a line of 10 MB" 1 "no table with usable values" x "$TAP_TMP/long"
bad "prose" 1 "no table with usable values" x "$TAP_TMP/prose"
bad "there already" 1 "there already" a "$reports/report-a.txt"
bad "nothing to add to" 1 "no sweep" y "$reports/report-a.txt" --add
bad "bad name" 2 "are allowed" ../x "$reports/report-a.txt"
bad "bad machine" 2 "machine" x "$reports/report-a.txt" --machine 'a b'
bad "a folder" 1 "no plain file" x "$TAP_TMP"
mkfifo "$TAP_TMP/fifo"
bad "a FIFO" 1 "no plain file" x "$TAP_TMP/fifo"
check "nothing was left by what was refused" [ ! -e "$KDYNO_LAB/sweeps/x" ]
check "help" "$kdyno" import --help
tap_done
