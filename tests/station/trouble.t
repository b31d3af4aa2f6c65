#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# timeout: 180
# What goes wrong around kdyno: a disk that is full at any moment, Ctrl-C at any moment, ports in use, an apt that hangs or is not there, a box
# that sends escape sequences. Each is one line, exit 1, nothing half-written, nothing left running.
. tests/lib/tap.sh
. tests/station/run.sh
sim_lab

# what DESCRIPTION STATUS PATTERN: judges what `run` has left
what() {
    is "$1: exit $2" "$status" "$2"
    one_line "$1: one line" "$err"
    like "$1: says so" "$err" "$3"
}
# Files of the lab that are not those of a run.
files() { (cd "$KDYNO_LAB" && find . -path ./run -prune -o -print | sort); }

# ctrl_c SIGNAL DELAY_S|FILE COMMAND...: as a terminal does it, to a process group, after a time or as soon as FILE is there; as `run`
ctrl_c() {
    run perl -MPOSIX -e '($sig, $when, @c) = @ARGV; $p = fork; if (!$p) { setpgid(0, 0); $SIG{$_} = "DEFAULT" for "INT", "HUP"; exec @c; exit 127 }
        setpgid($p, $p); if ($when =~ m{/}) { for (1 .. 500) { last if -e $when; select undef, undef, undef, 0.01 } } else { select undef, undef, undef, $when }
        kill $sig, -$p; waitpid $p, 0; exit($? & 127 ? 128 + ($? & 127) : $? >> 8)' "$@"
}

