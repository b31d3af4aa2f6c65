#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# timeout: 900
# A stall is an event, not a slow number: the server of the NFS tests is stopped for longer than stall_s while a test appends, and goes on. The test fails by
# that name, says when and for how long, and gives no metric; the sweep goes on.
. tests/lib/tap.sh
. tests/qemu/lab.sh
at_exit lab_stop
lab_ready
printf '[profile]\nsummary = of this test\ntests = stall\n[test stall]\nlike = nfs-patterns\nseekback_bytes = 8192\nsparse_writes = 1\nnames = 1\nlink_bytes = 4096\nappends = 10000\nreps = 1\nstall_s = 3\n' \
    >"$TAP_TMP/stall.profile"
lab_sweep l-stall --profile "$TAP_TMP/stall.profile" --kernels "$NEW" --rounds 1 --seed 9
"$KDYNO" sweep run l-stall >"$TAP_TMP/run" 2>&1 &
run=$!
tag=$(sed -n 's/^try line=2 tag=\([0-9a-f]*\) .*/\1/p' "$KDYNO_LAB/sweeps/l-stall/schedule")
check "the test that is to be stalled works" lab_wait 300 grep -aq " $tag .* phase test=stall name=append " "$KDYNO_LAB/sweeps/l-stall/console-qemu.raw" || bail "$(cat "$TAP_TMP/run")"
sleep 2 # behind the mount
server=$(cut -d ' ' -f 1 "$KDYNO_LAB/run/nfs-test.pid")
kill -STOP "$server"
sleep 9
kill -CONT "$server"
wait $run
is "the sweep ends well" "$?" 0 || diag "$(cat "$TAP_TMP/run")"

"$KDYNO" show l-stall --records --tag "$tag" --test stall >"$TAP_TMP/records"
says() { like "$1" "$(cat "$TAP_TMP/records")" "$2"; }
says "it fails" ' end test=stall status=fail '
says "by name" ' reason=stall:%20no%20reply%20over%20NFS%20v3%20for%20([4-9]|1[0-9])%20s'
says "noticed while it lasted" ' note test=stall msg=NFS%20v3:%20requests%20are%20out,%20and%20no%20reply%20for%203%20s'
says "when and how long" ' fact test=stall stall=v3 n=1 longest_ns=[0-9]{10,11} at_ns=[0-9]+ log=[01]'
is "no metric" "$(grep -c ' metric ' "$TAP_TMP/records")" 0
like "among the tests that did not pass" "$("$KDYNO" show l-stall --metrics)" 'stall +fail +1 +0 +stall: no reply'
is "nothing is left in the export" "$(ls "$KDYNO_LAB/nfs-test")" ""
diag "$(grep -v hist "$TAP_TMP/records" | tail -n 30)"
tap_done
