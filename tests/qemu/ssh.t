#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# timeout: 600
# Into a running twin: nothing listens where a sweep was made without ssh; where it was made with it, the right key comes into a held subject,
# nobody else does, and the sweep goes on as if nobody had been there.
. tests/lib/tap.sh
. tests/qemu/lab.sh
at_exit lab_stop
lab_ready
KDYNO_SSH=$TAP_TMP/keys
export KDYNO_SSH

# greeting PORT: what answers on that port of this machine
greeting() {
    perl -MIO::Socket::INET -MIO::Select -e '$s = IO::Socket::INET->new(PeerAddr => "127.0.0.1:$ARGV[0]", Timeout => 3) or exit 0;
        sysread $s, $b, 64 if IO::Select->new($s)->can_read(5); $b =~ s/[\r\n].*//s; print $b' "$1"
}
held() { check "$1" lab_wait 200 grep -q 'paused: the box is held here' "$TAP_TMP/run" || bail "$(cat "$TAP_TMP/run")"; }
begin() {
    : >"$TAP_TMP/run" # before it is looked into
    "$KDYNO" sweep run "$1" >"$TAP_TMP/run" 2>&1 &
    run=$!
}

# ---- by default: no door, neither in QEMU nor in the box
lab_sweep t-closed --kernels "$OLD" --rounds 1 --seed 3 --tests boot-time
check "pause before it runs" "$KDYNO" sweep pause t-closed
begin t-closed
held "home is held"
vm=$(cut -d ' ' -f 1 "$KDYNO_LAB/run/qemu-qemu.pid")
like "QEMU knows its network" "$(tr '\0' ' ' <"/proc/$vm/cmdline")" 'tftp='
unlike "QEMU forwards no port" "$(tr '\0' ' ' <"/proc/$vm/cmdline")" hostfwd
is "and listens on none" "$(ss -ltnpH | grep -c "pid=$vm,")" 0
refused_by=$("$KDYNO" ssh qemu true 2>&1)
is "kdyno ssh: exit 1" $? 1
like "says how there would be a door" "$refused_by" 'sweep t-closed was made without ssh.*--ssh'
# Open one in QEMU, as a person could: the box must have nothing behind it.
port=$(perl -MIO::Socket::INET -e 'print IO::Socket::INET->new(Listen => 1, LocalAddr => "127.0.0.1")->sockport')
tests/lib/qmp "$KDYNO_LAB/run/qemu.qmp" human-monitor-command command-line="hostfwd_add tcp:127.0.0.1:$port-:22" >"$TAP_TMP/qmp" 2>&1
is "a port can be led to the box" "$(ss -ltnpH | grep "pid=$vm," | grep -c ":$port ")" 1 || diag "$(cat "$TAP_TMP/qmp")"
is "behind which nothing answers" "$(greeting "$port")" ""
kill -INT $run
wait $run
check "nothing runs on" lab_idle

# ---- with --ssh
lab_sweep t-ssh --kernels "$OLD" --rounds 1 --seed 3 --tests boot-time,cpu-parallel --ssh
is "the person's key is the person's alone" "$(stat -c %a "$KDYNO_SSH" "$KDYNO_SSH/id_ed25519" | tr '\n' ' ')" "700 600 "
is "and is not in what the boxes are served" "$(grep -rlF "$(sed -n 3p "$KDYNO_SSH/id_ed25519")" "$KDYNO_LAB/sweeps/t-ssh" "$KDYNO_LAB/tftp" 2>/dev/null)" ""
begin t-ssh
check "the first boot has begun" lab_wait 200 lab_at_least t-ssh start 1 || bail "$(cat "$TAP_TMP/run")"
run "$KDYNO" ssh qemu true
is "a box that is not held: exit 1" "$status" 1
one_line "in one line" "$err"
like "that says what to do" "$err" "box qemu is not held: 'kdyno sweep pause t-ssh'"
port=$(cat "$KDYNO_LAB/run/qemu.ssh")
is "while it boots and measures, nothing answers" "$(greeting "$port")" ""
check "pause" "$KDYNO" sweep pause t-ssh --reason look
held "the subject is held"
like "which has been measured" "$(cat "$TAP_TMP/run")" 'line 1 .*: paused: the box is held here'
run "$KDYNO" ssh qemu uname -r
is "the right key comes in" "$status" 0 || diag "$err"
is "to the kernel that was measured" "$out" "$(sed -n 's/.* release=\([^ ]*\) .*/\1/p' "$KDYNO_LAB/kernels/$OLD/facts")"
like "by the try that was measured" "$("$KDYNO" ssh qemu cat /proc/cmdline)" " kd=$(sed -n 's/^try line=1 tag=\([0-9a-f]*\) .*/\1/p' "$KDYNO_LAB/sweeps/t-ssh/schedule")"
is "words that begin with - and the exit code go through" "$("$KDYNO" ssh qemu -- sh -c "'ls -d /root; exit 7'"; echo $?)" "/root
7"
like "there are terminals" "$(printf 'readlink /proc/self/fd/0\nexit\n' | TERM=dumb script -qec "'$KDYNO' ssh qemu" /dev/null)" '^/dev/pts/[0-9]'