# ---- Ctrl-C: kernel fetch, with an apt that hangs
FAKE=$TAP_TMP/fake
mkdir -p "$FAKE/bin" "$TAP_TMP/cache"
cat >"$FAKE/apt-root" <<'END'
#!/bin/sh
[ -e "$FAKE/hang" ] || { echo /dev/null; exit; }
sleep 1000 &
echo $! >"$FAKE/child"
wait
END
cat >"$FAKE/bin/apt-cache" <<'END'
#!/bin/sh
printf 'Package: linux-image-9.9.9\nVersion: 1\nArchitecture: amd64\nSize: 100000\nSHA256: %064d\n\n' 0
END
cat >"$FAKE/bin/apt-get" <<'END'
#!/bin/sh
echo half >linux-image-9.9.9_1_amd64.deb
[ -e "$FAKE/hang-download" ] || exit 0
sleep 1000 &
echo $! >"$FAKE/child"
wait
END
chmod +x "$FAKE/apt-root" "$FAKE/bin"/*
export FAKE
fetch() { ctrl_c INT "$FAKE/child" env PATH="$FAKE/bin:$PATH" KDYNO_SHARE="$FAKE" KDYNO_CACHE="$TAP_TMP/cache" "$KDYNO" kernel fetch linux-image-9.9.9; }
for at in hang hang-download; do
    files >"$TAP_TMP/before"
    rm -f "$FAKE/child"
    : >"$FAKE/$at"
    fetch
    rm "$FAKE/$at"
    what "Ctrl-C in kernel fetch ($at)" 1 'interrupted; nothing is left behind'
    check "apt's children are ended" sh -c '! kill -0 "$1" 2>/dev/null' sh "$(cat "$FAKE/child")"
    is "no half download" "$(find "$TAP_TMP/cache" -type f)" ""
    files >"$TAP_TMP/after"
    check "the lab is as it was" cmp "$TAP_TMP/before" "$TAP_TMP/after"
done
run env PATH="$FAKE/bin:$PATH" KDYNO_SHARE="$FAKE" KDYNO_CACHE="$TAP_TMP/cache" "$KDYNO" kernel fetch linux-image-9.9.9
what "a download with another hash" 1 'linux-image-9\.9\.9: .*another SHA-256.*try again'
is "is not kept" "$(find "$TAP_TMP/cache" -type f)" ""
ln -s "$(command -v sh)" "$FAKE/sh"
run env PATH="$FAKE" KDYNO_SHARE="$FAKE" KDYNO_CACHE="$TAP_TMP/cache" "$KDYNO" kernel fetch linux-image-9.9.9
what "no apt" 1 'apt-cache is missing; .*kernel add'

# ---- Ctrl-C: sweep new and kernel add of what is large, and sweep run while it starts
r=6.9.5-big
fake_root "$TAP_TMP/big" $r
for i in $(seq 20); do head -c 2000000 /dev/zero >"$TAP_TMP/big/lib/modules/$r/kernel/net/z$i.ko"; done
head -c 120000000 /dev/zero >>"$TAP_TMP/big/boot/vmlinuz-$r"
check "a large kernel" "$KDYNO" kernel add "$TAP_TMP/big"
files >"$TAP_TMP/before"
for sig in INT TERM HUP; do
    ctrl_c $sig 0.1 "$KDYNO" sweep new big --box sim --kernels $r --rounds 1 --tests boot-time
    what "$sig in sweep new" 1 'interrupted; nothing is left behind, run it again'
    ctrl_c $sig 0.1 "$KDYNO" kernel add "$TAP_TMP/big" --as other
    what "$sig in kernel add" 1 'interrupted; nothing is left behind, run it again'
done
files >"$TAP_TMP/after"
check "the lab is as it was" cmp "$TAP_TMP/before" "$TAP_TMP/after"
check "kernel remove" "$KDYNO" kernel remove $r
sim_sweep early 1
sim_start early
for delay in 0.03 0.06 0.1 0.2; do
    ctrl_c INT $delay "$KDYNO" sweep run early
    case $status in 1 | 130) pass "Ctrl-C after $delay s of sweep run" ;; *) fail "Ctrl-C after $delay s: $status" ;; esac
    is "silent on stderr" "$err" ""
    check "nothing runs on" nothing_runs
    is "no socket stays" "$(find "$KDYNO_LAB/run" -name 'ask-*')" ""
done
run timeout 60 "$KDYNO" sweep run early
is "and the sweep goes on" "$status" 0 || diag "$err"
check "with nothing lost" tests/lib/prove-sweep "$KDYNO_LAB" early --allow-repeats
sim_end

# ---- ports in use
sim_sweep ports 1
sim_start ports
port_of() { sed "s/.* $1=\([0-9]*\).*/\1/" "$KDYNO_LAB/run/ports"; }
for name in http peer; do
    : >"$TAP_TMP/taken"
    perl -MIO::Socket::INET -e '$s = IO::Socket::INET->new(LocalAddr => "127.0.0.1:$ARGV[0]", Listen => 1, ReuseAddr => 1) or die; $| = 1; print "1\n"; sleep 60' \
        "$(port_of $name)" >"$TAP_TMP/taken" &
    taken=$!
    wait_for 5 test -s "$TAP_TMP/taken"
    run timeout 30 "$KDYNO" sweep run ports
    what "the port of $name is taken" 1 "port $(port_of $name) \\($name\\) is in use.*remove"
    check "nothing runs on" nothing_runs
    kill $taken
    wait $taken 2>/dev/null
done
: >"$TAP_TMP/taken"
perl -MIO::Socket::INET -e '@s = map { IO::Socket::INET->new(LocalAddr => "127.0.0.1:$_", Listen => 1, ReuseAddr => 1) or die } @ARGV; $| = 1; print "1\n"; sleep 60' \
    "$(port_of nfs)" "$(port_of nfstest)" >"$TAP_TMP/taken" &
taken=$!
wait_for 5 test -s "$TAP_TMP/taken"
run timeout 30 "$KDYNO" sweep run ports
is "the ports of NFS are taken: it goes on over serial" "$status" 0 || diag "$err"
like "and says so" "$out" 'no NFS: .*(in use|root)'
check "nothing runs on" nothing_runs
kill $taken
wait $taken 2>/dev/null
sim_sweep ports 1
echo nonsense >"$KDYNO_LAB/run/ports"
run timeout 30 "$KDYNO" sweep run ports
what "damaged ports" 1 'run/ports is damaged: remove it'
rm "$KDYNO_LAB/run/ports"
mv "$KDYNO_LAB/sweeps/ports/schedule" "$TAP_TMP/"
run "$KDYNO" sweep run ports
what "a sweep without its schedule" 1 'sweeps/ports/schedule is missing'
: >"$KDYNO_LAB/sweeps/ports/schedule"
run "$KDYNO" sweep run ports
what "with an empty one" 1 'sweeps/ports/schedule: no sweep line'
mv "$TAP_TMP/schedule" "$KDYNO_LAB/sweeps/ports/"
sim_end

