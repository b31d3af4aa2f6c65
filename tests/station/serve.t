#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# What a station serves, and what it does not: HTTP gives kernels, images and schedules and nothing else; /ask without a sweep run is 503; the peer
# sends and receives what it is asked to.
. tests/lib/tap.sh
. tests/station/run.sh
sim_lab
sim_sweep s1 1
run "$KDYNO" serve http 0
is "port 0 is refused" "$status" 2

port() { perl -MIO::Socket::INET -e 'print IO::Socket::INET->new(LocalAddr => "127.0.0.1", Listen => 1)->sockport'; }
HTTP=$(port)
"$KDYNO" --lab "$KDYNO_LAB" serve http "$HTTP" &
http=$!
PEER=$(port)
"$KDYNO" --lab "$KDYNO_LAB" serve peer "$PEER" &
peer=$!
at_exit "kill $http $peer 2>/dev/null"
# shellcheck disable=SC2317 # called by name
listens() { perl -MIO::Socket::INET -e 'exit !IO::Socket::INET->new("127.0.0.1:$ARGV[0]")' "$1"; }
wait_for 5 listens "$HTTP"
wait_for 5 listens "$PEER"

# get PATH: status line, then the body into $TAP_TMP/body
get() {
    perl -MIO::Socket::INET -e '$s = IO::Socket::INET->new("127.0.0.1:$ARGV[0]") or die; print $s "$ARGV[1] $ARGV[2] HTTP/1.0\r\nHost: x\r\nContent-Length: " .
        length($ARGV[4]) . "\r\n\r\n$ARGV[4]"; local $/; $_ = <$s>; s/^(.*?)\r\n.*?\r\n\r\n//s; open F, ">", $ARGV[3]; print F; print "$1\n" || 1' \
        "$HTTP" "${2:-GET}" "$1" "$TAP_TMP/body" "${3:-}" | cut -d ' ' -f 2
}
for f in kernels/6.1.0-a/vmlinuz sweeps/s1/schedule sweeps/s1/manifest; do
    is "GET /$f" "$(get "/$f")" 200
    check "is the file" cmp "$TAP_TMP/body" "$KDYNO_LAB/$f"
done
pack=$(basename "$(ls "$KDYNO_LAB"/sweeps/s1/pack-6.1.0-a*)")
is "GET a pack" "$(get "/sweeps/s1/$pack")" 200
echo secret >"$KDYNO_LAB/kernels/secret"
ln -s /etc/passwd "$KDYNO_LAB/sweeps/s1/image-link"
mkdir "$KDYNO_LAB/sweeps/s1/image-folder" "$TAP_TMP/outside"
mkfifo "$KDYNO_LAB/sweeps/s1/image-fifo"
echo secret >"$TAP_TMP/outside/journal"
ln -s "$TAP_TMP/outside" "$KDYNO_LAB/sweeps/link"
for path in / /kernels /kernels/6.1.0-a/facts /kernels/6.1.0-a/config /kernels/secret /boards/sim.ini /sweeps/s1/records.jsonl /sweeps/s1/lock \
    /sweeps/s1/../s1/schedule /kernels/../sweeps/s1/schedule //sweeps/s1/schedule /sweeps/s1/schedule/ /sweeps/s1/image-link /sweeps/s1/image-folder \
    /kernels/6.1.0-a/../../boards/sim.ini '/kernels/%2e%2e/boards/sim.ini' /sweeps/./s1/schedule /sweeps/link/journal /sweeps/s1/image-fifo /run/ports /results/s1/sim/journal; do
    is "not served: $path" "$(get "$path")" 404
done
is "PUT is refused" "$(get /sweeps/s1/schedule PUT x)" 405
check "the schedule is as it was" grep -q "^sweep v=1 id=s1" "$KDYNO_LAB/sweeps/s1/schedule"
is "POST /ask with nobody there" "$(get /ask POST '# kd1 80000001 3 100 ask *00000000')" 503
is "POST /ask, too long" "$(get /ask POST "$(perl -e 'print "x" x 5000')")" 413

peer() {
    perl -MIO::Socket::INET -e '$s = IO::Socket::INET->new("127.0.0.1:$ARGV[0]") or die; print $s $ARGV[1]; print $s "y" x $ARGV[2]; shutdown $s, 1; local $/; $_ = <$s> // ""; print length > 100 ? length : $_' \
        "$PEER" "$1" "${2:-0}"
}
is "peer sends" "$(peer 'kd-peer send 1000000
')" 1000000
is "peer receives" "$(peer 'kd-peer recv 300000
' 300000)" "ok 300000"
is "peer says nothing to nonsense" "$(peer 'GET / HTTP/1.0
')" ""
is "nor to more than it may" "$(peer 'kd-peer send 99999999999999
')" ""
is "nor ok to too few bytes" "$(peer 'kd-peer recv 1000
' 10)" ""
tap_done
