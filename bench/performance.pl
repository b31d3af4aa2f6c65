# SPDX-License-Identifier: GPL-2.0-or-later
# performance: fills docs/PERFORMANCE.md. Every comparison is side by side: the arms take turns in one run, what stands in
# the table is the ratio of their medians; absolute times are given beside it only for scale.
#
# Settings from the environment: BUILD, ARCH, RUNS (repetitions of each arm), LAB (kernels are kept there), BOOTS, PARTS (a comma list; nothing is written then),
# OLD (the build directory of an older commit, for the part `before`).
# Trap: emulated boots differ by tens of per cent between runs of this script on a shared machine; ratios much less.
use strict;
use warnings;
use File::Temp qw(tempdir);
use Time::HiRes qw(clock_gettime CLOCK_MONOTONIC);
use Vm;

my $build = $ENV{BUILD} || 'build';
my $arch  = $ENV{ARCH}  || 'x86_64';
my $runs  = $ENV{RUNS}  || 7;
my $boots = $ENV{BOOTS} || 6;
my $lab   = $ENV{LAB}   || "$build/bench-lab";
my $kdyno = "$build/kdyno";
my $dir   = tempdir('kdyno-bench.XXXXXX', TMPDIR => 1, CLEANUP => 1);
my $words = 'console=ttyS0,115200 tsc=reliable quiet loglevel=4 panic=10';
my @rows;

# Machine-readable lines go past stdout's buffer into the log as they come.
$| = 1;
$ENV{KDYNO_LAB} = $lab;

sub median { my @s = sort { $a <=> $b } @_; my $n = @s; return $n % 2 ? $s[$n / 2] : ($s[$n / 2 - 1] + $s[$n / 2]) / 2 }
sub now { clock_gettime(CLOCK_MONOTONIC) }
sub step { print "bench: @_\n" }
sub row { my ($what, $value, $aim, $about) = @_; push @rows, [$what, $value, $aim, $about]; step("$what: $value (aim $aim; $about)") }
sub sh { system(@_) == 0 or die "@_: exit " . ($? >> 8) . "\n" }
sub slurp { my ($f) = @_; local $/; open(my $h, '<:raw', $f) or die "$f: $!\n"; return <$h> }
sub spew { my ($f, $data) = @_; open(my $h, '>:raw', $f) or die "$f: $!\n"; print $h $data; close $h or die "$f: $!\n" }
sub ms { return sprintf '%.0f ms', 1000 * $_[0] }

# A newc archive of plain files and one device node, enough for the bare init.
sub cpio {
    my (%file) = @_;
    my ($out, $ino) = ('', 0);
    my $add = sub {
        my ($name, $mode, $data, $rdev) = @_;
        $ino++;
        $out .= '070701' . join('', map { sprintf '%08x', $_ } $ino, $mode, 0, 0, 1, 0, length $data, 0, 0, $rdev->[0], $rdev->[1], 1 + length $name, 0);
        $out .= "$name\0";
        $out .= "\0" x (-length($out) % 4) . $data;
        $out .= "\0" x (-length($out) % 4);
    };
    $add->('dev', 040755, '', [0, 0]);
    $add->('dev/console', 020600, '', [5, 1]);
    $add->('next', 040755, '', [0, 0]) if grep { m{^next/} } keys %file;
    $add->($_, 0100755, $file{$_}, [0, 0]) for sort keys %file;
    $add->('TRAILER!!!', 0, '', [0, 0]);
    return $out . "\0" x (-length($out) % 512);
}

sub pad4 { my ($s) = @_; return $s . "\0" x (-length($s) % 4) }