# ---- small things
run "$KDYNO" --lab
what "--lab without a folder" 2 'lab wants a folder'
run "$KDYNO" collect 127.0.0.1:65537
what "a port that is none" 1 'open 127.0.0.1:65537: '
run timeout 10 "$KDYNO" collect "$KDYNO_LAB/boards/sim.ini" --raw-log /dev/full
what "a raw log that is a device" 1 'open /dev/full: '
for words in --help "kernel --help" "kernel list" "sweep list" "show early" "show early --json" "compare early --json"; do
    # shellcheck disable=SC2086 # words
    run sh -c 'exec "$0" "$@" >/dev/full' "$KDYNO" $words
    what "output that nobody takes: $words" 1 'cannot write the output: No space left'
done

# ---- a box that wants to write on the terminal
sim_sweep esc 1
cat >"$TAP_TMP/esc" <<'END'
use IO::Socket::UNIX;
my @t = map { my $c = $_; $c = $c & 1 ? $c >> 1 ^ 0x82f63b78 : $c >> 1 for 1 .. 8; $c } 0 .. 255;
sub crc { my $c = 0xffffffff; $c = $c >> 8 ^ $t[($c ^ $_) & 0xff] for unpack 'C*', $_[0]; sprintf '%08x', $c ^ 0xffffffff }
my @esc = qw(%1B%5B31m %9B31m %C2%9B2J %0D%0A%07 %E2%80%AEx);
my $n = 0;
sub rec {
    (my $w = $_[2]) =~ s/ESC/$esc[$n++ % 5]/g;
    my $r = "kd1 $_[0] $_[1] 100 $w";
    return "# $r *" . crc($r) . "\r\n"; # each ESC is the next of @esc
}
my ($sock, $tag) = @ARGV;
my $text = "\e[2J\e]0;owned\a\x9b31m raw\r\n";
$text .= rec('90000003', 0, "hello box=$_ sweep=esc role=home start=firmware reset=cold line=0 image=0123456789abcdef quiet_ms=1000") for @esc;
for my $tg ($tag, '90000001') {
    my ($role, $line) = $tg eq $tag ? ('subject', 2) : ('home', 0);
    $text .= rec($tg, 0, "hello box=sim sweep=ESC role=$role start=ESC reset=ESC line=$line image=0123456789abcdef quiet_ms=1000");
    $text .= rec($tg, 1, "ident prev=00000000 rel=ESC proc=ESC cmd=ESC config=ESC");
    $text .= rec($tg, 2, "text name=version part=1/1 data=ESC") . rec($tg, 3, "text name=ESC part=1/1 data=ESC") . rec($tg, 4, "note msg=ESC");
    $text .= rec($tg, 5, "begin test=ESC quiet_ms=1000 deadline_ms=5000") . rec($tg, 6, "phase test=ESC name=ESC quiet_ms=1000");
    $text .= rec($tg, 7, "metric test=ESC name=ESC v=ESC") . rec($tg, 8, "end test=ESC status=ESC records=3 ns=1 utime_us=1 stime_us=1 reason=ESC");
    $text .= rec($tg, 9, "kmsg lvl=ESC us=1 msg=ESC") . rec($tg, 10, "fail of=ESC name=ESC");
    $text .= rec($tg, 11, "bye count=11 digest=00000000");
    $text .= "Kernel panic - not syncing: \e[31m\x9b\r\n";
}
if ($sock eq '-') { binmode STDOUT; print $text; exit }
my $l = IO::Socket::UNIX->new(Local => $sock, Listen => 1) or die;
my $c = $l->accept;
print $c $text;
sleep 60;
END
harmless() { # DESCRIPTION: of what `run` has left
    is "$1: nothing raw" "$(cat "$TAP_TMP/.out" "$TAP_TMP/.err" | LC_ALL=C tr -d '\n -~' | wc -c)" 0
}
tag=$(sed -n 's/^try line=2 tag=\([0-9a-f]*\) .*/\1/p' "$KDYNO_LAB/sweeps/esc/schedule")
perl "$TAP_TMP/esc" - "$tag" >"$TAP_TMP/esc.raw"
for words in "" --text --json "--text --json" "--sweep esc"; do
    # shellcheck disable=SC2086 # words
    run "$KDYNO" collect "$TAP_TMP/esc.raw" $words
    is "collect $words" "$status" 0
    like "has read it" "$err" '^29 records'
    harmless "collect $words"
