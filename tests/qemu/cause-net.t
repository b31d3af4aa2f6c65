#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# timeout: 900
# Cause, not only effect: a kernel behind a cable that is long, longer by 5 ms, or lossy, changed from test to test in the same boot. What the NFS client's own
# counters then say must name the cause: the round trip is longer by those 5 ms and the requests under way are as many as before; frames that were lost
# are retransmissions; without readahead one request is under way.
. tests/lib/tap.sh
. tests/qemu/lab.sh
. tests/lib/packet.sh
at_exit lab_stop
at_exit packet_stop

# one-way delays in us and loss in ppm: from the box, to the box
cable_for() {
    case $1 in
    far-*) echo 0 0 10000 0 ;;
    farther-*) echo 0 0 15000 0 ;;
    tcp-lossy) echo 0 20000 0 0 ;;
    *) echo 0 0 0 0 ;;
    esac
}

# follow SWEEP: the cable is that of the test that has begun last
follow() {
    raw=$KDYNO_LAB/sweeps/$1/console-cable.raw was=""
    while sleep 0.1; do
        test=$(tail -c 4096 "$raw" 2>/dev/null | tr -d '\0\r' | sed -n 's/.* begin test=\([a-z0-9-]*\) .*/\1/p' | tail -n 1)
        if [ -n "$test" ] && [ "$test" != "$was" ]; then
            # shellcheck disable=SC2046 # words
            packet_set $(cable_for "$test")
            was=$test
        fi
    done
}

# figures TEST PREFIX...: NAME=VALUE words of `show --nfs`, medians over tests and NFS versions: reads of far-*, farther-*, far-one
figures() {
    perl -MJSON::PP -0777 -e 'open my $h, "<", $ARGV[0] or die; my (%v, %pair);
        for my $r (@{decode_json(<$h>)->{nfs}}) {
            next unless $r->{op} eq "READ" && $r->{phase} =~ /^read_(v\d)$/ && $r->{test} =~ /^(far|farther)-(\w+)$/;
            my ($place, $n, $vers) = ($1, $2, $r->{phase});
            if ($n eq "one") { push @{$v{one}}, $r->{outstanding}; next }
            push @{$v{"${place}_$_->[0]"}}, $r->{$_->[1]} for ["out", "outstanding"], ["rtt", "rtt_ms_op"];
            $pair{"$n $vers"}{$place} = $r->{rtt_ms_op};
        }
        $v{more} = [map { $_->{farther} - $_->{far} } values %pair];
        for my $k (sort keys %v) { my @s = sort { $a <=> $b } @{$v{$k}}; printf "%s=%.2f ", $k, $s[$#s / 2] }' "$TAP_TMP/json"
}
figure() { echo "$all" | tr ' ' '\n' | sed -n "s/^$1=//p"; }
# holds CONDITION VALUES...: awk over them as a, b, c; a value that is not there fails
# shellcheck disable=SC2317 # by check
holds() {
    [ -n "$2" ] && [ -n "${3-0}" ] && awk -v a="$2" -v b="${3:-0}" "BEGIN { exit !($1) }"
}
# retrans TEST: what TCP sent again in its phase `send`
retrans() {
    perl -MJSON::PP -e 'my ($file, $test) = @ARGV; my $n; open my $h, "<", $file or die; while (<$h>) { my $r = decode_json($_); my $k = $r->{kv} or next;
        $n = $k->{retrans} if $r->{kind} eq "fact" && $k->{test} eq $test && ($k->{snmp} // "") eq "send" && exists $k->{retrans} } print $n // ""' \
        "$KDYNO_LAB/sweeps/t-cause/records.jsonl" "$1"
}

lab_ready
packet_box cable
# Small transfers: what is under way is to fit into one window of TCP in QEMU's own network (64 KiB), else a request waits for several trips.
packet_set 0 0 0 0
packet_start
{
    printf '[profile]\nsummary = reads over NFS and TCP, over and over\ntests = far-1 farther-1 far-2 farther-2 far-3 farther-3 far-one tcp-near tcp-lossy\n'
    for t in far-1 farther-1 far-2 farther-2 far-3 farther-3; do
        printf '[test %s]\nlike = nfs-bulk\nprimary = none\nsize_bytes = 512K\nrsize = 4096\nwsize = 32768\nreadahead_kb = 32\nreps = 1\n' $t
    done
    printf '[test far-one]\nlike = nfs-bulk\nprimary = none\nsize_bytes = 256K\nrsize = 4096\nwsize = 32768\nreps = 1\nreadahead_kb = 0\n'
    printf '[test %s]\nlike = net-tcp\nprimary = none\nbytes = 4M\nreps = 1\nwarm = 0\ntime_ms = 20000\n' tcp-near tcp-lossy
} >"$TAP_TMP/cause.profile"
lab_stop
rm -rf "$KDYNO_LAB/sweeps/t-cause" "$KDYNO_LAB/results/t-cause"
check "sweep new" "$KDYNO" sweep new t-cause --box cable --profile "$TAP_TMP/cause.profile" --kernels "$NEW" --rounds 1 --seed 4 || bail "no sweep"
follow t-cause &
follower=$!
check "sweep run" "$KDYNO" sweep run t-cause
kill "$follower"
wait "$follower" 2>/dev/null
"$KDYNO" show t-cause --nfs --json >"$TAP_TMP/json"
all=$(figures)
diag "medians: $all"

check "5 ms more of cable are 5 ms more of round trip" holds 'a > 4 && a < 8' "$(figure more)"
check "and as many requests under way" holds 'a > 1.5 && b / a > 0.75 && b / a < 1.33' "$(figure far_out)" "$(figure farther_out)"
check "without readahead it is one" holds 'a > 0.3 && a <= 1.05 && b > 1.5 * a' "$(figure one)" "$(figure far_out)"
check "what the cable lost, TCP sent again" holds 'b >= 5 && b > 5 * a' "$(retrans tcp-near)" "$(retrans tcp-lossy)" ||
    diag "retransmissions: $(retrans tcp-near), with loss $(retrans tcp-lossy)"
kill -USR1 "$packet_pid"
check "and the cable had lost it" wait_for 5 grep -q '^up frames=.* lost=[1-9]' "$TAP_TMP/packet-line"
tap_done