# The newest sweep's frozen files serve as image and pack: what a box really gets.
sub subject_files {
    my ($kernel) = @_;
    my $sweep = 'bench-files';
    sh('rm', '-rf', "$lab/sweeps/$sweep");
    sh($kdyno, 'sweep', 'new', $sweep, '--box', 'qemu', '--kernels', $kernel, '--rounds', '1', '--profile', 'smoke', '--tests', 'boot-time');
    my ($image) = glob "$lab/sweeps/$sweep/image-$kernel.cpio*";
    my $schedule = slurp("$lab/sweeps/$sweep/schedule");
    my @tests = grep { /^test / } split /\n/, $schedule;
    s/ \*[0-9a-f]{8}$// for @tests;
    spew("$dir/job.txt", join("\n", "job tag=0badcafe line=1 boot=1 subject=$kernel/smp sweep=bench box=qemu prev=none start=firmware discard=0 again_s=5 jump_s=60", @tests) . "\n");
    system("$build/bench/mkjob < $dir/job.txt > $dir/job.cpio") == 0 or die "mkjob failed\n";
    my $behind = pad4(slurp("$lab/sweeps/$sweep/pack-$kernel.cpio")) . slurp("$dir/job.cpio");
    spew("$dir/initrd", pad4(slurp($image)) . $behind);
    my ($packed) = $image =~ /(\.cpio[.a-z0-9]*)$/;
    spew("$dir/initrd-old", pad4(slurp("$ENV{OLD}/$arch/image$packed")) . $behind) if $ENV{OLD};
    sh('cp', "$lab/kernels/$kernel/vmlinuz", "$dir/vmlinuz");
}

sub gzip { my ($file) = @_; sh('gzip', '-n', '-9', '-f', $file); rename "$file.gz", $file or die "$file: $!\n" }

sub boot_kernel {
    my ($initrd, $append, $counted) = @_;
    return Vm->new(dir => $dir, ($counted ? (accel => 'tcg,thread=single') : ()), args => ['-kernel', "$dir/vmlinuz", '-initrd', $initrd, '-append', "$words $append", '-no-reboot', ($counted ? ('-icount', 'shift=1,sleep=off') : ())]);
}

# Kernel start -> first test, by the box's own clock, in seconds.
sub first_test {
    my ($initrd, $counted) = @_;
    my $vm = boot_kernel($initrd, 'kd=0badcafe', $counted);
    my (undef, $line) = $vm->line(qr/kd1 0badcafe \d+ \d+ begin /, 240);
    $line =~ /kd1 0badcafe \d+ (\d+) begin / or die "no first test\n";
    my $ms = $1;
    $vm->stop;
    return $ms / 1e3;
}

# The same against the bare init's first instruction on the same kernel.
sub start_pair {
    my ($counted) = @_;
    my $bare;
    my $vm = boot_kernel("$dir/bare.gz", '', $counted);
    my (undef, $line) = $vm->line(qr/bare init \d+/, 240);
    $line =~ /bare init (\d+)/ and $bare = $1 / 1e9;
    $vm->stop;
    return ($bare, first_test("$dir/initrd", $counted));
}

sub start_row {
    my ($what, $n, $counted, $how) = @_;
    my (@bare, @ours);
    for my $i (1 .. $n) {
        my ($b, $o) = start_pair($counted);
        push @bare, $b;
        push @ours, $o;
        step(sprintf '%s %d/%d: bare %s, kdyno %s', $what, $i, $n, ms($b), ms($o));
    }
    row($what, sprintf('%.2f', median(@ours) / median(@bare)), '≤ 1.10', sprintf '%s; medians of %d: %s against %s', $how, $n, ms(median(@ours)), ms(median(@bare)));
}

# By wall clock, with the noise of this machine, and by instructions executed, which has none.
sub bench_start {
    start_row('kernel start → first test / bare init', $runs, 0, 'two vCPUs in turns');
    start_row('the same, by instructions executed', 2, 1, 'QEMU -icount, 2 ns an instruction');
}

# The bare init's own kexec: jump -> init of the next, by the station's clock.
# Against the image of an older build (OLD, its build directory): has a change made the way to the first test longer?
sub bench_before {
    die "bench: the part 'before' wants OLD=DIR, the build directory of an older commit\n" unless $ENV{OLD};
    for my $counted (0, 1) {
        my (@old, @new);
        for my $i (1 .. ($counted ? 2 : $runs)) {
            push @old, first_test("$dir/initrd-old", $counted);
            push @new, first_test("$dir/initrd", $counted);
            step(sprintf 'before %d: old %s, new %s', $i, ms($old[-1]), ms($new[-1]));
        }
        row('kernel start → first test / the older image' . ($counted ? ', by instructions executed' : ''), sprintf('%.3f', median(@new) / median(@old)),
            '≤ 1.05', sprintf 'medians of %d: %s against %s', scalar @new, ms(median(@new)), ms(median(@old)));
    }
}

