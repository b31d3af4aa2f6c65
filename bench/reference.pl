# SPDX-License-Identifier: GPL-2.0-or-later
# reference: the suite's tests against the programs that the field knows, side by side in one run on this machine, on tmpfs and on a file of a disk:
# fio (sequential, random, O_DIRECT), bonnie++ (block phases), hackbench, cyclictest. What counts is the median of the ratios, round by round.
#
# Settings: BUILD, ARCH, RUNS (rounds, 7), DISK (a folder on a disk; default $BUILD), PARTS (a comma list of seq, rand, bonnie, messaging, wake).
# Trap: percentiles of a machine that is shared move by tens of per cent from round to round; the least and the greatest ratio say how much.
use strict;
use warnings;
use File::Temp qw(tempdir);
use JSON::PP;
use Side;

my $build = $ENV{BUILD} || 'build';
my $arch  = $ENV{ARCH}  || 'x86_64';
my $runs  = $ENV{RUNS}  || 7;
my %parts = map { $_ => 1 } split /,/, $ENV{PARTS} || 'seq,rand,bonnie,messaging,wake';
my %place = (tmpfs => tempdir('kdyno-ref.XXXXXX', DIR => '/dev/shm', CLEANUP => 1),
    disk => tempdir('kdyno-ref.XXXXXX', DIR => $ENV{DISK} || $build, CLEANUP => 1));
my @rows;
$| = 1;

sub have { my ($p) = @_; return grep { -x "$_/$p" } split(/:/, $ENV{PATH}), '/usr/sbin' }
sub suite { my ($test, $args, $dir) = @_; return Side::suite($build, $arch, $test, $args, KD_SCRATCH => $dir, KD_TMP => $dir) }

# A row a name: ours over the reference. unit and div are for reading alone.
sub rows {
    my ($what, $got, $tool, $unit, $div, $allowed, @names) = @_;
    my $arm = ref $tool ? $tool->[0] : 'ours'; # [arm of ours, reference]
    $tool = $tool->[1] if ref $tool;
    for my $name (@names) {
        my ($ours, $ref) = map { $got->{$_}{$name} } $arm, $tool;
        my ($r, $lo, $hi) = Side::ratio($ours, $ref);
        my $verdict = abs($r - 1) <= $allowed ? 'within' : 'beyond';
        push @rows, sprintf '| %s %s | %s | %.1f | %.1f | %s | %+.1f %% (%+.1f .. %+.1f) | %s %d %% |', $what, $name, $tool, Side::median(@$ours) / $div,
            Side::median(@$ref) / $div, $unit, (map { 100 * ($_ - 1) } $r, $lo, $hi), $verdict, 100 * $allowed;
        print "bench: $rows[-1]\n";
    }
}

# One job of fio on one file of dir; its JSON.
sub fio {
    my ($dir, %o) = @_;
    my @args = map { defined $o{$_} ? "--$_=$o{$_}" : "--$_" } sort keys %o;
    my $json = Side::output('fio', '--name=kd', "--filename=$dir/fio", '--ioengine=psync', '--thread=0', '--output-format=json', '--randrepeat=1', @args);
    return decode_json($json)->{jobs}[0];
}

sub seq {
    my ($name, $dir) = @_;
    my $size = 512 << 20;
    my $got = Side::turns($runs, {
        ours => sub { suite('disk-seq', {size_bytes => $size, chunk_bytes => 1 << 20, reps => 1, warm => 0, cold => $name eq 'disk' ? 'fadvise' : 'none'}, $dir) },
        fio  => sub {
            unlink "$dir/fio";
            my %o = (bs => "1m", size => $size, fallocate => "none");
            my $w = fio($dir, %o, rw => 'write', end_fsync => 1);
            my $r = fio($dir, %o, rw => "read", invalidate => 1, loops => $name eq "tmpfs" ? 5 : 1);
            unlink "$dir/fio";
            # the time is in whole ms there
            return {write => $w->{write}{io_bytes} / $w->{job_runtime} * 1000, read => $r->{read}{io_bytes} / $r->{read}{runtime} * 1000};
        },
    });
    rows("$name sequential", $got, 'fio', 'MiB/s', 1 << 20, .05, 'write', 'read');
}

sub rnd {
    my ($name, $dir, $direct) = @_;
    my $size = 128 << 20;
    fio($dir, bs => "64k", size => $size, fallocate => "none", rw => "write", end_fsync => 1);
    my $got = Side::turns($runs, {
        ours => sub { suite('disk-rand', {size_bytes => $size, block_bytes => 4096, time_ms => 1500, ops => 1, depth => 1, direct => $direct ? 'yes' : 'no', cold => 'none'}, $dir) },
        fio  => sub {
            my %o = (bs => '4k', size => $size, fallocate => 'none', time_based => undef, runtime => '1500ms', direct => $direct, norandommap => undef, invalidate => 0);
            my $r = fio($dir, %o, rw => 'randread');
            my $w = fio($dir, %o, rw => 'randwrite', end_fsync => 1);
            return {read => $r->{read}{iops}, write => $w->{write}{total_ios} / $w->{write}{runtime} * 1000,
                map { ("$_->[0]_p99" => $_->[1]{clat_ns}{percentile}{'99.000000'}) } ['read', $r->{read}], ['write', $w->{write}]};
        },
        "fio gtod_reduce" => sub {
            my %o = (bs => "4k", size => $size, fallocate => "none", time_based => undef, runtime => "1500ms", direct => $direct, norandommap => undef, invalidate => 0, gtod_reduce => 1);
            return {read => fio($dir, %o, rw => "randread")->{read}{iops}, write => fio($dir, %o, rw => "randwrite", end_fsync => 1)->{write}{iops}};
        },
    });
    unlink "$dir/fio";
    my $what = "$name random" . ($direct ? ', O_DIRECT,' : '');
    rows($what, $got, 'fio', 'op/s', 1, .05, 'read', 'write');
    rows($what, $got, "fio gtod_reduce", "op/s", 1, .05, "read", "write"); # without its own clock calls
    rows($what, $got, 'fio', 'us', 1000, .10, grep { $got->{ours}{$_} && $got->{fio}{$_} } 'read_p99', 'write_p99');
}