done
perl "$TAP_TMP/esc" "$SIM_SOCKET" "$tag" &
SIM=$!
wait_for 5 test -S "$SIM_SOCKET"
ctrl_c INT 2 "$KDYNO" sweep run esc
is "sweep run" "$status" 1
harmless "sweep run"
sim_end
check "home's records are kept" grep -q '"kind":"note"' "$KDYNO_LAB/sweeps/esc/records.jsonl"
for words in "show" "show esc" "show esc --records" "show esc --metrics" "show esc --channels" "show esc --records --json" "compare esc" "compare esc --json"; do
    # shellcheck disable=SC2086 # words
    run "$KDYNO" $words
    harmless "$words"
done

# ---- a box that invents tags, which would fill the screen
sim_sweep flood 1
perl -e 'printf "# kd1 9%07x 0 100 hello box=%s sweep=flood role=home start=firmware reset=cold line=0 image=0123456789abcdef quiet_ms=1000\n", $_, $_ % 2 ? "sim" : "x" for 1 .. 20000' |
    with_crc >"$TAP_TMP/flood"
perl -MIO::Socket::UNIX -e '$l = IO::Socket::UNIX->new(Local => $ARGV[0], Listen => 1) or die; $c = $l->accept; print $c $_ while <STDIN>; $c->flush; sleep 60' \
    "$SIM_SOCKET" <"$TAP_TMP/flood" &
SIM=$!
wait_for 5 test -S "$SIM_SOCKET"
ctrl_c INT 4 "$KDYNO" sweep run flood
is "of each kind 20 lines and their count" "$(printf '%s\n' "$out" | grep -c ': up$')-$(printf '%s\n' "$out" | grep -c ' wrong-box: ')" "21-21"
like "and how many more there were" "$out" ' 9980 more of these: up'
sim_end

# ---- a box that leaves in its results what would hang whoever opens it
sim_sweep fifo 1
mkdir -p "$KDYNO_LAB/results/fifo/sim"
mkfifo "$KDYNO_LAB/results/fifo/sim/journal"
sed -n "s/^try .* tag=\([0-9a-f]*\) .*/\1/p" "$KDYNO_LAB/sweeps/fifo/schedule" | while read -r tag; do mkfifo "$KDYNO_LAB/results/fifo/sim/$tag.kd1"; done
for words in "show fifo" "sweep list" "compare fifo"; do
    # shellcheck disable=SC2086 # words
    run timeout 5 "$KDYNO" $words
    check "$words does not hang" test "$status" -lt 124
    like "and names it" "$err" 'results/fifo/sim/journal is left out: no plain file'
done
sim_start fifo
run timeout 30 "$KDYNO" sweep run fifo
is "sweep run goes by serial" "$status" 0 || diag "$err"
rm -r "$KDYNO_LAB/results/fifo"
for part in journal schedule; do
    mv "$KDYNO_LAB/sweeps/fifo/$part" "$TAP_TMP/$part"
    mkfifo "$KDYNO_LAB/sweeps/fifo/$part"
    run timeout 5 "$KDYNO" sweep pause fifo
    is "a $part that keeps nothing: no pause" "$status" 1
    refused 1 "sweeps/fifo/$part: no plain file" "nor a proof" timeout 5 "$KDYNO" sweep prove fifo
    rm "$KDYNO_LAB/sweeps/fifo/$part"
    mv "$TAP_TMP/$part" "$KDYNO_LAB/sweeps/fifo/"
done
check "nothing is missing" tests/lib/prove-sweep "$KDYNO_LAB" fifo
sim_end

# ---- a full disk, at each moment
KDYNO_LAB=$TAP_TMP/small/lab
small() { # KIB: so much is left
    rm -f "$TAP_TMP/small/ballast"
    head -c "$((($(df -k --output=avail "$TAP_TMP/small" | tail -n 1) - $1) * 1024))" /dev/zero >"$TAP_TMP/small/ballast"
}
mkdir "$TAP_TMP/small"
if [ "$(id -u)" -ne 0 ] || ! mount -t tmpfs -o size=3m none "$TAP_TMP/small" 2>/dev/null; then
    skip "a full disk" "no tmpfs can be mounted"
    tap_done