sub bare_kexec {
    my $vm = boot_kernel("$dir/bare-next.gz", '');
    my ($t0) = $vm->line(qr/bare jump/, 120);
    my ($t1) = $vm->line(qr/bare init/, 120);
    $vm->stop;
    return $t1 - $t0;
}

# Firmware + PXE: power button -> first test of a kernel that the loader brings by TFTP.
sub firmware_pxe {
    my $vm = Vm->new(dir => $dir, args => ['-boot', 'n', '-nic', "user,model=virtio-net-pci,restrict=on,tftp=$dir/tftp,bootfile=/pxelinux.0"]);
    $vm->line(qr/kd1 0badcafe \d+ \d+ begin /, 180);
    my $t0 = $vm->reset;
    my ($t1) = $vm->line(qr/kd1 0badcafe \d+ \d+ begin /, 180);
    $vm->stop;
    return $t1 - $t0;
}

sub tftp_tree {
    sh('mkdir', '-p', "$dir/tftp/pxelinux.cfg");
    for my $f (qw(/usr/lib/PXELINUX/pxelinux.0 /usr/lib/syslinux/modules/bios/ldlinux.c32)) { sh('cp', $f, "$dir/tftp/") }
    sh('cp', "$dir/vmlinuz", "$dir/initrd", "$dir/tftp/");
    spew("$dir/tftp/pxelinux.cfg/default", "NOESCAPE 1\nPROMPT 0\nDEFAULT k\nLABEL k\nKERNEL vmlinuz\nINITRD initrd\nAPPEND $words kd=0badcafe\n");
}

# Last test -> first test of the next kernel, from the console log of a real sweep (unix ms of each line, stamped on arrival).
sub sweep_jumps {
    my ($sweep, $kernel) = @_;
    sh('rm', '-rf', "$lab/sweeps/$sweep", "$lab/results/$sweep");
    sh($kdyno, 'sweep', 'new', $sweep, '--box', 'qemu', '--kernels', $kernel, '--rounds', $boots, '--profile', 'smoke');
    my $t0 = now();
    sh($kdyno, 'sweep', 'run', $sweep);
    my $took = now() - $t0;
    my (@jump, $end, %seen);
    open(my $h, '<', "$lab/sweeps/$sweep/console-qemu.log") or die "console log: $!\n";
    while (<$h>) {
        my ($t) = /^(\d+) / or next;
        if (/kd1 ([0-7][0-9a-f]{7}) \d+ \d+ end /) { $end = $t }
        if (/kd1 ([0-7][0-9a-f]{7}) \d+ \d+ begin / && !$seen{$1}++ && defined $end) { push @jump, ($t - $end) / 1e3; undef $end }
    }
    return ($took, @jump);
}

sub bench_jump {
    my ($kernel) = @_;
    tftp_tree();
    my ($took, @ours) = sweep_jumps('bench-jump', $kernel);
    my (@pxe, @bare);
    for my $i (1 .. $runs) {
        push @bare, bare_kexec();
        push @pxe, firmware_pxe();
        step(sprintf 'jump %d/%d: bare kexec %s, firmware + PXE %s', $i, $runs, ms($bare[-1]), ms($pxe[-1]));
    }
    my ($took2, @more) = sweep_jumps('bench-jump', $kernel);
    push @ours, @more;
    row('last test → next first test, kexec / firmware + PXE', sprintf('%.2f', median(@ours) / median(@pxe)), '≤ 0.70',
        sprintf 'medians: %s of %d jumps against %s of %d', ms(median(@ours)), scalar @ours, ms(median(@pxe)), $runs);
    row('last test → next first test, kdyno / bare kexec', sprintf('%.2f', median(@ours) / median(@bare)), '≤ 1.25',
        sprintf 'medians: %s against %s of %d', ms(median(@ours)), ms(median(@bare)), $runs);
    row('kernels an hour, smoke profile', sprintf('%.0f', 3600 * ($boots + 1) / median($took, $took2)), '–', 'whole sweeps, home and servers included');
}

