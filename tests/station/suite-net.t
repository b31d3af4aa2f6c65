#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# timeout: 120
#
# The network tests and the controls of memory on this machine, with small parameters: good and bad peers on the loopback.
. tests/lib/tap.sh
. tests/station/suite.sh

# ---- mem-fault, mem-copy, mem-tlb

go mem-fault bytes=1048576 reps=3
passes mem-fault "mem-fault"
like "mem-fault: a fault a page" "$(cat "$facts")" '^metric name=minor v=256 ns='
go mem-copy bytes=1048576 passes=1 reps=3
passes mem-copy "mem-copy"
like "mem-copy: bytes are counted once" "$(cat "$facts")" '^metric name=copy v=1048576 ns='
go mem-copy bytes=100000
is "mem-copy: a size that is no multiple" "$status" 2
go mem-tlb far_pages=1024 steps=100000 reps=3
passes mem-tlb "mem-tlb"
like "mem-tlb: whole rounds" "$(cat "$facts")" '^fact reps=far i=1 v=100352,100352,100352 '
check "mem-fault that cannot map skips" sh -c "ulimit -v 8192; '$suite' mem-fault bytes=67108864 3>/dev/null; test \$? = 4"

# ---- net-tcp

# listen COMMAND...: started with a file for its port as first parameter; $port
listen() {
    command=$1
    shift
    rm -f "$TAP_TMP/port"
    "$command" "$TAP_TMP/port" "$@" >/dev/null 2>"$TAP_TMP/peer.err" &
    at_exit "kill $! 2>/dev/null"
    for _ in 1 2 3 4 5 6 7 8 9 10 11 12 13 14 15 16 17 18 19 20 21 22 23 24 25 26 27 28 29 30; do
        [ -s "$TAP_TMP/port" ] && break
        sleep 0.1
    done
    [ -s "$TAP_TMP/port" ] || bail "$command does not listen: $(cat "$TAP_TMP/peer.err")"
    port=$(cat "$TAP_TMP/port")
}
peer() {
    listen tests/station/suite-peer "$1"
    KD_PEER=127.0.0.1:$port
    export KD_PEER
}
go net-tcp
skips net-tcp "net-tcp without KD_PEER"
KD_PEER=nowhere go net-tcp
fails net-tcp "net-tcp with a name for an address" wanted
KD_PEER=127.0.0.1:1 go net-tcp
fails net-tcp "net-tcp where nobody listens" refused
peer good
go net-tcp bytes=1048576
passes net-tcp "net-tcp"
like "net-tcp: recv" "$(cat "$facts")" '^metric name=recv v=1048576 ns='
like "net-tcp: retransmissions are a metric, of none too" "$(cat "$facts")" '^metric name=retrans v=[0-9]+$'
like "net-tcp: the interface is found" "$(cat "$facts")" '^fact nic=recv name=lo rx_errs=[0-9]+ rx_drop='
like "net-tcp: the connection says of itself" "$(cat "$facts")" '^fact tcp=send rtt_us=[0-9]+ .*cwnd=[1-9]'
like "net-tcp: ended by bytes" "$(cat "$facts")" '^fact ended=send by_bytes=3 by_time=0$'
peer slow
go net-tcp bytes=1073741824 time_ms=300 reps=1 warm=0
passes net-tcp "net-tcp with a slow peer"
like "net-tcp: recv ended by time" "$(cat "$facts")" '^fact ended=recv by_bytes=0 by_time=1$'
check "net-tcp: and soon ($ms ms)" test "$ms" -lt 20000
peer early
go net-tcp bytes=1048576 reps=1
fails net-tcp "net-tcp with a peer that closes early" early
peer wrong
go net-tcp bytes=1048576 reps=1
fails net-tcp "net-tcp with a peer that counts wrongly" send
peer mute
go net-tcp bytes=1048576 time_ms=300 reps=1
fails net-tcp "net-tcp with a peer that says nothing" recv
unset KD_PEER

# ---- net-udp, against the station's own peer

port=$(perl -MIO::Socket::INET -e 'my $s = IO::Socket::INET->new(Listen => 1, LocalAddr => "127.0.0.1"); print $s->sockport')
real=$port
"$TAP_TOP/$BUILD/kdyno" serve peer "$real" 2>"$TAP_TMP/real.err" &
at_exit "kill $! 2>/dev/null"
go net-udp
skips net-udp "net-udp without KD_PEER"
KD_PEER=127.0.0.1:1 go net-udp
skips net-udp "net-udp where nobody answers"
export KD_PEER="127.0.0.1:$real"
for _ in 1 2 3 4 5 6 7 8 9 10; do
    go net-tcp bytes=65536 reps=1 warm=0
    [ "$status" = 0 ] && break
    sleep 0.2
