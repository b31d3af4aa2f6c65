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

peer() {
    rm -f "$TAP_TMP/port"
    perl tests/station/suite-peer "$TAP_TMP/port" "$1" >/dev/null 2>"$TAP_TMP/peer.err" &
    peer=$!
    at_exit "kill $peer 2>/dev/null"
    for _ in 1 2 3 4 5 6 7 8 9 10 11 12 13 14 15 16 17 18 19 20; do
        [ -s "$TAP_TMP/port" ] && break
        sleep 0.1
    done
    [ -s "$TAP_TMP/port" ] || bail "the peer does not listen: $(cat "$TAP_TMP/peer.err")"
    KD_PEER=127.0.0.1:$(cat "$TAP_TMP/port")
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

tap_done
