#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# timeout: 120
# A deaf box on a tty (a pty, behind which a simulated box speaks) whose board turns sysrq on: it is asked by BREAK and 8, t, w, once, after its hello and before
# its power is cut; what it says then is in the evidence. A start that never said hello is asked nothing.
. tests/lib/tap.sh
. tests/station/run.sh
sim_lab 10

# bridge SOCKET LOG: prints the tty's name; hands bytes both ways, keeps what the station sends, and says `Show State` to 8tw
cat >"$TAP_TMP/bridge" <<'END'
use IO::Socket::UNIX; use IO::Select;
my ($sock, $log) = @ARGV;
open(my $m, '+<:raw', '/dev/ptmx') or die "ptmx: $!";
my $zero = pack 'i', 0; ioctl($m, 0x40045431, $zero) or die "unlock: $!";
my $n = pack 'i', 0; ioctl($m, 0x80045430, $n) or die "number: $!";
my $tty = '/dev/pts/' . unpack 'i', $n;
open(my $keep, '+<', $tty) or die "$tty: $!";
system('stty', '-F', $tty, 'raw', '-echo') == 0 or die 'stty';
$| = 1; print "$tty\n";
my $s = IO::Socket::UNIX->new(Peer => $sock) or die "$sock: $!";
open(my $l, '>>', $log); $l->autoflush(1);
my ($sel, $seen, $said) = (IO::Select->new($m, $s), '', 0);
while (1) {
    for my $h ($sel->can_read) {
        my $got = sysread($h, my $b, 4096) or exit;
        if ($h == $s) { syswrite $m, $b; next }
        print $l $b; syswrite $s, $b;
        $seen = substr $seen . $b, -10;
        if (!$said && $seen =~ /8tw$/) { $said = 1; syswrite $m, "sysrq: Show State\r\n  task:swapper\r\n" }
    }
}
END
check "sweep new" "$KDYNO" sweep new tty --box sim --kernels 6.1.0-a,6.12.0-b --rounds 1 --seed 1 --profile smoke --tests boot-time || bail "no sweep"
sim_start tty silent=2 hang=4
perl "$TAP_TMP/bridge" "$SIM_SOCKET" "$TAP_TMP/sent" >"$TAP_TMP/tty" 2>"$TAP_TMP/bridge.err" &
bridge=$!
# shellcheck disable=SC2317 # called by name
bridge_end() { kill "$bridge" 2>/dev/null; }
at_exit bridge_end
wait_for 5 test -s "$TAP_TMP/tty" || skip_all "no pty: $(cat "$TAP_TMP/bridge.err")"
sed -i -e "s|^type = .*|type = tty|" -e "s|^path = .*|path = $(cat "$TAP_TMP/tty")|" -e '/^type = /a sysrq = yes' "$KDYNO_LAB/boards/sim.ini"

run timeout 110 "$KDYNO" sweep run tty
is "the sweep goes on to its end" "$status" 0 || diag "$out" "$err"
check "silent, and failed for it" journal_has tty 'line=2 .*state=failed .*name=silent'
check "it was asked" grep -q '8tw' "$TAP_TMP/sent"
is "once: what had not said hello was asked nothing" "$(grep -o 8tw "$TAP_TMP/sent" | wc -l)" 1
check "though there was such a one" journal_has tty 'line=4 .*state=not-run'
tag=$(sed -n 's/^try line=2 tag=\([0-9a-f]*\) .*/\1/p' "$KDYNO_LAB/sweeps/tty/schedule")
check "what it said is in the evidence" grep -q 'sysrq: Show State' "$KDYNO_LAB/sweeps/tty/evidence/$tag-silent.txt"
check "the console log says that it was asked" grep -q '^# [0-9]* sysrq: BREAK and each of 8tw$' "$KDYNO_LAB/sweeps/tty/console-sim.log"
check "every boot counts once" tests/lib/prove-sweep "$KDYNO_LAB" tty --allow-repeats
sim_end
tap_done
