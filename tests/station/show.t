#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# timeout: 120
#
# kdyno show, on labs made from descriptions (tests/lib/fake-lab): sweeps, tries, channels, metrics, records; JSON has all that the text has.
. tests/lib/tap.sh

[ -x "$BUILD/kdyno" ] || skip_all "no $BUILD/kdyno"
export KDYNO_SHARE="$TAP_TOP" KDYNO_LAB="$TAP_TMP/lab" TZ=UTC
kdyno=$BUILD/kdyno
json() { printf '%s\n' "$out" | tests/lib/json-get "$@"; }

run "$kdyno" show
is "no lab: status" "$status" 1
one_line "no lab: one line" "$err"
mkdir -p "$KDYNO_LAB/kernels"
run "$kdyno" show
is "an empty lab: status" "$status" 0
like "an empty lab says what to do" "$out" "kdyno sweep new"
run "$kdyno" show --json
is "an empty lab as JSON" "$out" "[]"

for lab in demo rough started; do
    tests/lib/fake-lab "$KDYNO_LAB" <"tests/fixtures/labs/$lab" || bail "fake-lab $lab"
done

# ---- sweeps
mkdir "$KDYNO_LAB/sweeps/broken"
echo nonsense >"$KDYNO_LAB/sweeps/broken/schedule"
run "$kdyno" show
is "list: status" "$status" 0
like "list: a sweep that is done" "$out" '^demo +twin +6\.1/smp, 6\.12/smp +13/13 +done +2026-01-01 00:00$'
like "list: one that ended without all" "$out" '^rough .* 18/19 +ended '
like "list: one that has not begun" "$out" '^started .* 0/12 +planned +-$'
like "list: a damaged one hides no other" "$out" '^broken .* damaged'
run "$kdyno" show --json
is "list: JSON has them all" "$(json '#')" 4
is "list: JSON: boots" "$(json sweep=demo "done") $(json sweep=demo boots)" "13 13"
is "list: JSON: damaged" "$(json sweep=broken state)" damaged

# A sweep that runs holds its lock.
run flock "$KDYNO_LAB/sweeps/started/lock" "$kdyno" show
like "list: one that runs" "$out" '^started .* 0/12 +running '
run "$kdyno" show
like "list: and no longer" "$out" '^started .* 0/12 +planned '

# ---- tries
run "$kdyno" show rough
is "tries: status" "$status" 0
like "tries: head" "$out" '^sweep rough on twin: ended, 18 of 19 boots done'
like "tries: discarded" "$out" '^ +1 .* complete, discarded +via-home +- +both 13 '
like "tries: failure" "$out" '^ +6 +[0-9a-f]{8} +6\.1/up +2 +failed:panic +- +- +- +800 ms '
like "tries: the repeat" "$out" '^ +20 .* 6\.1/up +2 +complete '
like "tries: serial only" "$out" ' serial only 13 '
like "tries: nfs only" "$out" ' nfs only 13 '
like "tries: differ" "$out" ' differ 13 '
like "tries: a gap" "$out" ' complete-with-gaps .* missing 2, both 11 '
like "tries: damaged lines are counted" "$out" 'damaged lines left out: 1'
run "$kdyno" show demo
like "tries: times" "$out" '^ +2 .* 800 ms +1\.9 s +98 ms +5\.8 s$'
run "$kdyno" show rough --json
is "tries: JSON: count" "$(json tries '#')" 22
is "tries: JSON: failure" "$(json tries 5 state) $(json tries 5 failure)" "failed panic"
is "tries: JSON: complete with gaps" "$(json tries 13 state)" complete-with-gaps
is "tries: JSON: channels" "$(json tries 13 both) $(json tries 13 missing) $(json tries 4 serial_only) $(json tries 10 differ)" "11 2 13 13"
is "tries: JSON: times" "$(json tries 0 jump_to_hello_ms) $(json tries 0 total_ms) $(json tries 0 kernel_to_init_ms)" "800 5800 null"

