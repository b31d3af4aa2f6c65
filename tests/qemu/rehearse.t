#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# timeout: 900
# A few faults, each alone: the kernel panics, the runner dies, the power goes in the tests. Every boot has its verdict, nothing is lost; Ctrl-C leaves
# nothing running. All of them: tests/long/rehearse.t.
. tests/lib/tap.sh
. tests/qemu/lab.sh
at_exit lab_stop
lab_ready
lab_stop

run "$KDYNO" rehearse --faults panic,segv,power-hello --kernel "$OLD" --json
is "every fault ends as it may" "$status" 0 || diag "$out" "$err"
printf '%s\n' "$out" >"$TAP_TMP/json"
verdict() { perl -MJSON::PP -0777 -e 'my ($f, $k) = splice @ARGV, 0, 2; my ($x) = grep { $_->{name} eq $f } @{decode_json(<>)->{faults}}; print $x->{$k}' "$1" "$2" "$TAP_TMP/json"; }
like "the panic is named" "$(verdict panic seen)" 'failed:panic'
like "the dead runner is named" "$(verdict segv seen)" 'failed:runner'
like "behind the power cut a boot is complete" "$(verdict power-hello seen)" 'complete'
like "of the panic there are records" "$(verdict panic evidence)" '^[1-9][0-9]* records'
unlike "the rehearsal's lab is gone" "$(ls "$KDYNO_LAB")" '^rehearsal$'

"$KDYNO" rehearse --faults clock --kernel "$OLD" >"$TAP_TMP/cut" 2>&1 &
cut=$!
check "another one starts" lab_wait 120 test -s "$KDYNO_LAB/rehearsal/run/qemu-twin.pid"
kill -INT $cut
wait $cut
is "Ctrl-C ends it with an error" $? 1
check "and leaves nothing running" sh -c '! pgrep -f "$1/rehearsal/(run|sweeps)/"' sh "$KDYNO_LAB"
tap_done
