#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# timeout: 120
# sweep new --ssh, and what kdyno ssh says and does on the station: keys go into the packs and nowhere else, and ssh gets arguments that shut out
# all that could come from elsewhere. (That a box lets nobody else in is tests/qemu/ssh.t.)
. tests/lib/tap.sh
. tests/station/run.sh
KDYNO_LAB="$TAP_TMP/a lab, 100%d"
KDYNO_SSH="$TAP_TMP/my keys, 50%h"
export KDYNO_LAB KDYNO_SSH
sim_lab

# members FILE: of archives behind one another
members() { perl -0777 -ne 'while (/070701(?:[0-9A-F]{8}){11}([0-9A-F]{8})[0-9A-F]{8}/g) { print substr($_, pos, hex($1) - 1), "\n" }' "$1"; }
new() { run "$KDYNO" sweep new "$@" --box sim --kernels 6.1.0-a,6.12.0-b --rounds 1 --seed 1 --tests boot-time; }

new shut
is "a sweep without --ssh" "$status" 0 || diag "$err"
unlike "says nothing of it" "$(cat "$KDYNO_LAB/sweeps/shut/schedule")" ' ssh='
unlike "its packs have no door" "$(for p in "$KDYNO_LAB"/sweeps/shut/pack-*; do members "$p"; done)" 'ssh'
check "and no key is made" test ! -e "$KDYNO_SSH"
new open --ssh
is "a sweep with --ssh" "$status" 0 || diag "$err"
like "says how to come in" "$out" '^ssh +while the box is held: kdyno ssh sim$'
like "it is in the schedule" "$(cat "$KDYNO_LAB/sweeps/open/schedule")" '^sweep .* ssh=1 '
for p in "$KDYNO_LAB"/sweeps/open/pack-*; do
    is "$(basename "$p") has the door" "$(members "$p" | grep -E 'ssh|^root' | tr '\n' ' ')" "kd/ssh kd/ssh/host_key root root/.ssh root/.ssh/authorized_keys "
    is "once, at the end, whole" "$(($(stat -c %s "$p") % 512))" 0
done
is "for home and both kernels" "$(find "$KDYNO_LAB/sweeps/open" -name 'pack-*' | wc -l)" 3
is "the folder has the public halves, and nothing else more" "$(cd "$KDYNO_LAB/sweeps/open" && find . -name '*ssh*' | sort | tr '\n' ' ')" "./ssh_authorized_keys ./ssh_known_hosts "
like "one host key, under the box's name" "$(cat "$KDYNO_LAB/sweeps/open/ssh_known_hosts")" '^kdyno-sim ssh-ed25519 [A-Za-z0-9+/=]+$'
is "the person's key is the person's alone" "$(stat -c %a "$KDYNO_SSH" "$KDYNO_SSH/id_ed25519" | tr '\n' ' ')" "700 600 "
before=$(cat "$KDYNO_SSH/id_ed25519")
printf '[sweep]\nssh = yes\n' >"$TAP_TMP/conf"
new again --config "$TAP_TMP/conf"
is "ssh = yes in a sweep.conf" "$status" 0 || diag "$err"
is "the person's key is made once" "$(cat "$KDYNO_SSH/id_ed25519")" "$before"
mkdir "$TAP_TMP/pipe"
mkfifo "$TAP_TMP/pipe/id_ed25519"
refused 1 'pipe/id_ed25519 is no plain file' "a key that would hang whoever reads it" env KDYNO_SSH="$TAP_TMP/pipe" timeout 20 "$KDYNO" sweep new pipe \
    --ssh --box sim --kernels 6.1.0-a,6.12.0-b --rounds 6 --tests boot-time
