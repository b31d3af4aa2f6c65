#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# timeout: 120
# The serial line of the tests (tests/lib/serial-line.c) does what it says: what is not to be damaged arrives whole, both ways; the damage is of
# its seed, and counted; a sender is held back by a slow line; a box that comes and goes is reached again.
. tests/lib/tap.sh
LINE=$BUILD/tests/serial-line
cd "$TAP_TMP" || exit 1
cp "$TAP_TOP/$LINE" line || bail "no serial-line"

# ends: both ends of the line. The box sends $1 bytes of a pattern, the station as many of another; then the line is ended. Prints what arrived and how.
cat >ends.pl <<'END'
use strict; use warnings; use IO::Socket::UNIX; use IO::Select; use Time::HiRes qw(time);
my ($n, @line) = @ARGV;
unlink 'box'; my $l = IO::Socket::UNIX->new(Local => 'box', Listen => 1) or die;
my $pid = fork; if (!$pid) { open STDOUT, '>', 'report'; exec './line', @line, 'box', 'station' }
my $box = $l->accept; my $station;
for (1 .. 200) { last if $station = IO::Socket::UNIX->new(Peer => 'station'); select undef, undef, undef, 0.02 }
$_->blocking(0) for $box, $station;
my %out = ($box => join('', map { chr(($_ * 7 + 1) & 255) } 0 .. $n - 1), $station => join('', map { chr(($_ * 13 + 5) & 255) } 0 .. $n - 1));
my %want = %out; my %got = ($box => '', $station => ''); my $quiet = time; my $most = 0;
while (time - $quiet < 2 && !("@line" !~ m{flip} && length $got{$station} == $n && length $got{$box} == $n)) {
    for my $h ($box, $station) {
        for (1 .. 32) { length $out{$h} or last; my $k = syswrite $h, substr($out{$h}, 0, 1) or last; substr($out{$h}, 0, $k) = ''; $quiet = time }
        my $k = sysread $h, my $b, 4096; if ($k) { $got{$h} .= $b; $quiet = time }
    }
    my $on_the_way = $n - length($out{$box}) - length $got{$station};
    $most = $on_the_way if $on_the_way > $most;
    select undef, undef, undef, 0.001;
}
kill TERM => $pid; waitpid $pid, 0;
printf "up %s down %s up_bytes %d most %d\n", $got{$station} eq $want{$box} ? 'same' : 'other', $got{$box} eq $want{$station} ? 'same' : 'other',
    length $got{$station}, $most;
open my $f, '>', 'arrived'; print $f $got{$station};
END

run perl ends.pl 20000
like "undamaged and not paced, all arrives both ways" "$out" 'up same down same up_bytes 20000'
like "and is counted" "$(cat report)" '^from-box in=20000 out=20000 flips=0 drops=0 doubles=0 lost=0$'
run perl ends.pl 2000 --baud 9600
like "at 9600 baud too" "$out" 'up same down same up_bytes 2000'
like "and the sender is held back: no more is on its way than a small buffer holds" "$out" 'most [0-9]{1,3}$'

run perl ends.pl 50000 --flip 0.002 --drop 0.002 --double 0.002 --seed 7
like "damage is done" "$out" 'up other down other'
report=$(cat report)
cp arrived first
like "flips near their chance (100)" "$report" 'from-box .*flips=([6-9]|1[0-4])[0-9] '
like "drops too" "$report" 'from-box .*drops=([6-9]|1[0-4])[0-9] '
like "doubles too" "$report" 'from-box .*doubles=([6-9]|1[0-4])[0-9] '
perl ends.pl 50000 --flip 0.002 --drop 0.002 --double 0.002 --seed 7 >/dev/null
is "the same seed damages the same" "$(cat report)" "$report"
check "byte for byte" cmp arrived first
perl ends.pl 50000 --flip 0.002 --drop 0.002 --double 0.002 --seed 8 >/dev/null
check "another seed others" test "$(cat report)" != "$report"

run ./line --flip 2 a b
is "a chance above 1 is refused" "$status" 1
one_line "in one line" "$err"
run ./line
is "no ends: usage" "$status" 2
tap_done