# ---- channels
run "$kdyno" show rough --channels
like "channels: the extent of a gap" "$out" '^ +14 +2708a7ae +gap +11 +11 +11 +11 +- +- +- +5-6 +- +- +-$'
like "channels: which came by serial only" "$out" '^ +5 +17156075 +serial only +13 +0 +13 +0 +0-12 '
run "$kdyno" show rough --channels --json
is "channels: JSON" "$(json channels line=14 gaps) $(json channels line=14 came_by)" "[[5,6]] gap"
for by in both "serial only" "NFS only" gap differ; do like "channels: came by $by" "$out" "\"came_by\": *\"$by\""; done

# ---- why a try failed, where to look, what the line brought
with_crc() {
    perl -e 'my @t = map { my $c = $_; $c = $c & 1 ? $c >> 1 ^ 0x82f63b78 : $c >> 1 for 1 .. 8; $c } 0 .. 255;
        while (<STDIN>) { chomp; my $c = 0xffffffff; $c = $c >> 8 ^ $t[($c ^ $_) & 0xff] for unpack "C*"; printf "%s *%08x\n", $_, $c ^ 0xffffffff }'
}
tag=$(sed -n 's/^try line=6 tag=\([0-9a-f]*\) .*/\1/p' "$KDYNO_LAB/sweeps/rough/schedule")
printf '%s\n' "try line=6 tag=$tag state=failed by=station at=1 name=panic why=a%1Bb" "console line=6 bytes=5000 bad=3 dropped=7 by=station at=1" |
    with_crc >>"$KDYNO_LAB/sweeps/rough/journal"
mkdir "$KDYNO_LAB/sweeps/rough/evidence"
: >"$KDYNO_LAB/sweeps/rough/evidence/$tag-hang.txt"
: >"$KDYNO_LAB/sweeps/rough/evidence/$tag-panic.txt"
run "$kdyno" show rough
like "a failed try: why, and its evidence" "$out" "^ +6 +$tag +failed:panic +a.x1bb +sweeps/rough/evidence/$tag-panic\\.txt\$"
run "$kdyno" show rough --json --channels
is "the same as JSON" "$(json tries 5 reason) $(json tries 5 evidence)" "a\\x1bb sweeps/rough/evidence/$tag-panic.txt"
is "what the line brought" "$(json tries 5 console bytes) $(json tries 5 console damaged) $(json tries 5 console dropped)" "5000 3 7"

# ---- metrics
run "$kdyno" show demo --metrics
like "metrics: a primary one" "$out" '^6\.12/smp +sched-messaging +msgs \* +6 +217 k/s +216 k/s +219 k/s +0\.6 %$'
unlike "metrics: all tests passed" "$out" 'did not pass'
run "$kdyno" show rough --metrics
like "metrics: values not taken are named" "$out" '^6\.1/up +sched-messaging +msgs \* +4 .* 2 not taken$'
like "metrics: tests that crashed" "$out" '^6\.12/smp +net-tcp +crash +1 +[0-9]+ +signal 11$'
run "$kdyno" show demo --metrics --json
is "metrics: JSON in base units" "$(json metrics values 0 median) $(json metrics values 0 n) $(json metrics values 0 unit)" "1901000000 6 ns"
unlike "metrics: no crash kernel, no arming time" "$out" 'crash-kernel'
for lab in armed unarmed; do tests/lib/fake-lab "$KDYNO_LAB" <"tests/fixtures/labs/$lab" || bail "fake-lab $lab"; done
run "$kdyno" show armed --metrics
like "metrics: what loading the crash kernel took" "$out" '^6\.12/smp +crash-kernel +arm +6 +62\.5 ms +60\.0 ms +65\.0 ms '
run "$kdyno" show armed --metrics --json
is "metrics: the same as JSON" "$(json metrics values test=crash-kernel median) $(json metrics values test=crash-kernel unit)" "52500000 ns"
run "$kdyno" show unarmed --metrics
like "metrics: boots in which it was not loaded, and why" "$out" '^6\.12/smp +crash-kernel +fail +1 +0 +fetch$'

