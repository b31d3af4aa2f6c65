#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# Switches on a simulated box: via-home and firmware sweeps; box qualify: three sweeps, the verdict, what sweep new makes of it; a stop in between.
. tests/lib/tap.sh
. tests/station/run.sh
command -v jq >/dev/null || bail "jq is missing"

sim_lab
qualified=$KDYNO_LAB/boxes/sim/qualified

# ---- each switch for itself
for sw in via-home firmware; do
    check "sweep new $sw" "$KDYNO" sweep new "$sw" --box sim --kernels 6.1.0-a --variants smp,up:nosmp --rounds 2 --seed 1 --tests boot-time --switch $sw
    sim_start "$sw"
    run "$KDYNO" sweep run "$sw"
    is "$sw ends well" "$status" 0 || diag "$out" "$err"
    is "$sw: complete once each" "$(grep -c 'state=complete ' "$KDYNO_LAB/sweeps/$sw/journal")" 5
    is "$sw: nothing off its path" "$(grep -cE 'state=(void|failed|not-run) ' "$KDYNO_LAB/sweeps/$sw/journal")" 0
    is "$sw: every boot came so" "$("$KDYNO" show "$sw" --json | jq -r '.tries[].start' | sort -u)" "$sw"
    sim_end
done
like "home's entry is back" "$(cat "$KDYNO_LAB/tftp/sim/pxelinux.cfg/default")" '^DEFAULT home$'
like "it says how the box goes on" "$(cat "$KDYNO_LAB/tftp/sim/pxelinux.cfg/default")" ' kd\.switch=firmware '
like "the job of the last one stands there" "$(cpio -i --quiet --to-stdout kd/job <"$KDYNO_LAB/tftp/sim/subject-job")" '^job tag=.* start=firmware switch=firmware '

# ---- qualify
refused 2 'which box' "no box" "$KDYNO" box qualify
refused 2 '--kernel ID is wanted' "no kernel" "$KDYNO" box qualify sim
refused 1 "no box 'sin'" "an unknown box" "$KDYNO" box qualify sin --kernel 6.1.0-a
refused 1 "no kernel '6.1.0-x'" "an unknown kernel" "$KDYNO" box qualify sim --kernel 6.1.0-x
run "$KDYNO" box show sim
like "not qualified" "$out" "^qualified +no; 'kdyno box qualify sim --kernel ID'$"
run "$KDYNO" sweep new before --box sim --kernels 6.1.0-a,6.12.0-b --tests boot-time
like "sweep new says so" "$out" 'switch +box sim is not qualified'
is "and warns of nothing" "$err" ""

sim_start none follow=1
"$KDYNO" box qualify sim --kernel 6.1.0-a --rounds 4 --tests boot-time --plain >"$TAP_TMP/q" 2>&1 &
q=$!
check "it is in its second sweep" wait_for 60 journal_has qualify-sim-via-home state=complete
kill -INT $q
wait $q
is "Ctrl-C: exit 1" $? 1
like "and says how to go on" "$(cat "$TAP_TMP/q")" 'box qualify stopped in sweep qualify-sim-via-home .*; the same command goes on'
check "no verdict yet" test ! -e "$qualified"
check "nothing runs" wait_for 20 nothing_runs
done=$(grep -c 'state=complete ' "$KDYNO_LAB/sweeps/qualify-sim-chain/journal")
run "$KDYNO" box qualify sim --kernel 6.1.0-a --rounds 4 --tests boot-time --plain
is "the same command goes on" "$status" 0 || diag "$out" "$err"
like "what was run is not run again" "$out" 'all of it has been run already'
is "not one boot of it" "$(grep -c 'state=complete ' "$KDYNO_LAB/sweeps/qualify-sim-chain/journal")" "$done"
like "a line a switch" "$out" '^chain +safe +9 +9 +0 '
like "base" "$out" '^firmware +safe +9 +9 +0 .* base$'
like "what it means" "$out" '^box sim: chain is safe \(9 of 9 boots complete\), whether it shifts a metric: not known$'
like "the file" "$(cat "$qualified")" '^qualified v=1 box=sim kernel=6\.1\.0-a suite=smoke rounds=4 at=[0-9]+ board=[0-9a-f]{16} base=firmware chain=safe chain_boots=9 .* \*[0-9a-f]{8}$'
run "$KDYNO" box show sim
like "box show has it" "$out" '^qualified +20.* with kernel 6\.1\.0-a, 4 rounds of smoke$'
run "$KDYNO" box list
like "and box list" "$out" '^sim .*\(kexec safe\)$'
run "$KDYNO" sweep new after --box sim --kernels 6.1.0-a,6.12.0-b --tests boot-time
like "and sweep new" "$out" '^switch +chain: safe \(9 of 9 boots'
refused 1 "was made with kernel 6.1.0-a, 4 rounds, profile smoke; give the same to go on, or --anew" "another kernel" "$KDYNO" box qualify sim --kernel 6.12.0-b --rounds 4

# ---- a box whose kexec is not safe
sim_end
sim_start none follow=1 back=3
run "$KDYNO" box qualify sim --kernel 6.12.0-b --rounds 1 --tests boot-time --plain --anew
is "one jump of a chain came back" "$status" 0 || diag "$out" "$err"
like "not safe" "$out" '^chain +unsafe +3 +3 +1 .* jump$'
like "the others are" "$out" '^via-home +safe +3 +3 +0 '
like "the next sweep goes the other way" "$out" '^sweeps go by via-home: chain is not safe here \(3 of 3 boots complete, jump\)$'
run "$KDYNO" sweep new safe --box sim --kernels 6.1.0-a,6.12.0-b --tests boot-time
like "as sweep new says" "$err" 'chain is not safe here .*: the sweep goes by switch via-home in place of chain'
like "and does" "$(cat "$KDYNO_LAB/sweeps/safe/schedule")" '^sweep .* switch=via-home '
run "$KDYNO" sweep new own --box sim --kernels 6.1.0-a,6.12.0-b --tests boot-time --switch chain
like "one's own choice is taken, and warned of" "$err" "--switch chain, though it is not safe on box sim: unsafe \\(3 of 3 boots complete, 1 bad try: jump\\)"
like "taken" "$(cat "$KDYNO_LAB/sweeps/own/schedule")" '^sweep .* switch=chain '
echo '; changed' >>"$KDYNO_LAB/boards/sim.ini"
run "$KDYNO" box show sim
like "a changed config is said" "$out" '^qualified .*; the board config has changed since$'
sed -i 's/bad=1/bad=0/' "$qualified"
run "$KDYNO" sweep new damaged --box sim --kernels 6.1.0-a,6.12.0-b --tests boot-time
like "a damaged verdict counts for nothing, and is said" "$err" 'boxes/sim/qualified: qualified: the line is damaged'
like "so the board decides" "$(cat "$KDYNO_LAB/sweeps/damaged/schedule")" '^sweep .* switch=chain '
tap_done
