#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# timeout: 200
# sweep pause, sweep resume, --hold-on-failure: the boot that runs is finished, the box is held, whatever becomes of kdyno meanwhile, and
# afterwards nothing is missing and nothing counts twice.
. tests/lib/tap.sh
. tests/station/run.sh
sim_lab

begin() { # SWEEP ARGS...
    : >"$TAP_TMP/run" # before it is looked into
    "$KDYNO" sweep run "$@" >"$TAP_TMP/run" 2>&1 &
    run=$!
}
ended() { # DESCRIPTION STATUS
    wait "$run"
    is "$1" $? "$2" || diag "$(cat "$TAP_TMP/run")"
    check "nothing runs on" nothing_runs
    is "no socket stays" "$(find "$KDYNO_LAB/run" -name '*.sock' ! -name 'rpcbind.sock')" ""
}
held() { # DESCRIPTION
    check "$1" wait_for 30 grep -q 'paused: the box is held here' "$TAP_TMP/run" || diag "$(cat "$TAP_TMP/run")"
}
control() { grep '^control ' "$KDYNO_LAB/sweeps/$1/journal" | tail -n 1 | sed 's/ at=[0-9]*//; s/ \*.*//'; }
states() { grep -c "state=$2 " "$KDYNO_LAB/sweeps/$1/journal"; }

# ---- while it runs
sim_sweep a 3
sim_start a nfs=1 boot_ms=400 tests=100
begin a
check "it runs" wait_for 30 journal_has a 'line=2 .*state=hello' || diag "$(cat "$TAP_TMP/run")"
run "$KDYNO" sweep pause a --reason 'to look, and 100 %'
is "pause" "$status" 0 || diag "$err"
like "says so" "$out" "^sweep a is paused.*'kdyno sweep resume a' goes on$"
is "it is in the journal before anybody is told" "$(control a)" "control word=hold by=station pause=to%20look,%20and%20100%20%25"
like "the run says why" "$(cat "$TAP_TMP/run")" '! home: paused \(to look, and 100 %\)'
held "the box is held"
done=$(states a complete)
is "what was begun is complete" "$done" "$(states a start)"
sleep 2
is "nothing is begun while it is held" "$(states a go)" "$(states a complete)"
like "show" "$("$KDYNO" show a)" '^sweep a on sim: paused, '
run "$KDYNO" sweep pause a
is "pausing it again is harmless" "$status" 0
like "and says since when and why" "$out" 'is paused already, since 20[0-9-]* .*\(to look, and 100 %\)'
run "$KDYNO" sweep run a
is "a second run is refused" "$status" 1
one_line "in one line" "$err"
like "that says what to do" "$err" "already running \(pid $run\), and is paused; 'kdyno sweep resume a' goes on"

