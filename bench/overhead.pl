# SPDX-License-Identifier: GPL-2.0-or-later
# overhead: what the suite's own books, checks and stamps cost on its hottest loops, against bare loops that do nothing else (bench/bare_loop.c), side
# by side. Prints a table; docs/MEASUREMENTS.md has the one that was kept.
#
# Settings: BUILD, ARCH, RUNS (rounds, 15).
use strict;
use warnings;
use File::Temp qw(tempdir);
use Side;

my $build = $ENV{BUILD} || 'build';
my $arch  = $ENV{ARCH}  || 'x86_64';
my $runs  = $ENV{RUNS}  || 60;
my $dir   = tempdir('kdyno-overhead.XXXXXX', DIR => -d '/dev/shm' ? '/dev/shm' : '/tmp', CLEANUP => 1);
my $size  = 64 << 20;
my $trips = 20000;
my @rows;

sub bare { my @ns = split /\n/, Side::output("$build/$arch/bare_loop", @_); return {ns => Side::median(@ns)} }

sub row {
    my ($what, $ours, $bare, $unit, $per) = @_;
    my ($ours_q, $bare_q) = map { Side::quantile(.25, @$_) / $per } $ours, $bare;
    my @ratio = map { $ours->[$_] / $bare->[$_] } 0 .. $#$ours;
    push @rows, sprintf '| %s | %.0f | %.0f | %s | %+.1f %% | %+.1f %% (%+.1f .. %+.1f) |', $what, $ours_q, $bare_q, $unit,
        map { 100 * ($_ - 1) } $ours_q / $bare_q, map { Side::quantile($_, @ratio) } .5, .25, .75;
    print "bench: $rows[-1]\n";
}

system('sh', '-c', "head -c $size /dev/urandom > $dir/file") == 0 or die "no file\n";
my %env = (KD_SCRATCH => $dir, KD_TMP => $dir);
my $read = Side::turns($runs, {
    ours => sub { {ns => Side::suite($build, $arch, 'disk-seq', {size_bytes => $size, chunk_bytes => 4096, reps => 1, warm => 0, cold => 'none'}, %env)->{'read.move_ns'}} },
    bare => sub { bare('read', "$dir/file", 4096, 1) },
});
row('4 KiB reads from the page cache', $read->{ours}{ns}, $read->{bare}{ns}, 'ns a read', $size / 4096);

for my $how ("same") { # on two CPUs the placement decides, not the loop
    my @pin = ("taskset", "-c", 0);
    my $ping = Side::turns($runs, {
        ours => sub { {ns => Side::suite($build, $arch, 'sched-pingpong', {time_ms => 100, reps => 1, warm => 0}, %env)->{$how}} },
        bare => sub { my @ns = split /\n/, Side::output(@pin, "$build/$arch/bare_loop", 'pingpong', $trips, 2); shift @ns; {ns => Side::median(@ns) / $trips} },
    });
    row("ping-pong by pipes, $how CPU", $ping->{ours}{ns}, $ping->{bare}{ns}, 'ns a round trip', 1);
}
print "\n| loop | suite, lower quartile | bare | unit | the suite takes more | by round: median (middle half) |\n| --- | --- | --- | --- | --- | --- |\n", map { "$_\n" } @rows;