# ---- what the NFS client did
tests/lib/fake-lab "$KDYNO_LAB" <tests/fixtures/labs/nfs || bail "fake-lab nfs"
run "$kdyno" show nfs --nfs
is "nfs: status" "$status" 0
like "nfs: a phase as a whole" "$out" '^nfs-bulk +read_v3 +all +6\.1/smp +2 +34 +0 +0\.47 +12\.00 +12\.59 +4\.08 +120\.7 +1\.00 +-$'
like "nfs: an operation: the same rtt, one under way, one sent again" "$out" '^nfs-bulk +read_v3 +READ +6\.12/smp +2 +32 +1 +0\.50 +12\.50 +13\.12 +1\.00 +128\.2 +- +-$'
like "nfs: half of it came from the cache" "$out" '^nfs-bulk +read_v3 +all +6\.12/smp .* 0\.50 +-$'
like "nfs: a kernel without mountstats" "$out" '^nfs-bulk +read_v3 +all +2\.4/up +2 +514 +9 +- +- +- +- +- +- +-$'
run "$kdyno" show nfs --nfs --json
is "nfs: JSON" "$(json nfs '#') $(json nfs subject=6.12/smp outstanding) $(json nfs subject=2.4/up rtt_ms_op)" "6 1.02 null"
tests/lib/fake-lab "$KDYNO_LAB" <tests/fixtures/labs/cost || bail "fake-lab cost"
run "$kdyno" show cost --cost
is "cost: status" "$status" 0
like "cost: CPU, CPU for a GiB, kernel threads by name, the stall" "$out" \
    '^disk-seq +read +6\.1/smp +2 +10\.0 +30\.0 +15\.0 +0\.10 +0\.30 +0\.15 +0\.02 +kworker_u 13\.0, jbd2 2\.0$'
like "cost: half the CPU, the same for a GiB: it waited" "$out" '^disk-seq +read +6\.12/smp +2 +5\.0 +16\.0 +0\.0 +0\.10 +0\.32 +0\.00 +1\.50$'
unlike "cost: nonsense is no row" "$out" '^disk-seq +(seek|.*J)'
run "$kdyno" show cost --cost --json
is "cost: JSON" "$(json cost '#') $(json cost subject=6.12/smp machine_s_per_gib) $(json cost subject=6.1/smp kernel_threads jbd2)" "2 0.32 0.02"
run "$kdyno" show cost --hist --test sched-wake
like "hist: percentiles, and those without samples enough" "$out" \
    '^sched-wake +wake +6\.1/smp +2 +800 +992 ns +1\.00 us +1\.00 us +5\.00 us +- +- +5\.00 us$'
like "hist: fewer samples, fewer percentiles" "$out" '^sched-wake +wake +6\.12/smp +2 +80 +1\.00 us +1\.00 us +1\.00 us +- +- +- +1\.00 us$'
like "hist: a picture" "$out" '^ +512 ns \|#{50} 780$'
like "hist: an octave with little" "$out" '^ +4\.10 us \|# 20$'
like "hist: what is not whole is counted" "$out" '^histograms that were not whole or contradict themselves: 4;'
unlike "hist: and not shown" "$out" '(torn|lie) +6'
run "$kdyno" show cost --hist --json
is "hist: JSON" "$(json hist '#') $(json hist subject=6.12/smp p99) $(json hist subject=6.1/smp p99) $(json hist subject=6.1/smp buckets 1 2)" "2 null 5000 20"
run "$kdyno" show nfs --cost --hist
like "cost: where nothing kept books" "$out" '^no test that passed has kept books$'
like "hist: where there is none" "$out" '^no test that passed has a histogram$'
run "$kdyno" show nfs --nfs --test disk-seq
like "nfs: of a test that has none" "$out" 'no test that passed has worked on NFS'

