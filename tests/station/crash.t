#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# timeout: 120
# A crash kernel, as the station sees it: what it says names the failure and is kept, the next boot goes on from it without home and counts. And
# what `crash_kernel` of a board puts on every subject.
. tests/lib/tap.sh
. tests/station/run.sh
sim_lab
sed -i 's/^memory = .*/&\ncrash_kernel = 64M/' "$KDYNO_LAB/boards/sim.ini"
line_of() { grep -a "^try line=$2 .* state=failed " "$KDYNO_LAB/sweeps/$1/journal"; }

sim_sweep crash 2
like "the sweep says so" "$(grep '^sweep ' "$KDYNO_LAB/sweeps/crash/schedule")" ' crash=67108864 '
is "crashkernel= is on every subject" "$(grep '^cmdline ' "$KDYNO_LAB/sweeps/crash/manifest" | grep -c 'crashkernel%3D64M')" 2
is "and not on home" "$(grep '^home ' "$KDYNO_LAB/sweeps/crash/manifest" | grep -c -e crashkernel -e '^home words=console%3DttyS0,115200%20')" 1
unlike "home's line" "$(grep '^home ' "$KDYNO_LAB/sweeps/crash/manifest")" crashkernel

sim_start crash nfs=1 crash=2
run timeout 60 "$KDYNO" sweep run crash
is "sweep run ends well" "$status" 0 || diag "$out" "$err"
check "every boot complete" tests/lib/prove-sweep "$KDYNO_LAB" crash --allow-repeats
like "the try failed: oops" "$(line_of crash 2)" ' name=oops why=BUG:%20boxsim%20is%20bad%20at%20f'
is "once" "$(line_of crash 2 | wc -l)" 1
is "nothing is void: the boot behind the crash kernel counts" "$(grep -c state=void "$KDYNO_LAB/sweeps/crash/journal")" 0
is "home came up once, at the start" "$(grep -c '"kind":"hello".*"role":"home"' "$KDYNO_LAB/sweeps/crash/records.jsonl")" 1
crash=$(sed -n 's/.* kd1 \([0-9a-f]*\) 0 [0-9]* hello .* role=crash .*/\1/p' "$KDYNO_LAB/sweeps/crash/console-sim.log" | head -n 1)
is "what it sent is kept, as home's is" "$(grep -c "\"line\":0,\"tag\":\"$crash\".*\"name\":\"dmesg\"" "$KDYNO_LAB/sweeps/crash/records.jsonl")" 2
run "$KDYNO" show crash
like "show names the failure" "$out" 'failed:oops'
like "and the evidence: by whom, and what it was" "$out" "^ *2 +failed:oops +crash kernel +$crash +[0-9]+ +BUG: boxsim is bad at f"
"$KDYNO" show crash --json >"$TAP_TMP/json"
is "as JSON too" "$(tests/lib/json-get tries line=2 death tag <"$TAP_TMP/json")-$(tests/lib/json-get tries line=1 death <"$TAP_TMP/json")" "$crash-null"
run "$KDYNO" show crash --tag "$crash"
like "and its records can be seen" "$out" 'name=dmesg'
run "$KDYNO" show crash --log
like "its log, line by line" "$out" '^\| .*BUG: boxsim is bad'
like "with whose it is" "$out" "^the log of line 2, .* crash kernel has it .tag $crash"
like "as JSON too" "$(tests/lib/json-get tries line=2 death log <"$TAP_TMP/json")" 'BUG: boxsim is bad'
run "$KDYNO" show crash --log --tag 7fffffff
is "no such tag" "$status" 2
like "compare takes it for a link of the chain" "$("$KDYNO" compare crash 2>&1)" 'boot-time'
unlike "and leaves no boot out" "$("$KDYNO" compare crash 2>&1)" 'left out'
sim_end

# Its hello alone, and then nothing more.
rm -f "$TAP_TMP/cycle"
sed -i 's/^deaf_s = .*/deaf_s = 10/' "$KDYNO_LAB/boards/sim.ini"
sim_sweep alone 1
sim_start alone crash=2 quiet=1
run timeout 110 "$KDYNO" sweep run alone
is "sweep run ends well" "$status" 0 || diag "$out" "$err"
like "the try failed: panic" "$(line_of alone 2)" ' name=panic'
like "power was cut, and home came" "$out" 'power cycle 1: silence'
check "every boot complete" tests/lib/prove-sweep "$KDYNO_LAB" alone --allow-repeats
sim_end

for size in yes 1M 200M; do
    sed "s/^crash_kernel = .*/crash_kernel = $size/" "$KDYNO_LAB/boards/sim.ini" >"$KDYNO_LAB/boards/odd.ini"
    refused 1 'crash_kernel' "crash_kernel = $size" "$KDYNO" sweep new odd --box odd --kernels 6.1.0-a --rounds 1 --tests boot-time
done
tap_done