# ---- everybody else
stranger() { # ARGS...: ssh without any of kdyno's arguments
    env -i PATH="$PATH" ssh -F /dev/null -p "$port" -o StrictHostKeyChecking=yes -o UserKnownHostsFile="$KDYNO_LAB/sweeps/t-ssh/ssh_known_hosts" \
        -o HostKeyAlias=kdyno-qemu -o IdentitiesOnly=yes -o NumberOfPasswordPrompts=1 "$@" root@127.0.0.1 id 2>&1
}
is "this client can come in with the right key" "$(stranger -i "$KDYNO_SSH/id_ed25519" | sed 's/ .*//' | head -n 1)" "$("$KDYNO" ssh qemu id 2>&1 | sed 's/ .*//' | head -n 1)"
out=$(stranger -v -o PubkeyAuthentication=no -o PreferredAuthentications=password,keyboard-interactive,none)
is "a password: refused" $? 255
like "publickey is all there is" "$out" 'Authentications that can continue: publickey.?$'
like "so it says" "$out" 'Permission denied \(publickey\)'
ssh-keygen -q -t ed25519 -N '' -f "$TAP_TMP/unknown"
out=$(stranger -v -i "$TAP_TMP/unknown")
is "an unknown key: refused" $? 255
like "after it was offered" "$out" "Offering public key: $TAP_TMP/unknown"
like "so it says" "$out" 'Permission denied \(publickey\)'
out=$(stranger -i "$KDYNO_SSH/id_ed25519" -l nobody)
like "another user: refused" "$out" 'Permission denied'
cp "$KDYNO_LAB/sweeps/t-ssh/ssh_known_hosts" "$TAP_TMP/known"
sed "s/^/kdyno-qemu /" "$TAP_TMP/unknown.pub" >"$KDYNO_LAB/sweeps/t-ssh/ssh_known_hosts"
run "$KDYNO" ssh qemu uname -r
is "another host key: kdyno ssh refuses" "$status" 255
like "and says why" "$err" 'Host key verification failed|REMOTE HOST IDENTIFICATION HAS CHANGED'
is "and runs nothing" "$out" ""
cp "$TAP_TMP/known" "$KDYNO_LAB/sweeps/t-ssh/ssh_known_hosts"
run env KDYNO_SSH="$TAP_TMP/nowhere" "$KDYNO" ssh qemu true
is "without the key: exit 1" "$status" 1
like "says which" "$err" 'no key .*nowhere/id_ed25519: sweep t-ssh was made with another'
is "a port is opened to this machine alone" "$(ss -ltnH "sport = :$port" | awk '{ print $4 }')" "127.0.0.1:$port"

# ---- and goes on as if nobody had been there
"$KDYNO" ssh qemu "trap '' HUP TERM; sleep 1000 </dev/null >/dev/null 2>&1 & echo \$!" >"$TAP_TMP/left"
like "a process is left behind" "$("$KDYNO" ssh qemu cat "/proc/$(cat "$TAP_TMP/left")/stat")" '\(sleep\)'
check "resume" "$KDYNO" sweep resume t-ssh
check "the next boot is under way" lab_wait 120 lab_at_least t-ssh start 2 || diag "$(cat "$TAP_TMP/run")"
like "what the person had started was ended before" "$(cat "$KDYNO_LAB/sweeps/t-ssh/console-qemu.log")" 'note msg=ssh:[%025]*ended,[%025]*[1-9][0-9]*[%025]*processes'
unlike "all of it" "$(cat "$KDYNO_LAB/sweeps/t-ssh/console-qemu.log")" 'processes[%025]*do[%025]*not[%025]*end'
is "and nothing answers any more" "$(greeting "$port")" ""
wait $run
is "the sweep ends well" $? 0 || diag "$(cat "$TAP_TMP/run")"
check "every boot once, nothing missing, every test passed" tests/lib/prove-sweep "$KDYNO_LAB" t-ssh --passed
check "nothing runs on" lab_idle
tap_done
