#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# collect reads the same records from a file, a pipe, a socket and TCP; files them in a sweep as sweep run does; keeps the raw bytes.
. tests/lib/tap.sh
. tests/station/run.sh
sim_lab
sim_sweep s1 1
sim_start s1 kernel=1 tests=30
run timeout 60 "$KDYNO" sweep run s1
is "a sweep, whose console is kept" "$status" 0 || bail "$out $err"
sim_end
dir=$KDYNO_LAB/sweeps/s1
perl -ne 'next if /^#/; s/^\d+ \d+ //; chomp; s/%(..)/chr hex $1/ge; print' "$dir/console-sim.log" >"$TAP_TMP/raw"

run "$KDYNO" collect "$TAP_TMP/raw"
is "a file" "$status" 0
cp "$TAP_TMP/.out" "$TAP_TMP/want"
like "the records, without their frame" "$(cat "$TAP_TMP/want")" '^[0-7][0-9a-f]{7} 0 [0-9]+ hello box=sim sweep=s1 role=subject'
like "a count at the end" "$err" '^[0-9]+ records \([1-9][0-9]* mended\), 0 damaged lines'
unlike "kernel text is not printed" "$(cat "$TAP_TMP/want")" 'something the kernel says'
run "$KDYNO" collect "$TAP_TMP/raw" --text
like "but with --text" "$out" '^\| \[   12.345678\] something the kernel says'
"$KDYNO" collect - <"$TAP_TMP/raw" >"$TAP_TMP/got" 2>/dev/null
check "a pipe: the same" cmp "$TAP_TMP/want" "$TAP_TMP/got"
perl -e 'binmode STDIN; while (sysread STDIN, $b, 1 + int rand 200) { syswrite STDOUT, $b }' <"$TAP_TMP/raw" | "$KDYNO" collect - >"$TAP_TMP/got" 2>/dev/null
check "in pieces: the same" cmp "$TAP_TMP/want" "$TAP_TMP/got"
perl -0777 -pe 's/(.{37})/$1\0/gs' "$TAP_TMP/raw" | "$KDYNO" collect - >"$TAP_TMP/got" 2>/dev/null
check "with NULs in it: the same" cmp "$TAP_TMP/want" "$TAP_TMP/got"

# serve_raw CLASS ARGS: says what the raw file says to one client
serve_raw() {
    perl -M"IO::Socket::$1" -e '$c = shift; $f = shift; $s = "IO::Socket::$c"->new(@ARGV, Listen => 1) or die "$!"; $| = 1; print $c eq "INET" ? $s->sockport : 1, "\n";
        $a = $s->accept; open F, "<:raw", $f; local $/; print $a <F>' "$@" >"$TAP_TMP/ready" &
    wait_for 5 test -s "$TAP_TMP/ready"
}
serve_raw UNIX "$TAP_TMP/raw" Local "$TAP_TMP/raw.sock"
"$KDYNO" collect "$TAP_TMP/raw.sock" >"$TAP_TMP/got" 2>/dev/null
check "a unix socket: the same" cmp "$TAP_TMP/want" "$TAP_TMP/got"
: >"$TAP_TMP/ready"
serve_raw INET "$TAP_TMP/raw" LocalAddr 127.0.0.1
"$KDYNO" collect "127.0.0.1:$(cat "$TAP_TMP/ready")" >"$TAP_TMP/got" 2>/dev/null
check "TCP: the same" cmp "$TAP_TMP/want" "$TAP_TMP/got"

run "$KDYNO" collect "$TAP_TMP/raw" --json
cp "$TAP_TMP/.out" "$TAP_TMP/json"
check "--json is JSON, a record a line" perl -MJSON::PP -ne '$r = decode_json($_); die $_ unless $r->{tag} =~ /^[0-9a-f]{8}$/ && $r->{kind} && ref $r->{kv}' "$TAP_TMP/json"
is "as many" "$(wc -l <"$TAP_TMP/json")" "$(wc -l <"$TAP_TMP/want")"

run "$KDYNO" collect "$TAP_TMP/raw" --quiet --raw-log "$TAP_TMP/log"
perl -ne 's/^\d+ \d+ //; chomp; s/%(..)/chr hex $1/ge; print' "$TAP_TMP/log" >"$TAP_TMP/back"
check "--raw-log keeps every byte" cmp "$TAP_TMP/back" "$TAP_TMP/raw"
is "--quiet prints no record" "$out" ""

# filed anew from the console alone
cp "$dir/records.jsonl" "$TAP_TMP/records"
rm "$dir/records.jsonl" "$dir/journal" "$dir/console-sim.log"
run "$KDYNO" collect "$TAP_TMP/raw" --sweep s1 --quiet
is "--sweep" "$status" 0
like "says what it completed" "$err" 'sweep s1: 3 boots completed by this'
check "nothing is missing" tests/lib/prove-sweep "$KDYNO_LAB" s1
is "the same records as sweep run filed, but home's" "$(grep -v '"line":0,' "$TAP_TMP/records" | sort | md5sum)" "$(sort "$dir/records.jsonl" | md5sum)"
run "$KDYNO" collect "$TAP_TMP/raw" --sweep s1 --quiet
like "again: nothing new" "$err" 'sweep s1: 0 boots completed by this'

refused 1 'open .*/nowhere: No such file' "no such source" "$KDYNO" collect "$TAP_TMP/nowhere"
refused 1 "no sweep 's9'" "no such sweep" "$KDYNO" collect "$TAP_TMP/raw" --sweep s9
refused 2 'one SOURCE' "no source" "$KDYNO" collect
tap_done