sub bench_collector {
    my $log = "$dir/console.bin";
    my $bytes = 100 << 20;
    my $raw = slurp("$lab/sweeps/bench-jump/console-qemu.raw");
    my $noise = join '', map { sprintf "[%5d.%06d] usb %d-1: new high-speed USB device number %d using xhci_hcd\r\n", $_, $_ * 7, $_ % 5, $_ } 1 .. 400;
    my $chunk = $raw . "\r\n" . $noise x 20;
    open(my $h, '>:raw', $log) or die "$log: $!\n";
    my $n = 0;
    while ($n < $bytes) { print $h $chunk; $n += length $chunk }
    close $h;
    my (@ours, @ref);
    for (1 .. $runs) {
        my $t = now(); sh("$kdyno collect $log --quiet >/dev/null"); push @ours, now() - $t;
        $t = now(); sh("grep -ac 'kd1 ' $log | cat >/dev/null"); push @ref, now() - $t;
    }
    my $mb = $n / 1e6;
    row('collector, one core', sprintf('%.0f MB/s', $mb / median(@ours)), '> 100 MB/s', sprintf '%.0f MB of console; grep -ac on the same file: %.0f MB/s', $mb, $mb / median(@ref));
}

sub bench_build {
    my @t = map { my $t = now(); sh("make -s BUILD=$build >/dev/null"); now() - $t } 1 .. 3;
    row('second build, nothing changed', sprintf('%.2f s', median(@t)), '< 2 s', 'make');
    for my $a (grep { -e "$build/$_/image.cpio.xz" } map { s{.*/}{}r } sort glob 'image/arch/*') {
        my %max = slurp("image/arch/$a") =~ /^(arch\w*_max)=(\d+)$/mg;
        my @s = map { -s "$build/$a/image.cpio$_" } '.gz', '.xz', '';
        row("image, $a", "gzip $s[0], xz $s[1] bytes", "≤ $max{arch_gz_max}, $max{arch_xz_max}", "unpacked $s[2] (at most $max{arch_max})");
    }
}

sub report {
    my $qemu = (split /\n/, `qemu-system-x86_64 --version`)[0];
    my $commit = `git rev-parse --short HEAD 2>/dev/null`; chomp $commit;
    my $cpus = `nproc`; chomp $cpus;
    my $out = "# Performance\n\nMade by `make bench` (bench/performance.pl), commit $commit; $qemu, emulation without KVM, two vCPUs on $cpus cores; kernel $ENV{BENCH_KERNEL}.\n"
        . "The arms of a ratio take turns in one run; absolute times are for scale only and mean nothing on another machine.\n\n| what | figure | aim | how |\n| --- | --- | --- | --- |\n";
    $out .= '| ' . join(' | ', @$_) . " |\n" for @rows;
    my $tail = -e 'bench/performance-notes.md' ? "\n" . slurp('bench/performance-notes.md') : '';
    spew('docs/PERFORMANCE.md', $out . $tail);
    step('written to docs/PERFORMANCE.md');
}

my $kernel = $ENV{BENCH_KERNEL};
if (!$kernel) {
    sh($kdyno, 'kernel', 'fetch');
    ($kernel) = grep { $_ ne 'home' } map { m{/([^/]+)/facts$} } sort glob "$lab/kernels/*/facts";
    $ENV{BENCH_KERNEL} = $kernel;
}
sh($kdyno, 'box', 'add', 'qemu');
subject_files($kernel);
my $bare = slurp("$build/$arch/bare");
spew("$dir/bare.gz", cpio(init => $bare));
gzip("$dir/bare.gz");
spew("$dir/bare-next.gz", cpio(init => $bare, 'next/vmlinuz' => slurp("$dir/vmlinuz"), 'next/initrd' => slurp("$dir/bare.gz"), 'next/cmdline' => $words));
gzip("$dir/bare-next.gz");
my %part = (build => \&bench_build, start => \&bench_start, before => \&bench_before, jump => sub { bench_jump($kernel) }, collector => \&bench_collector);
for my $name (split /,/, $ENV{PARTS} || 'build,start,jump,collector') { ($part{$name} or die "bench: no part '$name'; it is one of " . join(', ', sort keys %part) . "\n")->() }
report() unless $ENV{PARTS}; # a part alone is no report
