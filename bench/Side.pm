# SPDX-License-Identifier: GPL-2.0-or-later
# Side: measurements side by side. Arms take turns in each round, in an order that changes from round to round, so that what else the machine does
# hits all of them; what counts is the ratio of two arms in the same round.
#
# turns(rounds, {arm => sub returning a hash of numbers, ...}) returns {arm => {name => [values]}}; ratio(a, b) the median of the ratios a/b by
# round, with the least and the greatest. suite(build, test, args, env) runs a test of the suite by hand and returns its metrics (v, or v a second)
# and the times of its phases.
package Side;
use strict;
use warnings;

sub median { my @s = sort { $a <=> $b } @_; my $n = @s; return $n % 2 ? $s[$n / 2] : ($s[$n / 2 - 1] + $s[$n / 2]) / 2 }

# The q-th quantile, the nearest value that was seen.
sub quantile { my ($q, @v) = @_; my @s = sort { $a <=> $b } @v; return $s[int($q * $#s + .5)] }

sub turns {
    my ($rounds, $arm) = @_;
    my %got;
    for my $round (1 .. $rounds) {
        my @names = sort keys %$arm;
        @names = reverse @names if $round % 2;
        for my $name (@names) {
            my $v = $arm->{$name}->();
            push @{$got{$name}{$_}}, $v->{$_} for keys %$v;
        }
    }
    return \%got;
}

sub ratio {
    my ($x, $y) = @_;
    my @r = sort { $a <=> $b } map { $x->[$_] / $y->[$_] } 0 .. ($#$x < $#$y ? $#$x : $#$y);
    return (median(@r), $r[0], $r[-1]);
}

# The output of a command, which must succeed.
sub output {
    my (@cmd) = @_;
    open(my $h, '-|', @cmd) or die "$cmd[0]: $!\n";
    my $out = do { local $/; <$h> };
    close $h or die "@cmd: exit " . ($? >> 8) . "\n$out";
    return $out;
}

sub suite {
    my ($build, $arch, $test, $args, %env) = @_;
    local @ENV{keys %env} = values %env;
    my (%m, $out);
    $out = output("$build/$arch/suite", $test, map { "$_=$args->{$_}" } sort keys %$args);
    for (split /\n/, $out) {
        my ($word, @pairs) = split / /;
        my %kv = map { my ($k, $v) = split /=/, $_, 2; ($k => $v) } @pairs;
        $m{$kv{name}} = $kv{ns} ? $kv{v} / $kv{ns} * 1e9 : $kv{v} if $word eq 'metric';
        next unless $word eq 'fact';
        $m{"$kv{times}.move_ns"} = $kv{move_ns} if exists $kv{times} && $kv{i};
        $m{"reps.$kv{reps}"} = [map { (split /,/, $kv{v})[$_] / (split /,/, $kv{ns})[$_] * 1e9 } 0] if exists $kv{reps};
    }
    return \%m;
}

1;