fi
at_exit "umount '$TAP_TMP/small'"
"$KDYNO" show >/dev/null 2>&1
mkdir -p "$KDYNO_LAB"
for part in kernels boards boxes sweeps results nfs-test tftp run; do mkdir "$KDYNO_LAB/$part"; done
files >"$TAP_TMP/before"
for left in 0 8 28 48 60; do
    small $left
    run "$KDYNO" kernel add "$TAP_TMP/root-6.1.0-a"
    what "kernel add with $left KiB left" 1 'No space left'
done
for left in 0 8; do
    small $left
    run "$KDYNO" box add twin
    what "box add with $left KiB left" 1 'No space left'
done
files >"$TAP_TMP/after"
check "nothing half-written" cmp "$TAP_TMP/before" "$TAP_TMP/after" || diag "$(diff "$TAP_TMP/before" "$TAP_TMP/after")"
rm "$TAP_TMP/small/ballast"
sim_lab
files >"$TAP_TMP/before"
for left in 0 4 12 20; do
    small $left
    run "$KDYNO" sweep new full --box sim --kernels 6.1.0-a,6.12.0-b --rounds 1 --tests boot-time
    what "sweep new with $left KiB left" 1 'No space left'
done
files >"$TAP_TMP/after"
check "nothing half-written" cmp "$TAP_TMP/before" "$TAP_TMP/after" || diag "$(diff "$TAP_TMP/before" "$TAP_TMP/after")"
rm "$TAP_TMP/small/ballast"
sim_sweep full 1
cp -r "$KDYNO_LAB/sweeps/full" "$TAP_TMP/full"
# Either it does not begin, or it waits for the disk, and goes on by itself when there is room.
for left in 0 8 12 16 20 24 32 40; do
    rm -rf "$TAP_TMP/small/ballast" "$KDYNO_LAB/run" "$KDYNO_LAB/sweeps/full"
    mkdir "$KDYNO_LAB/run"
    cp -r "$TAP_TMP/full" "$KDYNO_LAB/sweeps/"
    small $left
    sim_start full tests=120
    timeout 60 "$KDYNO" sweep run full >"$TAP_TMP/full.out" 2>"$TAP_TMP/full.err" &
    run=$!
    check "with $left KiB left: waits, or does not begin" wait_for 20 grep -q 'No space left' "$TAP_TMP/full.out" "$TAP_TMP/full.err"
    rm "$TAP_TMP/small/ballast"
    wait $run
    status=$?
    if grep -q 'waiting: disk' "$TAP_TMP/full.out"; then
        is "with space, it goes on by itself" "$status" 0 || diag "$(cat "$TAP_TMP/full.out" "$TAP_TMP/full.err")"
    else
        case $status in 0) pass "what was full was not needed" ;; *) is "does not begin: exit 1" "$status" 1 ;; esac
        check "nothing runs on" nothing_runs
        run timeout 30 "$KDYNO" sweep run full
        is "with space, it begins" "$status" 0 || diag "$err"
    fi
    check "nothing runs on" nothing_runs
    check "nothing is missing" tests/lib/prove-sweep "$KDYNO_LAB" full --allow-repeats
    sim_end
done
perl -ne 'next if /^#/; s/^\d+ \d+ //; chomp; s/%(..)/chr hex $1/ge; print' "$KDYNO_LAB/sweeps/full/console-sim.log" >"$TAP_TMP/raw"
for left in 4 8; do
    rm -rf "$KDYNO_LAB/sweeps/full"
    cp -r "$TAP_TMP/full" "$KDYNO_LAB/sweeps/"
    small $left
    run "$KDYNO" collect "$TAP_TMP/raw" --quiet --sweep full
    what "collect --sweep with $left KiB left" 1 'No space left'
    rm "$TAP_TMP/small/ballast"
    run "$KDYNO" collect "$TAP_TMP/raw" --quiet --sweep full
    is "with space: status" "$status" 0
    check "nothing is missing" tests/lib/prove-sweep "$KDYNO_LAB" full --allow-repeats
done
tap_done
