#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# timeout: 300
# sweep run is killed, stopped, refused, starved of disk, and meets a box that hangs: nothing is lost, nothing counted twice.
. tests/lib/tap.sh
. tests/station/run.sh
sim_lab 10

sim_sweep killed 3
sim_start killed nfs=1 boot_ms=300 tests=100
"$KDYNO" sweep run killed >"$TAP_TMP/first" 2>&1 &
first=$!
check "it runs" wait_for 30 journal_has killed 'line=2 .*state=complete' || diag "$(cat "$TAP_TMP/first")"
run "$KDYNO" sweep run killed
is "a second run is refused" "$status" 1
one_line "in one line" "$err"
like "that names the first" "$err" "already running \(pid $first\)"
sim_sweep other 1
run "$KDYNO" sweep run other
is "so is another sweep on the same box" "$status" 1
like "in one line" "$err" "box sim is in use by sweep killed \(pid $first\)"
http=$(cut -d ' ' -f 1 "$KDYNO_LAB/run/http.pid")
kill -9 $first
wait $first 2>/dev/null
check "the servers run on" kill -0 "$http"
sleep 1
"$KDYNO" sweep run killed >"$TAP_TMP/second" 2>&1 &
second=$!
check "the second run goes on" wait_for 30 journal_has killed 'line=4 .*state=complete' || diag "$(cat "$TAP_TMP/second")"
is "with the same servers" "$(cut -d ' ' -f 1 "$KDYNO_LAB/run/http.pid")" "$http"
kill -INT $second
wait $second
is "Ctrl-C: exit 1" $? 1
like "says how to go on" "$(tail -n 1 "$TAP_TMP/second")" "stopped: .* 'kdyno sweep run killed' goes on"
check "nothing runs on" nothing_runs
run timeout 100 "$KDYNO" sweep run killed
is "the third run ends it" "$status" 0 || diag "$out" "$err"
check "every boot once, no record twice" tests/lib/prove-sweep "$KDYNO_LAB" killed --allow-repeats
sim_end

# a try that the box alone has seen fail: what it left on NFS is filed, once
sim_sweep alone 1
tag=$(sed -n 's/^try line=1 tag=\([0-9a-f]*\) .*/\1/p' "$KDYNO_LAB/sweeps/alone/schedule")
mkdir -p "$KDYNO_LAB/results/alone/sim"
printf "try line=1 tag=$tag state=%s by=box at=0%s\n" start "" hello "" failed " name=hang" | with_crc >"$KDYNO_LAB/results/alone/sim/journal"
printf "# kd1 $tag %s\n" "0 100 hello box=sim sweep=alone role=subject start=via-home reset=unknown line=1 image=0123456789abcdef quiet_ms=1000" \
    "1 101 note msg=last-words" | with_crc >"$KDYNO_LAB/results/alone/sim/$tag.kd1"
sim_start alone boot_ms=300
timeout -s INT 1 "$KDYNO" sweep run alone >/dev/null 2>&1
run timeout 60 "$KDYNO" sweep run alone
is "a try that failed while the box was alone" "$status" 0 || diag "$out" "$err"
check "is failed in the station's journal too" journal_has alone "line=1 .*state=failed by=station .*name=hang"
is "what it left is filed, once" "$(grep "\"$tag\"" "$KDYNO_LAB/sweeps/alone/records.jsonl" | grep -c 'last-words')" 1
check "and its boot counts once" tests/lib/prove-sweep "$KDYNO_LAB" alone --allow-repeats
sim_end

# servers that end on the way
sim_sweep servers 3
sim_start servers boot_ms=700
"$KDYNO" sweep run servers >"$TAP_TMP/servers" 2>&1 &
run=$!
check "it runs" wait_for 30 journal_has servers 'line=1 .*state=complete' || diag "$(cat "$TAP_TMP/servers")"
for name in http peer; do
    pid=$(cut -d ' ' -f 1 "$KDYNO_LAB/run/$name.pid")
    kill -9 "$pid"
    check "the $name server has ended: said" wait_for 10 grep -q "the $name server has ended, and is started again" "$TAP_TMP/servers"
    check "and is there again" wait_for 10 sh -c '[ "$(cut -d " " -f 1 "$1")" != "$2" ]' sh "$KDYNO_LAB/run/$name.pid" "$pid"
done
said=2
if [ -s "$KDYNO_LAB/run/nfs-test.pid" ]; then
    said=3
    kill -9 "$(cut -d ' ' -f 1 "$KDYNO_LAB/run/nfs-test.pid")"
    check "the NFS server of the tests has ended: said" wait_for 10 grep -q 'the NFS server of the tests has ended; nfs tests will fail' "$TAP_TMP/servers"
else
    skip "the NFS server of the tests" "it does not start here"
fi
wait $run
is "the sweep goes on to its end" $? 0 || diag "$(cat "$TAP_TMP/servers")"
is "each is said once" "$(grep -c 'has ended' "$TAP_TMP/servers")" $said
check "nothing runs on" nothing_runs
sim_end

# the port of the HTTP server is taken
port=$(sed 's/.*http=\([0-9]*\).*/\1/' "$KDYNO_LAB/run/ports")
perl -MIO::Socket::INET -e '$s = IO::Socket::INET->new(LocalAddr => "127.0.0.1:$ARGV[0]", Listen => 1, ReuseAddr => 1) or die; print "\n"; $| = 1; sleep 60' "$port" >"$TAP_TMP/taken" &
taken=$!
wait_for 5 test -s "$TAP_TMP/taken" || sleep 1
sim_start other
run timeout 30 "$KDYNO" sweep run other
is "port in use: exit 1" "$status" 1
one_line "one line" "$err"
like "that names it" "$err" "port $port \(http\) is in use"
kill $taken
wait $taken 2>/dev/null
check "nothing runs on" nothing_runs
sim_end

# a box that does not come up after a jump is cycled, and the boot is tried again
sim_sweep hang 1
sim_start hang hang=2
run timeout 120 "$KDYNO" sweep run hang
is "a box that hangs in a jump" "$status" 0 || diag "$out" "$err"
check "not-run, after a power cycle" journal_has hang 'line=2 .*state=not-run'
check "and counts once" tests/lib/prove-sweep "$KDYNO_LAB" hang --allow-repeats
sim_end

# no QEMU
check "box add" "$KDYNO" box add twin --board qemu-x86_64
check "sweep new" "$KDYNO" sweep new twin --box twin --kernels 6.1.0-a --rounds 1 --seed 1
run env PATH=/nonexistent "$KDYNO" sweep run twin
is "no QEMU: exit 1" "$status" 1
one_line "one line" "$err"
like "that says what installs it" "$err" 'qemu-system-x86_64 is missing.*build.sh qemu'
check "nothing runs on" nothing_runs
tap_done
