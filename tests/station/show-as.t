#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
#
# kdyno show --as: from records to the tables that people post. The medians here are the numbers of reports A, B and C, so the tables are theirs.
. tests/lib/tap.sh

[ -x "$BUILD/kdyno" ] || skip_all "no $BUILD/kdyno"
export KDYNO_SHARE="$TAP_TOP" KDYNO_LAB="$TAP_TMP/lab" TZ=UTC
mkdir -p "$TAP_TMP/lab/kernels"
[ -d "$KDYNO_SHARE/suite" ] || {
    mkdir "$TAP_TMP/share"
    ln -s "$TAP_TOP/tests/suite" "$TAP_TMP/share/suite"
    KDYNO_SHARE=$TAP_TMP/share
}
kdyno=$BUILD/kdyno

# ---- a lab: three rounds, whose median is the number that was posted; the second round lies below it, the third above
perl >"$TAP_TMP/a" -e '
    print "sweep reporta rounds=3\nsubject 2.4.19/nfs\nsubject 2.4.20pre8/nfs\ntest disk-bonnie\ntest boot-time\n";
    my @phase = qw(putc write rewrite getc read seek);
    my %rate = ("2.4.19/nfs" => [10328, 10319, 4280, 10436, 10712, 9.3], "2.4.20pre8/nfs" => [7356, 6939, 3168, 7389, 7722, 9.9]);
    my %cpu = ("2.4.19/nfs" => [10.5, 3.8, 3.2, 14.3, 2.8, 3.0], "2.4.20pre8/nfs" => [7.6, 1.7, 1.3, 7.0, 2.1, 3.8]);
    for my $s (sort keys %rate) {
        print "metric $s boot-time init 1 2 3\n";
        print "fact $s disk-bonnie how=bonnie order=bonnie1 size_bytes=1572864000 chunk_bytes=1048576 seeks=100 seekers=3\n";
        print "fact $s disk-bonnie how=bonnie seek_chunk_bytes=1048576 unlocked=1 fsync=1\n";
        for my $p (0 .. 5) {
            my $v = $p == 5 ? 10 * $rate{$s}[$p] : 10240 * $rate{$s}[$p];
            printf "metric %s disk-bonnie %s %d/10000000000 %d/10000000000 %d/10000000000\n", $s, $phase[$p], $v, .9 * $v, 1.1 * $v;
            printf "fact %s disk-bonnie cpu=%s self_us=%d busy_us=1\n", $s, $phase[$p], 1e5 * $cpu{$s}[$p];
            printf "fact %s disk-bonnie reps=%s i=1 v=1,2 ns=4000000000,6000000000\n", $s, $phase[$p];
        }
    }'
perl >"$TAP_TMP/b" -e '
    print "sweep reportb rounds=3\nsubject 2.6.11/smp\ntest disk-threads\ntest boot-time\n";
    print "metric 2.6.11/smp boot-time init 1 2 3\n";
    print "fact 2.6.11/smp disk-threads how=threads size_bytes=2097152000 block_bytes=4096\n";
    my @phase = qw(seqread randread seqwrite randwrite);
    my %rate = (1 => [47.53, 5.013, 22.34, 6.510], 2 => [45.29, 8.068, 24.53, 7.042], 4 => [45.38, 11.02, 25.13, 7.525]);
    my %cpu = (1 => [80.0, 2.79, 32.2, 14.9], 2 => [78.6, 5.44, 34.1, 14.9], 4 => [78.0, 7.95, 35.1, 18.0]);
    for my $n (1, 2, 4) { for my $p (0 .. 3) {
        my $v = $rate{$n}[$p] * 1048576 * 10;
        printf "metric 2.6.11/smp disk-threads %s_%d %d/10000000000 %d/10000000000 %d/10000000000\n", $phase[$p], $n, $v, .9 * $v, 1.1 * $v;
        printf "fact 2.6.11/smp disk-threads work=%s_%d ops=4000 ns=10000000000 cpu_us=%d sum_ns=8000000000\n", $phase[$p], $n, 1e5 * $cpu{$n}[$p];
        printf "fact 2.6.11/smp disk-threads work=%s_%d max_ns=2500000000 over_2s=1 over_10s=0\n", $phase[$p], $n;
    } }'
cat >"$TAP_TMP/c" <<'END'
sweep reportc rounds=3
subject 2.4.18pre1/up
subject 2.5.2pre7/up
test boot-time
test disk-tree
metric 2.4.18pre1/up boot-time init 64000000000 63000000000 65000000000
metric 2.5.2pre7/up boot-time init 97000000000 96000000000 99000000000
metric 2.4.18pre1/up disk-tree rm 72000000000 71000000000 75000000000
metric 2.5.2pre7/up disk-tree rm 251000000000 157000000000 292000000000
END
for lab in a b c; do tests/lib/fake-lab "$KDYNO_LAB" <"$TAP_TMP/$lab" || bail "fake-lab $lab"; done