# ---- boots: by the box's clock, and by the station's where the console shows something
tests/lib/fake-lab "$KDYNO_LAB" <tests/fixtures/labs/boots || bail "fake-lab boots"
run "$kdyno" show boots --boot
is "boot: status" "$status" 0
like "boot: medians; a console that said nothing" "$out" '^6\.1/smp +3 +1\.10 s +1\.20 s +1\.50 s +4\.20 s +- +- +- +800 ms$'
like "boot: the other" "$out" '^6\.12/initcalls +3 +2\.10 s +2\.1. s +2\.60 s +2\.65 s +2\.90 s +- +- +800 ms$'
like "boot: initcalls" "$out" '^6\.12/initcalls +acpi_init +3 +34\.0 ms$'
unlike "boot: what is no time is none" "$out" 'initcalls +none'
run "$kdyno" show boots --json
at=$(json tries line=2 started_unix_ms)
# the last kernel's banner again, behind it the new one's; then lines of another time
cat >"$KDYNO_LAB/sweeps/boots/console-twin.log" <<END
$((at - 5)) 0 Linux version 5.10 (long ago)%0A
$((at + 50)) 40 [   99.000000] Freeing unused kernel image, says the last kernel%0A
$((at + 300)) 120 [    0.000000] Linux version 6.1 (somebody)%0D%0A
$((at + 350)) 180 # kd1 00000000 3 100 note msg=Linux version 7%0A
$((at + 700)) 240 [    1.000000] Run /init as init process%0D%0A
$((at + 750)) 300 [    1.000000] Run /init as init process%0D%0A
nonsense
$((at + 100000000)) 360 Linux version 9%0A
END
run "$kdyno" show boots --boot --json
is "boot: JSON: the console's marks of that try" "$(json boot tries line=2 jump_banner_ms) $(json boot tries line=2 jump_run_init_ms) $(json boot tries line=2 jump_hello_ms)" "300 700 800"
is "boot: JSON: those of others are unknown" "$(json boot tries line=1 jump_banner_ms)" null
is "boot: JSON: a subject" "$(json boot subjects subject=6.1/smp init_ms) $(json boot subjects subject=6.1/smp nfs_ms)" "1100 null"
is "boot: JSON: initcalls" "$(json boot subjects subject=6.12/initcalls initcalls '#') $(json boot subjects subject=6.12/initcalls initcalls 0 us)" "2 34000"

# ---- records
run "$kdyno" show rough --tag 80000001
like "records: a tag that is no try's" "$out" '^ +0 80000001 +0 +1 serial note msg=%1B%5B31mred$'
is "records: nothing raw" "$(printf '%s' "$out" | tr -d '\n' | LC_ALL=C tr -d ' -~' | wc -c)" 0
run "$kdyno" show demo --records --test net-tcp --tag 3c6ef362
is "records: of a test and a tag" "$(printf '%s\n' "$out" | grep -c 'test=net-tcp')" 3
run "$kdyno" show demo --records --json
is "records: JSON has every one" "$(json records '#')" "$(wc -l <"$KDYNO_LAB/sweeps/demo/records.jsonl")"
is "records: JSON keeps numbers as they came" "$(json records kind=metric kv v)" 1900000000

# ---- bad input
bad() { # DESCRIPTION STATUS PATTERN WORD...
    bad_what=$1 bad_status=$2 bad_like=$3
    shift 3
    run "$kdyno" show "$@"
    is "$bad_what: status" "$status" "$bad_status"
    one_line "$bad_what: one line" "$err"
    like "$bad_what: names it" "$err" "$bad_like"
}
bad "unknown sweep" 1 "no sweep 'demoo'.*demo" demoo
bad "unknown test" 2 "no test sched-mesaging; did you mean sched-messaging" demo --test sched-mesaging
bad "unknown tag" 2 "tag deadbeef" demo --tag deadbeef
bad "not a tag" 2 "8 hex digits" demo --tag xyz
bad "unknown option" 2 "did you mean --metrics" demo --metric
bad "two sweeps" 2 "one SWEEP" demo rough
bad "boot of nothing" 2 "want a SWEEP" --boot
bad "nfs of nothing" 2 "want a SWEEP" --nfs
bad "cost of nothing" 2 "want a SWEEP" --cost
bad "latencies of nothing" 2 "want a SWEEP" --hist
bad "metrics of nothing" 2 "want a SWEEP" --metrics
bad "damaged schedule" 1 "broken/schedule:1" broken
check "help" "$kdyno" show --help
tap_done