check "a host key each sweep" sh -c '! cmp -s "$1/open/ssh_known_hosts" "$1/again/ssh_known_hosts"' sh "$KDYNO_LAB/sweeps"
printf '[sweep]\nssh = perhaps\n' >"$TAP_TMP/conf"
new no --config "$TAP_TMP/conf"
is "ssh = perhaps: exit 1" "$status" 1
like "one line names it" "$err" ':2: ssh = perhaps: yes or no was expected'
mkdir "$TAP_TMP/bin"
for tool in ssh-keygen dropbearkey; do
    rm -f "$TAP_TMP"/bin/*
    for other in ssh-keygen dropbearkey depmod xz gzip zstd; do [ "$other" = $tool ] || ln -s "$(command -v $other)" "$TAP_TMP/bin/$other"; done
    run env PATH="$TAP_TMP/bin" "$KDYNO" sweep new no --ssh --box sim --kernels 6.1.0-a --rounds 1 --tests boot-time
    is "without $tool: exit 1" "$status" 1
    like "says what to install" "$(printf '%s\n' "$err" | tail -n 1)" "$tool is missing: install the package (openssh-client|dropbear-bin) "
    check "no half sweep" test ! -e "$KDYNO_LAB/sweeps/no"
done
nothing_left "$KDYNO_LAB/sweeps"

# ---- kdyno ssh: why not
refused 2 'which box' "no box" "$KDYNO" ssh
refused 1 "no box 'sin' in .*did you mean 'sim'" "another box" "$KDYNO" ssh sin ls -l
refused 1 "no sweep runs on box sim; 'kdyno sweep run SWEEP' brings it up" "nothing runs" "$KDYNO" ssh sim
begin() {
    : >"$TAP_TMP/run" # before it is looked into
    "$KDYNO" sweep run "$1" >"$TAP_TMP/run" 2>&1 &
    run=$!
}
sim_start shut
check "pause" "$KDYNO" sweep pause shut
begin shut
check "held" wait_for 20 grep -q 'held here' "$TAP_TMP/run"
refused 1 'sweep shut was made without ssh.*--ssh' "no door" "$KDYNO" ssh sim
kill $run
wait $run
sim_end
refused 1 "no sweep runs on box sim; 'kdyno sweep run shut' brings it up" "nothing runs any more" "$KDYNO" ssh sim

# ---- kdyno ssh: a box that has a server behind the address that it says
if perl -MIO::Socket::INET -e 'exit !IO::Socket::INET->new(Listen => 1, LocalAddr => "127.0.0.99:22")'; then
    perl -MIO::Socket::INET -e '$l = IO::Socket::INET->new(Listen => 5, LocalAddr => "127.0.0.99:22", ReuseAddr => 1) or die; while ($c = $l->accept) { print $c "SSH-2.0-test\r\n"; close $c }' &
    at_exit "kill $!"
    sim_start open addr=127.0.0.99 tests=2000 boot_ms=300
    begin open
    check "it runs" wait_for 30 journal_has open 'line=1 .*state=hello'
    refused 1 "box sim is not held: 'kdyno sweep pause open'" "not held" "$KDYNO" ssh sim
    check "pause" "$KDYNO" sweep pause open
    check "held" wait_for 40 grep -q "held here; 'kdyno ssh sim' looks inside, 'kdyno sweep resume open' goes on" "$TAP_TMP/run" || diag "$(cat "$TAP_TMP/run")"
    # ssh says what it would do, in place of doing it
    rm -f "$TAP_TMP"/bin/*
    ssh=$(command -v ssh)
    printf '#!/bin/sh\nprintf "%%s|" "$@" >"%s/args"\nexec %s -G "$@"\n' "$TAP_TMP" "$ssh" >"$TAP_TMP/bin/ssh"
    chmod +x "$TAP_TMP/bin/ssh"
    run env PATH="$TAP_TMP/bin:$PATH" "$KDYNO" ssh sim ls -l '/a b' --help
    is "kdyno ssh" "$status" 0 || diag "$err"
    printf '%s\n' "$out" >"$TAP_TMP/options"
    like "the command goes through as it is" "$(cat "$TAP_TMP/args")" '\|root@127\.0\.0\.99\|--\|ls\|-l\|/a b\|--help\|$'
    for line in "user root" "hostname 127.0.0.99" "port 22" "hostkeyalias kdyno-sim" "identityfile $TAP_TMP/my keys, 50%%h/id_ed25519" \
        "userknownhostsfile $TAP_TMP/a lab, 100%d/sweeps/open/ssh_known_hosts" "globalknownhostsfile /dev/null" "identitiesonly yes" \
        "stricthostkeychecking true" "passwordauthentication no" "kbdinteractiveauthentication no" "preferredauthentications publickey" \
        "identityagent none" "forwardagent no" "forwardx11 no" "updatehostkeys false" "hostkeyalgorithms ssh-ed25519" "batchmode yes" \
        "clearallforwardings yes" "checkhostip no"; do
        check "ssh: $line" grep -qxF "$line" "$TAP_TMP/options"
    done
    is "one key, one file of hosts" "$(grep -cE '^(identityfile|userknownhostsfile) ' "$TAP_TMP/options")" 2
    run env PATH="$TAP_TMP/bin:$PATH" "$KDYNO" ssh sim -- true
    like "-- ends kdyno's own words" "$(cat "$TAP_TMP/args")" '\|--\|true\|$'
    refused 1 'no key .*/id_ed25519: sweep open was made with another' "no key" env KDYNO_SSH="$TAP_TMP/none" "$KDYNO" ssh sim
    mkdir "$TAP_TMP/other"
    ssh-keygen -q -t ed25519 -N '' -f "$TAP_TMP/other/id_ed25519"
    refused 1 'other/id_ed25519 is not the key that sweep open was made with' "another key" env KDYNO_SSH="$TAP_TMP/other" "$KDYNO" ssh sim
    mv "$KDYNO_LAB/sweeps/open/ssh_authorized_keys" "$TAP_TMP/"
    refused 1 'ssh_authorized_keys is missing: make the sweep anew' "a sweep that has lost its keys" "$KDYNO" ssh sim
    kill $run
    wait $run
    sim_end
else
    skip "kdyno ssh" "no port 22 to be had"
fi
tap_done