# nobody but who has the socket gives orders, and nonsense there does no harm
port=$(sed 's/.* http=\([0-9]*\).*/\1/' "$KDYNO_LAB/run/ports")
order=$(echo 'order word=resume' | with_crc)
answer=$(perl -MIO::Socket::INET -e '$s = IO::Socket::INET->new("127.0.0.1:$ARGV[0]") or die; printf $s "POST /ask HTTP/1.0\r\nContent-Length: %d\r\n\r\n%s", length $ARGV[1], $ARGV[1];
    print <$s>' "$port" "$order")
like "an order by HTTP is refused" "$answer" '^HTTP/1.. 503 '
# send TEXT: to the order socket; prints the answer
send() {
    (cd "$KDYNO_LAB/run" && perl -MIO::Socket::UNIX -e '$SIG{PIPE} = "IGNORE"; $s = IO::Socket::UNIX->new(Peer => $ARGV[0]) or die; print $s $ARGV[1]; $s->flush; shutdown $s, 1; print <$s>' order-a.sock "$1")
}
is "the socket is its owner's" "$(stat -c %a "$KDYNO_LAB/run/order-a.sock")" 600
is "nonsense is not answered" "$(send nonsense)" ""
is "nor is an order without its CRC" "$(send 'order word=resume')" ""
is "nor one of a kilobyte" "$(send "$(printf 'order word=pause reason=%01500d' 0 | with_crc)")" ""
is "nor a question" "$(send '# kd1 00000000 1 1 ask *00000000')" ""
like "a right one is" "$(send "$(echo 'order word=state' | with_crc)")" '^state paused=1 since=[0-9]+ reason=to%20look,%20and%20100%20%25 held=1 line=[0-9]+ going=0 '
is "it is still paused" "$(states a complete)" "$done"

# kill -9: it stays paused
kill -9 $run
wait $run 2>/dev/null
begin a
check "a run of a paused sweep says so" wait_for 20 grep -q 'this sweep is paused (to look, and 100 %)' "$TAP_TMP/run"
held "and holds the box"
is "nothing was begun" "$(states a complete)" "$done"
run "$KDYNO" sweep resume a
is "resume" "$status" 0 || diag "$err"
like "says when" "$out" 'goes on when the box asks next'
is "it is in the journal" "$(control a)" "control word=run by=station"
ended "and the sweep comes to its end" 0
check "nothing is missing, nothing counts twice" tests/lib/prove-sweep "$KDYNO_LAB" a
sim_end

# ---- while it does not run
sim_sweep b 1
run "$KDYNO" sweep pause b
is "pause of a sweep that does not run" "$status" 0 || diag "$err"
like "says what will be" "$out" "does not run now, and a 'kdyno sweep run b' will hold the box"
is "and is in the journal" "$(control b)" "control word=hold by=station pause="
sim_start b
begin b
held "sweep run brings the box up and holds it"
is "nothing is begun" "$(states b go)" 0
kill -INT $run
ended "Ctrl-C ends it" 1
like "says that it stays paused" "$(tail -n 1 "$TAP_TMP/run")" "^stopped: 0 of 3 boots are complete; .*stays paused until 'kdyno sweep resume'"
is "which it does" "$(control b)" "control word=hold by=station pause="
run "$KDYNO" sweep resume b
is "resume" "$status" 0
like "says what goes on" "$out" "not paused any more; it does not run now: 'kdyno sweep run b' goes on"
is "a box alone still holds" "$(control b)" "control word=hold by=station"
run "$KDYNO" sweep resume b
like "a second resume" "$out" "sweep b is not paused; 'kdyno sweep run b' runs it"
begin b
check "it goes on" wait_for 20 journal_has b 'line=1 .*state=complete'
kill -9 $run
wait $run 2>/dev/null
is "kill -9 leaves run" "$(control b)" "control word=run by=station"
check "pause" "$KDYNO" sweep pause b --reason night
is "then a box alone holds" "$(control b)" "control word=hold by=station pause=night"
check "resume" "$KDYNO" sweep resume b
begin b
ended "and it ends well" 0
check "nothing is missing" tests/lib/prove-sweep "$KDYNO_LAB" b
sim_end

# ---- what fails pauses by itself
sim_sweep c 1
sim_start c bad=2
begin c --hold-on-failure
held "a test that fails pauses the sweep"
like "which says why, and what to do" "$(cat "$TAP_TMP/run")" "paused \(line 2: boot-time: fail\): the boot that runs is finished first"
is "the boot is complete" "$(states c complete)" 2
is "and no other is begun" "$(states c go)" 2
like "the box stands where it failed" "$(cat "$TAP_TMP/run")" 'line 2 .*: paused: the box is held here'
check "resume" "$KDYNO" sweep resume c
ended "and it ends well" 0
check "nothing is missing" tests/lib/prove-sweep "$KDYNO_LAB" c
sim_end

sim_sweep d 1
sim_start d panic=2
begin d --hold-on-failure
held "a try that fails pauses the sweep"
is "for its reason" "$(control d)" "control word=hold by=station pause=line%202:%20the%20try:%20panic"
check "the try has failed" journal_has d 'line=2 .*state=failed .*name=panic'
check "resume" "$KDYNO" sweep resume d
ended "and it ends well" 0
check "the boot was tried again, nothing counts twice" tests/lib/prove-sweep "$KDYNO_LAB" d --allow-repeats
sim_end

sim_sweep e 1
sim_start e bad=3
begin e --hold-on-failure
held "the last boot, too"
is "the sweep has not ended" "$(states e complete)" 3
kill -9 $run
wait $run 2>/dev/null
begin e
held "nor does a new run end it"
check "resume" "$KDYNO" sweep resume e
ended "until it is resumed" 0
sim_end
sim_sweep f 1
sim_start f bad=2
begin f
ended "without the option nothing pauses" 0
unlike "nothing" "$(cat "$TAP_TMP/run")" paused
sim_end

# ---- what is wrong is one line
refused 2 'sweep pause wants the name of one sweep' "pause of nothing" "$KDYNO" sweep pause
refused 2 'sweep resume wants the name of one sweep' "resume of two" "$KDYNO" sweep resume a b
refused 1 "no sweep 'aa' in " "pause of none" "$KDYNO" sweep pause aa
refused 2 'reason wants printable ASCII, at most 120 bytes' "a long reason" "$KDYNO" sweep pause a --reason "$(printf '%0121d' 0)"
refused 2 'reason wants printable ASCII' "a reason that moves the cursor" "$KDYNO" sweep pause a --reason "$(printf 'a\033[2J')"
tap_done
