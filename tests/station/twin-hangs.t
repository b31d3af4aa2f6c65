#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# timeout: 180
# A QEMU that hangs: it takes no connections, answers no QMP and hears no TERM. The deaf twin is reset first, then killed and started anew; each step
# stands in the journal; Ctrl-C leaves nothing.
. tests/lib/tap.sh
. tests/station/run.sh
[ -r /usr/lib/PXELINUX/pxelinux.0 ] || [ -r /usr/share/syslinux/pxelinux.0 ] || skip_all "no pxelinux"
fake_kernel 6.1.0-a
fake_kernel 6.1.0-home --as home
mkdir -p "$TAP_TMP/bin"
cat >"$TAP_TMP/bin/qemu-system-x86_64" <<'END'
#!/usr/bin/perl
use IO::Socket::UNIX;
if ("@ARGV" =~ /--version/) { print "QEMU emulator version 9.0.0\n"; exit }
$SIG{TERM} = 'IGNORE';
my ($console) = "@ARGV" =~ /path=([^, ]*\.console)/;
my ($qmp) = "@ARGV" =~ /unix:([^, ]*\.qmp)/;
my @hold = map { unlink $_; IO::Socket::UNIX->new(Local => $_, Listen => 1) or die "$_: $!" } $console, $qmp;
sleep 1000;
END
chmod +x "$TAP_TMP/bin/qemu-system-x86_64"
PATH=$TAP_TMP/bin:$PATH
check "box add" "$KDYNO" box add twin --board qemu-x86_64 || bail "no box"
sed -i 's/^deaf_s = .*/deaf_s = 10/' "$KDYNO_LAB/boards/twin.ini"
check "sweep new" "$KDYNO" sweep new hangs --box twin --kernels 6.1.0-a --rounds 1 --seed 1 --tests boot-time --profile smoke || bail "no sweep"
qemu_pid() { cut -d ' ' -f 1 "$KDYNO_LAB/run/qemu-twin.pid" 2>/dev/null; }
# shellcheck disable=SC2317 # called by name
lab_kill_hard() { kill -9 "$(qemu_pid)" 2>/dev/null; }
at_exit lab_kill_hard

"$KDYNO" sweep run hangs >"$TAP_TMP/out" 2>&1 &
run=$!
check "the twin is started" wait_for 30 grep -q 'twin started' "$TAP_TMP/out" || diag "$(cat "$TAP_TMP/out")"
first=$(qemu_pid)
check "it is deaf" wait_for 60 grep -q 'power cycle 1: silence' "$TAP_TMP/out" || diag "$(cat "$TAP_TMP/out")"
check "a reset is tried, and not answered" wait_for 20 grep -q 'QEMU does not answer: it is ended, and started again' "$TAP_TMP/out"
check "another one runs" wait_for 30 sh -c '[ -n "$1" ] && [ "$(cut -d " " -f 1 "$2")" != "$1" ] && kill -0 "$(cut -d " " -f 1 "$2")"' sh "$first" \
    "$KDYNO_LAB/run/qemu-twin.pid"
check "the first one is gone" sh -c '! kill -0 "$1" 2>/dev/null' sh "$first"
is "each step stands in the journal" "$(sed -n 's/^power .* how=\([a-z]*\) .*/\1/p' "$KDYNO_LAB/sweeps/hangs/journal" | tr '\n' ' ')" "start reset start "

# ---- one that cannot be started again is tried later; its box is not taken for deaf (10 s) meanwhile
cp "$TAP_TMP/bin/qemu-system-x86_64" "$TAP_TMP/good"
printf '#!/bin/sh\nexit 1\n' >"$TAP_TMP/bin/qemu-system-x86_64"
second=$(qemu_pid)
kill -9 "$second"
check "a QEMU that does not start is said at once" wait_for 20 grep -q 'QEMU does not start again (.*): the next try is in 30 s' "$TAP_TMP/out" ||
    diag "$(cat "$TAP_TMP/out")"
cycles=$(grep -c 'power cycle' "$TAP_TMP/out")
cp "$TAP_TMP/good" "$TAP_TMP/bin/qemu-system-x86_64"
check "the sweep goes on, and starts it" wait_for 60 sh -c '[ "$(cut -d " " -f 1 "$2")" != "$1" ] && kill -0 "$(cut -d " " -f 1 "$2")"' sh "$second" \
    "$KDYNO_LAB/run/qemu-twin.pid" || diag "$(cat "$TAP_TMP/out")"
is "nothing was cycled meanwhile" "$(grep -c 'power cycle' "$TAP_TMP/out")" "$cycles"
kill -INT $run
wait $run
is "Ctrl-C: exit 1" $? 1
check "the last one is gone too" sh -c '! kill -0 "$1" 2>/dev/null' sh "$(qemu_pid)"
check "nothing runs on" nothing_runs
tap_done
