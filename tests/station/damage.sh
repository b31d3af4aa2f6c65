# SPDX-License-Identifier: GPL-2.0-or-later
#
# What the tests of a damaged line share: a sweep whose box is the runner's own code (fake-box) behind a serial line that damages bytes, without NFS.
# Read it after tests/station/run.sh and sim_lab. Contract: damage_run leaves `sweep run`'s $status and $out, the figures in $figures, the line's report in
# $line, and how long the box asked for its `ok` at the most in $longest_ms.
# shellcheck shell=sh
FAKE=
WIRE=
damage_end() {
    [ -n "$FAKE" ] && kill "$FAKE" 2>/dev/null && wait "$FAKE" 2>/dev/null
    [ -n "$WIRE" ] && kill "$WIRE" 2>/dev/null && wait "$WIRE" 2>/dev/null
    FAKE='' WIRE=''
}
at_exit damage_end

# damage_run SWEEP ROUNDS RECORDS SEED PERMILLE BAUD: PERMILLE of 1000 bytes are damaged, a third each flipped, dropped, doubled
damage_run() {
    sim_sweep "$1" "$2"
    mkdir -p "$TAP_TMP/said-$1"
    chance=$(perl -e 'printf "%.6f", $ARGV[0] / 3000' "$5")
    "$BUILD/tests/fake-box" "$TAP_TMP/fake.sock" "$KDYNO_LAB" "$1" "$TAP_TMP/said-$1" "$3" "$4" >"$TAP_TMP/fake.out" 2>"$TAP_TMP/fake.err" &
    FAKE=$!
    "$BUILD/tests/serial-line" --baud "$6" --flip "$chance" --drop "$chance" --double "$chance" --seed "$4" "$TAP_TMP/fake.sock" "$SIM_SOCKET" >"$TAP_TMP/line.out" 2>&1 &
    WIRE=$!
    until [ -S "$SIM_SOCKET" ]; do sleep 0.05; done
    run timeout "${DAMAGE_S:-120}" "$KDYNO" sweep run "$1"
    damage_end
    rm -f "$SIM_SOCKET"
    line=$(cat "$TAP_TMP/line.out")
    figures=$(tests/lib/compare-said "$KDYNO_LAB" "$1" "$TAP_TMP/said-$1")
    longest_ms=$(sed -n 's/.*bye_ms=\([0-9]*\) .*/\1/p' "$TAP_TMP/fake.out" | sort -n | tail -n 1)
    [ -s "$TAP_TMP/fake.err" ] && diag "$(cat "$TAP_TMP/fake.err")"
    diag "$5 of 1000 bytes, seed $4: $figures; the longest way from bye to ok: $longest_ms ms"
    diag "$line"
}