# ---- bonnie
run "$kdyno" show reporta --as bonnie
is "bonnie: status" "$status" 0
is "bonnie: the table as it was posted" "$(printf '%s\n' "$out" | sed -n 2,6p)" \
    "              ---Sequential Output (sync)----- ---Sequential Input-- --Rnd Seek-
              -CharUnlk- --Block--- -Rewrite-- -CharUnlk- --Block--- --00k (03)-
Machine    MB K/sec %CPU K/sec %CPU K/sec %CPU K/sec %CPU K/sec %CPU   /sec %CPU
2.4.19 1*1500 10328 10.5 10319  3.8  4280  3.2 10436 14.3 10712  2.8    9.3  3.0
2.4.20 1*1500  7356  7.6  6939  1.7  3168  1.3  7389  7.0  7722  2.1    9.9  3.8"
like "bonnie: the test's name stands above" "$(printf '%s\n' "$out" | sed -n 1p)" '^disk-bonnie:$'
like "bonnie: what makes two of them comparable" "$out" '^order bonnie1, chunk 1048576, seek chunk 1048576 bytes$'
like "bonnie: and error bars below" "$out" '^2\.4\.20pre8/nfs +read +3 +6\.79 MiB/s +7\.54 MiB/s +8\.30 MiB/s$'
run "$kdyno" show reporta --as bonnie++
like "bonnie++: its table" "$out" '^2\.4\.19/nfs +1500M 10328  10 10319   3  4280   3 10436  14 10712   2   9\.3   3$'
run "$kdyno" show reporta --as bonnie++csv
like "bonnie++csv: a line a subject" "$(printf '%s\n' "$out" | sed -n 1p)" '^1\.98,2\.00a,2\.4\.19/nfs,1,0,1500M,1048576,100,3,10328,10,10319,3,4280,3,10436,14,10712,2,9\.3,3,{29}$'
is "bonnie++csv: and nothing else" "$(printf '%s\n' "$out" | wc -l | tr -d ' ')" 2

# ---- tiobench
run "$kdyno" show reportb --as tiobench
is "tiobench: status" "$status" 0
is "tiobench: the short table as it was posted" "$(printf '%s\n' "$out" | sed -n '/^2.6.11.smp:/,+6p' | sed 1d)" \
    "         File   Block  Num  Seq Read    Rand Read   Seq Write  Rand Write
  Dir    Size   Size   Thr Rate (CPU%) Rate (CPU%) Rate (CPU%) Rate (CPU%)
------- ------ ------- --- ----------- ----------- ----------- -----------
   .     2000   4096    1  47.53 80.0% 5.013 2.79% 22.34 32.2% 6.510 14.9%
   .     2000   4096    2  45.29 78.6% 8.068 5.44% 24.53 34.1% 7.042 14.9%
   .     2000   4096    4  45.38 78.0% 11.02 7.95% 25.13 35.1% 7.525 18.0%"
like "tiobench: the long one, latencies in ms" "$out" \
    '^2\.6\.11/smp {20}2000  4096    1   47\.53 80\.00%     2\.000     2500\.00   0\.02500  0\.00000    59$'
like "tiobench: error bars" "$out" '^2\.6\.11/smp +randread_4 +3 +9\.92 MiB/s +11\.0 MiB/s +12\.1 MiB/s$'

# ---- boot
run "$kdyno" show reportc --as boot
is "boot: status" "$status" 0
like "boot: boot and rm, with their bars" "$out" '^2\.5\.2pre7/up +97\.0 s \(96\.0 s \.\. 99\.0 s\) n=3 .* 251 s \(157 s \.\. 292 s\) n=3$'
like "boot: the columns" "$out" '^subject +boot +jump-hello +rm -rf$'
like "boot: jump to hello, by the station's clock" "$out" '^2\.5\.2pre7/up +97\.0 s [^=]*=3 +800 ms \(800 ms \.\. 800 ms\) n=3 +251 s'
like "boot: whose clock" "$out" "^jump-hello is by the station's clock"
run "$kdyno" show reportb --as boot
unlike "boot: without the tree where it did not run" "$out" 'rm -rf'

# ---- what is wrong
bad() { # DESCRIPTION STATUS PATTERN WORD...
    bad_what=$1 bad_status=$2 bad_like=$3
    shift 3
    run "$kdyno" show "$@"
    is "$bad_what: status" "$status" "$bad_status"
    one_line "$bad_what: one line" "$err"
    like "$bad_what: says it" "$err" "$bad_like"
}
bad "an unknown layout" 2 "no layout bonie; did you mean bonnie" reporta --as bonie
bad "a sweep without the test" 1 "disk-threads or nfs-threads" reporta --as tiobench
bad "of no sweep" 2 "want a SWEEP" --as bonnie
bad "as a table and as JSON" 2 "json" reporta --as bonnie --json
tap_done