done
passes net-tcp "net-tcp with the real peer"
go net-udp bytes=1048576
passes net-udp "net-udp"
like "net-udp: what arrived" "$(cat "$facts")" '^metric name=recv v=[1-9][0-9]* ns='
like "net-udp: datagrams are counted" "$(cat "$facts")" '^fact datagrams=send sent=384 lost=[0-9]+ '
like "net-udp: reassembly is counted" "$(cat "$facts")" '^fact ip=recv reasm_oks=[0-9]+ reasm_fails='
go net-udp datagram_bytes=128 window=1 bytes=100000 reps=1 warm=0
passes net-udp "net-udp with small datagrams, one under way"
go net-udp datagram_bytes=65000 window=3 bytes=1000000 reps=1 warm=0
passes net-udp "net-udp with the largest"
spoiled() {
    listen tests/station/suite-udp-proxy "$real" "$1"
    shift
    KD_PEER=127.0.0.1:$port go net-udp bytes=500000 reps=1 warm=0 time_ms=2000 "$@"
}
number() { sed -n "s/^fact datagrams=recv .*$1=\([0-9]*\).*/\1/p" "$facts"; }
spoiled good
passes net-udp "net-udp through a proxy"
spoiled lose
passes net-udp "net-udp with losses"
check "net-udp: losses are counted ($(number lost))" test "$(number lost)" -gt 0
spoiled swap
passes net-udp "net-udp with datagrams in another order"
check "net-udp: reordered ones are counted ($(number reordered))" test "$(number reordered)" -gt 0
spoiled twice
passes net-udp "net-udp with duplicates"
check "net-udp: duplicates are counted ($(number dup))" test "$(number dup)" -gt 0
spoiled mute
skips net-udp "net-udp where nothing comes back"
spoiled large
skips net-udp "net-udp where fragments are lost"
like "net-udp: it says that small ones come" "$(cat "$facts")" 'fragments'
spoiled wrong
fails net-udp "net-udp with a wrong byte" 'wrong data in datagram|probe'
spoiled ack
fails net-udp "net-udp whose data the peer finds wrong" 'wrong%20data%20at%20the%20peer'
for kind in short long lie; do
    spoiled $kind
    fails net-udp "net-udp with a peer that is $kind" 'no%20datagram%20of%20the%20peer'
done
unset KD_PEER

# ---- the peer's UDP side, attacked

check "the peer gives nothing that is not proven, and outlives noise" tests/station/attack-peer "$real"
KD_PEER=127.0.0.1:$real go net-udp bytes=100000 reps=1 warm=0
passes net-udp "net-udp after the attack"
is "the peer has not complained" "$(cat "$TAP_TMP/real.err")" ""

# ---- net-rpc

go net-rpc
skips net-rpc "net-rpc without KD_NFSTEST"
KD_NFSTEST=nowhere go net-rpc
fails net-rpc "net-rpc with a name for an address" wanted
KD_NFSTEST=127.0.0.1:1,1:/kd/test go net-rpc
fails net-rpc "net-rpc where nobody listens" refused
rpc() {
    listen tests/station/suite-rpc "$1"
    shift
    KD_NFSTEST=127.0.0.1:$port,1:/kd/test go net-rpc calls=300 time_ms=3000 reps=2 "$@"
}
rpc good
passes net-rpc "net-rpc"
like "net-rpc: depth1" "$(cat "$facts")" '^metric name=depth1 v=300 ns='
like "net-rpc: every latency is in the histogram" "$(cat "$facts")" '^hist name=depth1 n=600 '
rpc good proto=udp
passes net-rpc "net-rpc over UDP"
rpc tcp proto=udp
skips net-rpc "net-rpc over UDP where the server has none"
for kind in pieces disorder; do
    rpc $kind
    passes net-rpc "net-rpc with replies in $kind"
done
rpc program
skips net-rpc "net-rpc with a server without NFS v3"
for kind in xid again; do
    rpc $kind
    fails net-rpc "net-rpc: $kind" xid
done
for kind in tail noise; do
    rpc $kind
    fails net-rpc "net-rpc: $kind" 'no%20reply'
    rpc $kind proto=udp
    fails net-rpc "net-rpc over UDP: $kind" 'no%20reply'
done
for kind in long empty; do
    rpc $kind
    fails net-rpc "net-rpc: $kind" 'too%20long'
done
for kind in short close; do
    rpc $kind
    fails net-rpc "net-rpc: $kind" 'closed'
done
rpc denied
fails net-rpc "net-rpc: denied" 'denied'
rpc error
fails net-rpc "net-rpc: error" 'could%20not'

tap_done