sub bonnie {
    my ($name, $dir) = @_;
    my $mib = 4096; # it prints no rate of less than half a second; the fields are those of bonnie++ 1.98 and 2.0
    my $got = Side::turns($runs < 5 ? $runs : 5, {
        ours => sub { suite('disk-bonnie', {order => 'bonnie++', size_bytes => $mib << 20, cold => 'none'}, $dir) },
        'bonnie++' => sub {
            my ($csv) = grep { /,/ } split /\n/, Side::output('bonnie++', '-d', $dir, '-s', $mib, '-r', $mib / 2, '-n', 0, '-f', '-q', '-u', 'root');
            my @f = split /,/, $csv;
            my @v = map { $f[$_] =~ m{^\d} ? $f[$_] * 1024 : die "bonnie++ said no rate: $csv\n" } 11, 13, 17;
            return {write => $v[0], rewrite => $v[1], read => $v[2]};
        },
    });
    rows("$name block", $got, 'bonnie++', 'MiB/s', 1 << 20, .05, 'write', 'rewrite', 'read');
}

sub messaging {
    my ($via) = @_;
    my ($n, $loops) = (10, $via eq 'pipe' ? 20000 : 5000); # one to two seconds: the forks, which ours counts and hackbench does not, are nothing
    my $got = Side::turns($runs, {
        ours => sub { {whole => suite('sched-messaging', {groups => 2, senders => $n, receivers => $n, messages => $loops, reps => 1, warm => 0, via => $via}, '/tmp')->{'reps.whole'}[0]} },
        hackbench => sub {
            my $out = Side::output('hackbench', '-g', 2, '-f', $n, '-l', $loops, '-s', 100, $via eq 'pipe' ? '-p' : ());
            my ($s) = $out =~ /^Time: ([0-9.]+)/m or die "hackbench said: $out";
            return {whole => 2 * $n * $n * $loops / $s};
        },
    });
    rows("messaging by $via,", $got, 'hackbench', '1000 msg/s', 1000, .05, 'whole');
}

# p50, p99, p99.9 in ns of a histogram in us
sub percentiles {
    my (%count) = @_;
    my ($n, $sum, %p) = (0, 0);
    $n += $_ for values %count;
    for my $us (sort { $a <=> $b } keys %count) {
        $sum += $count{$us};
        for ([p50 => .5], [p99 => .99]) { $p{$_->[0]} //= $us * 1000 if $sum >= $_->[1] * $n }
    }
    return \%p;
}

# cyclictest holds /dev/cpu_dma_latency at 0, so that no idle CPU sleeps; a test that asks what people wait for must not. Both are measured here, and what holding it
# is worth is a row of its own.
sub wake {
    my ($count, $quiet) = (3000, '/dev/cpu_dma_latency');
    my $ours = sub { suite('sched-wake', {period_us => 1000, count => $count, warm => 10, exec_ms => 0, work_chunks => 0}, '/tmp') };
    my $got = Side::turns($runs, {
        ours => $ours,
        'ours, held' => sub {
            open my $fh, '+>', $quiet or die "$quiet: $!\n";
            syswrite $fh, pack 'l', 0;
            my $m = $ours->();
            close $fh;
            return $m;
        },
        cyclictest => sub {
            my $out = Side::output('cyclictest', '-t', 1, '-i', 1000, '-l', $count, '-h', 20000, '-q', '--policy=other');
            return percentiles($out =~ /^(\d+) 0*([1-9]\d*)$/mg);
        },
    });
    rows("wake-up, idle, $quiet at 0,", $got, ['ours, held', 'cyclictest'], 'us', 1000, .10, 'p50', 'p99');
    rows('wake-up, idle, as it is,', $got, ['ours', 'ours, held'], 'us', 1000, .10, 'p50', 'p99');
}

my @missing = grep { !have($_) } 'fio', 'bonnie++', 'hackbench', 'cyclictest';
die "missing: @missing; as root: apt-get install fio bonnie++ rt-tests\n" if @missing;
for my $name ('tmpfs', 'disk') {
    seq($name, $place{$name}) if $parts{seq};
    rnd($name, $place{$name}, 0) if $parts{rand};
    rnd($name, $place{$name}, 1) if $parts{rand} && $name eq 'disk';
    bonnie($name, $place{$name}) if $parts{bonnie};
}
if ($parts{messaging}) { messaging($_) for 'socket', 'pipe' }
wake() if $parts{wake};
print "\n| what | reference | ours | reference | unit | ours over the reference, median (least .. greatest) of $runs rounds | |\n| --- | --- | --- | --- | --- | --- | --- |\n",
    map { "$_\n" } @rows;
