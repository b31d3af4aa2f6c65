# SPDX-License-Identifier: GPL-2.0-or-later
#
# What the tests of `sweep run` share: two fake kernels and a simulated box (boxsim) on a unix socket, so that no machine is needed. Read
# it after tests/lib/tap.sh. Contract: sim_end ends the box; every sweep is made afresh.
# shellcheck shell=sh
. tests/station/lab.sh
SIM=
SIM_SOCKET=$TAP_TMP/sim.sock

# sim_board BOX DEAF_S: a box on its own socket; its power is cycled by making cycle-BOX
sim_board() {
    mkdir -p "$KDYNO_LAB/boards"
    cat >"$KDYNO_LAB/boards/$1.ini" <<END
[board]
arch = x86_64
switch = chain
[console]
type = socket
path = $TAP_TMP/$1.sock
[machine]
memory = 256M
nic = virtio_net
[boot]
cmdline = quiet
again_s = 5
deaf_s = $2
jump_s = 5
[power]
cycle = touch $TAP_TMP/cycle-$1
END
}

# sim_lab [DEAF_S]: kernels and the box
sim_lab() {
    fake_kernel 6.1.0-a
    fake_kernel 6.12.0-b
    fake_kernel 6.1.0-home --as home
    sim_board sim "${1:-60}"
}

# sim_sweep ID ROUNDS
sim_sweep() {
    rm -rf "$KDYNO_LAB/sweeps/$1" "$KDYNO_LAB/results/$1"
    check "sweep new $1" "$KDYNO" sweep new "$1" --box sim --kernels 6.1.0-a,6.12.0-b --rounds "$2" --seed 1 --profile smoke \
        --tests boot-time || bail "no sweep"
}

# sim_start SWEEP [NAME=VALUE]...
sim_start() {
    sim_sweep_id=$1
    shift
    tests/station/boxsim "$SIM_SOCKET" "$KDYNO_LAB" "$sim_sweep_id" sim cycle="$TAP_TMP/cycle-sim" "$@" 2>"$TAP_TMP/sim.err" &
    SIM=$!
    until [ -S "$SIM_SOCKET" ]; do sleep 0.05; done
}
sim_end() {
    [ -s "$TAP_TMP/sim.err" ] && diag "$(cat "$TAP_TMP/sim.err")"
    [ -n "$SIM" ] && kill "$SIM" 2>/dev/null && wait "$SIM" 2>/dev/null
    SIM=
    rm -f "$SIM_SOCKET"
}
at_exit sim_end

# nothing_runs: no process of this lab is left
nothing_runs() { ! pgrep -f -- "--lab $KDYNO_LAB serve" >/dev/null && ! pgrep -f "$KDYNO_LAB/run/" >/dev/null; }
lab_kill() {
    for f in "$KDYNO_LAB"/run/*.pid; do
        [ -r "$f" ] && read -r pid _ <"$f" && kill "$pid" 2>/dev/null
    done
}
at_exit lab_kill

journal_has() { grep -q "$2" "$KDYNO_LAB/sweeps/$1/journal"; }
# with_crc: lines of a journal, or records, each with the CRC that it lacks
with_crc() {
    perl -e 'my @t = map { my $c = $_; $c = $c & 1 ? $c >> 1 ^ 0x82f63b78 : $c >> 1 for 1 .. 8; $c } 0 .. 255;
        while (<STDIN>) { chomp; my $c = 0xffffffff; $c = $c >> 8 ^ $t[($c ^ $_) & 0xff] for unpack "C*", s/^# //r; printf "%s *%08x\n", $_, $c ^ 0xffffffff }'
}
