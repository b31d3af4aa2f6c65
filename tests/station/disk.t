#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# timeout: 240
# The station's disk fills up while a sweep runs: said at once, nothing is answered meanwhile, Ctrl-C works, and once it can be written
# again the sweep goes on by itself with nothing lost. A box that floods does not fill it: the console log has a size.
. tests/lib/tap.sh
. tests/station/run.sh
sim_lab 60
# shellcheck disable=SC2317 # called by name
run_end() { [ -n "$running" ] && kill "$running" 2>/dev/null; }
running=
at_exit run_end

# ---- a flood: 2 MB of kernel text, of which the log keeps 200 kB; every record is there all the same
sim_sweep flood 1
sim_start flood tests=20 flood=2000000
run env KDYNO_CONSOLE_MAX=200000 timeout 60 "$KDYNO" sweep run flood
is "a box that floods" "$status" 0 || diag "$out" "$err"
like "is said to fill the log" "$out" 'the console log has its 200000 bytes: what comes from now on is counted, not kept'
check "nothing is missing" tests/lib/prove-sweep "$KDYNO_LAB" flood
is "the log has its size" "$(($(wc -c <"$KDYNO_LAB/sweeps/flood/console-sim.log") < 230000))" 1
check "and says where it ends" grep -q '^# [0-9]* the log has its 200000 bytes' "$KDYNO_LAB/sweeps/flood/console-sim.log"
check "what was not kept is counted" grep -q '^console line=[12] bytes=[0-9]\{7\} bad=0 dropped=[0-9]\{7\} by=station' "$KDYNO_LAB/sweeps/flood/journal"
like "and shown" "$("$KDYNO" show flood --channels)" ' [0-9]{7} +0 +[0-9]{7}$'
sim_end

if [ "$(id -u)" -ne 0 ] || ! mkdir -p "$KDYNO_LAB/sweeps/full" || ! mount -t tmpfs -o size=4m none "$KDYNO_LAB/sweeps/full" 2>/dev/null; then
    skip "a full disk" "no tmpfs can be mounted"
    tap_done
fi
disk=$KDYNO_LAB/sweeps/full
at_exit "umount '$disk'"
# shellcheck disable=SC2317 # called by name
said() { grep -q "$1" "$TAP_TMP/out"; }
journal_lines() { wc -l <"$disk/journal"; }
begin() { # NAME=VALUE...: a sweep that is made afresh, with its box, in the background
    sim_sweep fill 2
    rm -rf "${disk:?}"/*
    sed 's/id=fill /id=full /' "$KDYNO_LAB/sweeps/fill/schedule" | sed 's/ \*[0-9a-f]\{8\}$//' | with_crc >"$disk/schedule"
    cp "$KDYNO_LAB/sweeps/fill/manifest" "$disk/"
    sim_start full "$@"
    timeout 120 "$KDYNO" sweep run full >"$TAP_TMP/out" 2>&1 &
    running=$!
}
fill() { # KIB
    head -c "$((($(df -k --output=avail "$disk" | tail -n 1) - $1) * 1024))" /dev/zero >"$disk/ballast"
}
ends() { # DESCRIPTION
    wait $running
    is "$1: goes on by itself to the end" $? 0 || diag "$(cat "$TAP_TMP/out")"
    running=
    check "$1: every boot once, nothing missing" tests/lib/prove-sweep "$KDYNO_LAB" full --allow-repeats
    is "$1: no line was started twice" "$(grep 'state=start' "$disk/journal" | grep -o 'line=[0-9]*' | sort | uniq -d)" ""
    check "$1: nothing runs on" nothing_runs
    is "$1: no half line" "$(tail -c 1 "$disk/records.jsonl" | od -An -c | tr -d ' ')" '\n'
    sim_end
}

# ---- it fills up while the sweep runs, twice
begin tests=200 boot_ms=400
check "it runs" wait_for 20 journal_has full 'line=1 .*state=complete'
fill 8
check "a full disk is said at once" wait_for 20 said 'waiting: disk: No space left on device (.*); the box is not answered'
http=$(cut -d ' ' -f 1 "$KDYNO_LAB/run/http.pid")
lines=$(journal_lines)
sleep 4
is "and nothing is answered or marked meanwhile" "$(journal_lines)" "$lines"
check "the servers stay" kill -0 "$http"
rm "$disk/ballast"
check "room: it goes on" wait_for 20 said 'the disk can be written again: going on'
check "with the same servers" kill -0 "$http"
check "to the next boot" wait_for 20 sh -c '[ "$(grep -c state=complete "$1")" -ge 3 ]' sh "$disk/journal"
ends "a full disk"

# ---- read-only before it begins: one line, and nothing has begun (a file system with files open for writing cannot be made so)
mount -o remount,ro "$disk"
run "$KDYNO" sweep run full
is "read-only: exit 1" "$status" 1
one_line "in one line" "$err"
like "that says so" "$err" 'Read-only file system'
check "nothing runs on" nothing_runs
mount -o remount,rw "$disk"

# ---- Ctrl-C while it waits
begin tests=200 boot_ms=400
check "it runs" wait_for 20 journal_has full 'line=1 .*state=complete'
fill 0
check "it waits" wait_for 20 said 'waiting: disk: '
pid=$(pgrep -P $running)
kill -INT "$pid"
wait $running
is "Ctrl-C: exit 1" $? 1
check "nothing runs on" nothing_runs
rm "$disk/ballast"
timeout 100 "$KDYNO" sweep run full >"$TAP_TMP/out" 2>&1 &
running=$!
ends "stopped while it waited"
tap_done
