# SPDX-License-Identifier: GPL-2.0-or-later
# Vm: one QEMU box of a benchmark, its serial line read with time stamps of the station's monotonic clock.
#
# new(dir =>, args => [...], accel =>) starts it; line(pattern, seconds) waits for a line that matches and returns (time, line), or
# dies with the last lines seen; reset() is the power button's little sister; stop() ends QEMU. No shell in between.
package Vm;
use strict;
use warnings;
use IO::Select;
use IO::Socket::UNIX;
use Time::HiRes qw(clock_gettime CLOCK_MONOTONIC usleep);

sub new {
    my ($class, %o) = @_;
    my $self = bless {buf => '', seen => [], qmp_path => "$o{dir}/qmp.$$"}, $class;
    my @cmd = ('qemu-system-x86_64', '-nodefaults', '-no-user-config', '-display', 'none', '-accel', $o{accel} // 'tcg,thread=multi',
        '-smp', '2', '-m', '512', '-serial', 'stdio', '-qmp', "unix:$self->{qmp_path},server=on,wait=off", @{$o{args}});
    pipe(my $r, my $w) or die "pipe: $!\n";
    $self->{start} = clock_gettime(CLOCK_MONOTONIC);
    my $pid = fork() // die "fork: $!\n";
    if (!$pid) {
        open(STDIN, '<', '/dev/null');
        open(STDOUT, '>&', $w);
        close $r;
        exec @cmd or exit 127;
    }
    close $w;
    @$self{qw(pid out)} = ($pid, $r);
    return $self;
}

sub line {
    my ($self, $re, $secs) = @_;
    my $end = clock_gettime(CLOCK_MONOTONIC) + $secs;
    my $sel = IO::Select->new($self->{out});
    for (;;) {
        while ($self->{buf} =~ s/^([^\n]*)\n//) {
            my $line = $1;
            push @{$self->{seen}}, $line;
            shift @{$self->{seen}} if @{$self->{seen}} > 20;
            return (clock_gettime(CLOCK_MONOTONIC), $line) if $line =~ $re;
        }
        my $left = $end - clock_gettime(CLOCK_MONOTONIC);
        last if $left <= 0;
        next unless $sel->can_read($left);
        sysread($self->{out}, $self->{buf}, 65536, length $self->{buf}) or last;
    }
    $self->stop;
    die "no line matched $re in $secs s; the last lines were:\n" . join("\n", @{$self->{seen}}, $self->{buf}) . "\n";
}

sub reset {
    my ($self) = @_;
    my $s = IO::Socket::UNIX->new(Peer => $self->{qmp_path}) or die "QMP $self->{qmp_path}: $!\n";
    <$s>;
    for my $verb (qw(qmp_capabilities system_reset)) {
        print $s "{\"execute\":\"$verb\"}\n";
        $s->flush;
        while (my $l = <$s>) { last if $l =~ /"return"/ }
    }
    return clock_gettime(CLOCK_MONOTONIC);
}

sub stop {
    my ($self) = @_;
    return unless $self->{pid};
    kill 'KILL', $self->{pid};
    waitpid $self->{pid}, 0;
    unlink $self->{qmp_path};
    $self->{pid} = 0;
}

sub DESTROY { local ($?, $!); $_[0]->stop }

1;
