# SPDX-License-Identifier: GPL-2.0-or-later
# crash: two sweeps on two twins that differ in crash_kernel alone. From the station's journal and console log:
#   a boot    from its start to the start of the next line
#   a kexec   from the bye of a clean boot to the first test of the next one
# Trap: on a busy machine emulated boots differ by tens of per cent; the arms of each ratio take turns in one sweep where they can.
use strict;
use warnings;

my $build = $ENV{BUILD} || 'build';
my $lab = $ENV{LAB} || "$build/bench-lab";
my $rounds = $ENV{ROUNDS} || 4;
my $kdyno = "$build/kdyno";
$ENV{KDYNO_LAB} = $lab;
$| = 1;

sub median { my @s = sort { $a <=> $b } @_ or return 0; my $n = @s; return $n % 2 ? $s[$n / 2] : ($s[$n / 2 - 1] + $s[$n / 2]) / 2 }
sub run { my ($ok, @c) = @_; my $code = system(@c) >> 8; die "@c: exit $code\n" unless grep { $_ == $code } @$ok }
sub spew { my ($f, $t) = @_; open(my $h, '>', $f) or die "$f: $!\n"; print $h $t; close $h or die "$f: $!\n" }
sub lines { my ($f) = @_; open(my $h, '<', $f) or die "$f: $!\n"; return <$h> }

mkdir $lab;
run([0], $kdyno, 'kernel', 'fetch');
my ($kernel) = $ENV{KERNEL} || reverse sort map { m{/([^/]*)/facts} ? $1 : () } glob "$lab/kernels/6.*/facts";
my $board = join '', lines('board-configs/qemu-x86_64.ini');
$board =~ s/^memory = .*/memory = 768M/m;
for my $name (qw(plain crash)) {
    (my $text = $board) =~ s/^crash_kernel = .*/'crash_kernel = ' . ($name eq 'crash' ? '192M' : 'no')/me;
    mkdir "$lab/boards";
    unlink "$lab/boards/$name.ini";
    spew("$lab/$name.ini.new", $text);
    run([0], $kdyno, 'box', 'add', $name, '--board', "$lab/$name.ini.new");
    system('rm', '-rf', "$lab/sweeps/bench-$name", "$lab/results/bench-$name");
    my @variants = $name eq 'crash' ? ('--variants', 'good,bad:kdfault=panic') : ();
    run([0], $kdyno, qw(sweep new), "bench-$name", '--box', $name, '--kernels', $kernel, '--profile', 'rehearse', '--tests', 'boot-time,fault',
        '--rounds', $rounds, '--tries', $rounds, '--seed', 1, @variants);
    run([0, 1], $kdyno, qw(sweep run), "bench-$name", '--plain');
}

# Of a sweep: by line its subject, start and next start (s), by tag what the console says, in the order of the lines.
sub read_sweep {
    my ($name) = @_;
    my $dir = "$lab/sweeps/bench-$name";
    my (%try, @order);
    for (lines("$dir/schedule")) {
        next unless /^try line=(\d+) tag=(\w+) .* subject=\S*?(\w+) discard=(\d)/;
        $try{$1} = {line => $1, tag => $2, variant => $3, discard => $4};
    }
    for (lines("$dir/journal")) {
        next unless /^try line=(\d+) .*state=(\w+) by=station at=(\d+)/;
        $try{$1}{$2} //= $3 / 1000;
        push @order, $1 if $2 eq 'start';
    }
    for my $i (0 .. $#order - 1) { $try{$order[$i]}{after} = $try{$order[$i + 1]} }
    my %tag = map { $_->{tag} => $_ } values %try;
    for (lines("$dir/console-$name.log")) {
        next unless /^(\d+) \d+ .*?kd1 (\w{8}) \d+ (\d+) (\w+) ?(.*)/ && $tag{$2};
        my ($t, $at, $ms, $kind, $rest) = ($tag{$2}, $1 / 1000, $3, $4, $5);
        $t->{first_s} //= $at, $t->{first_ms} //= $ms if $kind eq 'begin';
        $t->{bye_s} //= $at if $kind eq 'bye';
        $t->{armed_ns} = $1 if $kind eq 'env' && $rest =~ /crash_armed_ns=(\d+)/;
        $t->{mem_kb} = $1 if $kind eq 'env' && $rest =~ /mem_kb=(\d+)/;
        $t->{from} = $1 if $kind eq 'hello' && $rest =~ /start=(\S+)/;
    }
    return map { $try{$_} } @order;
}

my @crash = grep { !$_->{discard} } read_sweep('crash');
my @plain = grep { !$_->{discard} } read_sweep('plain');
my @clean = grep { $_->{complete} && $_->{after} && $_->{from} =~ /^(chain|crash)$/ } @crash;
my @panic = grep { $_->{failed} && $_->{after} } @crash;
my $boot = median(map { $_->{after}{start} - $_->{start} } @clean);
my $died = median(map { $_->{after}{start} - $_->{start} } @panic);
my @jumps = grep { $_->{bye_s} && $_->{after}{first_s} } @clean;
my $kexec = median(map { $_->{after}{first_s} - $_->{bye_s} } @jumps);
my $extra = $died - $boot;
printf "a clean boot %.2f s (%d), one that panics %.2f s (%d), ratio %.2f; a kexec %.2f s (%d)\n", $boot, scalar @clean, $died, scalar @panic, $died / $boot, $kexec, scalar @jumps;
printf "a panic costs %.2f s more than a clean boot: %.2f of a kexec (aim: at most 1)\n", $extra, $extra / $kexec;
my @good = grep { $_->{variant} eq 'good' && $_->{first_ms} } @crash;
my ($with, $without) = (median(map { $_->{first_ms} } @good), median(map { $_->{first_ms} } grep { $_->{first_ms} } @plain));
printf "kernel start -> first test: %.0f ms with a crash kernel (%d), %.0f ms without (%d), ratio %.3f\n", $with, scalar @good, $without, scalar @plain, $with / $without;
printf "arming: median %.0f ms (%d boots)\n", median(map { $_->{armed_ns} / 1e6 } grep { $_->{armed_ns} } @crash), scalar grep { $_->{armed_ns} } @crash;
printf "MemTotal: %s kB; from a crash kernel %s kB\n", map { join '/', do { my %s; grep { !$s{$_}++ } map { $_->{mem_kb} // () } @$_ } }
    [grep { $_->{from} && $_->{from} eq 'chain' } @crash], [grep { $_->{from} && $_->{from} eq 'crash' } @crash];
