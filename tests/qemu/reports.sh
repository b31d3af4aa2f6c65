# SPDX-License-Identifier: GPL-2.0-or-later
#
# What the tests of the three field reports share. Read it after tests/lib/tap.sh and tests/qemu/lab.sh.
# Contract: report_sweep makes and runs a sweep of a profile; the other functions judge what it left. No time and no rate is judged, only that it is there.
# shellcheck shell=sh

# report_sweep ID PROFILE ARGS...
report_sweep() {
    id=$1 profile=$2
    shift 2
    lab_sweep "$id" --profile "$profile" --seed 11 "$@"
    run "$KDYNO" sweep run "$id"
    is "sweep run $id ends well" "$status" 0 || diag "$out" "$err"
    check "every boot complete once" tests/lib/prove-sweep "$KDYNO_LAB" "$id" --channels both
    # not one test ended otherwise than REPORT_SKIPS (test:words of the reason, or empty) allows
    is "every test passed, or skipped for the reason that is known" "$(jq -r --arg skips "${REPORT_SKIPS-}" 'select(.kind == "end") | .kv |
        ($skips | split(":")) as $s | select(.status != "pass" and (.status != "skip" or .test != $s[0] or ((.reason // "") | contains($s[1]) | not))) |
        .test + " " + .status + " " + (.reason // "")' "$KDYNO_LAB/sweeps/$id/records.jsonl")" ""
    is "no metric is 0" "$(jq -r 'select(.kind == "metric" and .kv.v == "0" and .kv.name != "retrans") | .kv | .test + "." + .name' \
        "$KDYNO_LAB/sweeps/$id/records.jsonl" | sort -u | paste -sd ' ')" ""
}

# report_view WORDS...: kdyno show of the sweep, into $out, and for people
report_view() {
    run "$KDYNO" show "$id" "$@"
    is "show $*: status" "$status" 0 || diag "$err"
    diag "$out"
}
