# SPDX-License-Identifier: GPL-2.0-or-later
#
# What the tests of the suite's programs share (suite.t, suite-*.t): a program is run as the runner does it, its facts are held against the contract
# and its descriptor. Read it after tests/lib/tap.sh.
# Contract: sets suite, facts, scratch (an empty folder); none of the runner's KD_ variables is set.
# shellcheck shell=sh disable=SC2034
suite=$(cd "$BUILD/$ARCH" 2>/dev/null && pwd)/suite
[ -x "$suite" ] || skip_all "no $BUILD/$ARCH/suite"
"$suite" >/dev/null 2>&1 || skip_all "$suite does not run on this machine"
facts=$TAP_TMP/facts
scratch=$TAP_TMP/scratch
mkdir "$scratch"
unset KD_SCRATCH KD_NFSTEST KD_PEER KD_TMP KD_BOX KD_BOOT

# go TEST ARG...: run it as the runner does; status, and facts in $facts. Its time in $ms.
go() {
    start=$(date +%s%N)
    timeout 60 "$suite" "$@" 3>"$facts" >"$TAP_TMP/stdout" 2>"$TAP_TMP/stderr" </dev/null
    status=$?
    ms=$((($(date +%s%N) - start) / 1000000))
}
# ends TEST WANTED(pass, skip, fail) STATUS DESCRIPTION
ends() {
    is "$4: status" "$status" "$3" || sed 's/^/#   /' "$facts" "$TAP_TMP/stderr"
    check "$4: facts" tests/station/suite-facts "tests/suite/$1.test" "$facts" "$2"
}
passes() { ends "$1" pass 0 "$2"; }
skips() { ends "$1" skip 4 "$2"; }
fails() {
    ends "$1" fail 1 "$2"
    like "$2: reason" "$(cat "$facts")" "$3"
}
empty() { is "$1: nothing left" "$(ls -A "$scratch")" ""; }

# as_on_a_box SUBJECT: what the runner's environment has, with the station's peer (KD_PEER) and an RPC server on the loopback (its port in $TAP_TMP/rpc)
as_on_a_box() {
    export KD_SCRATCH="$scratch" KD_TMP="$TAP_TMP/tmp" KD_BOX=box KD_BOOT="$TAP_TMP/boot" KD_TAG=00000001 KD_SUBJECT="$1"
    mkdir "$KD_TMP"
    echo "boot init_ns=2000000000 ready_ns=2500000000" >"$KD_BOOT"
    port=$(perl -MIO::Socket::INET -e 'my $s = IO::Socket::INET->new(Listen => 1, LocalAddr => "127.0.0.1"); print $s->sockport')
    "$TAP_TOP/$BUILD/kdyno" serve peer "$port" 2>"$TAP_TMP/peer.err" &
    at_exit "kill $! 2>/dev/null"
    tests/station/suite-rpc "$TAP_TMP/rpc" good >/dev/null 2>&1 &
    at_exit "kill $! 2>/dev/null"
    wait_for 10 test -s "$TAP_TMP/rpc"
    wait_for 10 perl -MIO::Socket::INET -e "exit !IO::Socket::INET->new('127.0.0.1:$port')"
    export KD_PEER="127.0.0.1:$port"
}
