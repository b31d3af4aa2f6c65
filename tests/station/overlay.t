#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# timeout: 120
# Tests from elsewhere: an overlay's shell script becomes a test of a sweep, proven and remembered; and whatever an overlay may not hold is one line.
. tests/lib/tap.sh
. tests/station/lab.sh
command -v cpio >/dev/null || skip_all "no cpio"

fake_kernel 6.8.0-a
check "the twin" "$KDYNO" box add qemu
check "home" "$KDYNO" kernel add 6.8.0-a --as home
top=$TAP_TMP/top
# fresh: a good overlay's files in $top.
fresh() {
    rm -rf "$top"
    mkdir -p "$top/kd/suite/lib"
    printf '#!/bin/sh\n. /kd/suite/lib/say\nsay 3\n' >"$top/kd/suite/answer"
    echo 'say() { echo "metric name=count v=$1" >&3; }' >"$top/kd/suite/lib/say"
    chmod 755 "$top/kd/suite/answer"
    printf '[test]\nname = answer\nsummary = says 3\ndeadline_s = 10\nquiet_s = 5\n[args]\nof = all\n[metric count]\nunit = count\nbetter = higher\nprimary = yes\n' >"$top/kd/suite/answer.test"
}
# pack FILE: $top as newc.
pack() { (cd "$top" && find kd | LC_ALL=C sort | cpio -o -H newc --quiet) >"$TAP_TMP/$1"; }
# shellcheck disable=SC2317 # run by refused
new() { "$KDYNO" sweep new x --box qemu --kernels 6.8.0-a --tests boot-time,answer --overlay "$TAP_TMP/$1"; }

fresh
pack good.cpio
run "$KDYNO" sweep new s1 --box qemu --kernels 6.8.0-a --overlay "$TAP_TMP/good.cpio" --tests boot-time,answer --arg answer.of=some
is "sweep new --overlay" "$status" 0
dir=$KDYNO_LAB/sweeps/s1
like "its primary counts" "$out" 'answer\.count'
like "it is in the schedule" "$(cat "$dir/schedule")" '^test name=answer deadline_ms=10000 .* args=of%3Dsome '
like "and in the pack" "$(cpio -it --quiet <"$dir/pack-6.8.0-a.cpio" 2>/dev/null; tail -c +1 "$dir/pack-6.8.0-a.cpio" | strings | grep kd/suite)" 'kd/suite/lib/say'
awk '/^file / { for (i = 2; i <= NF; i++) { split($i, kv, "="); v[kv[1]] = kv[2] } print v["sha256"] "  " v["path"] }' "$dir/manifest" >"$TAP_TMP/sums"
check "hashes hold" sh -c 'cd "$1" && sha256sum -c "$2"' sh "$KDYNO_LAB" "$TAP_TMP/sums"
rm "$TAP_TMP/good.cpio"
run "$KDYNO" show s1 --metrics
is "show knows its metrics afterwards" "$status" 0
check "the descriptor is kept" cmp "$top/kd/suite/answer.test" "$dir/tests/answer.test"
pack good.cpio
gzip -k "$TAP_TMP/good.cpio"
check "compressed" "$KDYNO" sweep new s2 --box qemu --kernels 6.8.0-a --overlay "$TAP_TMP/good.cpio.gz"
like "behind the profile's" "$(grep '^test ' "$KDYNO_LAB/sweeps/s2/schedule" | tail -1)" '^test name=answer '

# ---- what is refused
head -c 700 "$TAP_TMP/good.cpio" >"$TAP_TMP/cut.cpio"
refused 1 "truncated" "a truncated archive" new cut.cpio
echo "no archive at all" >"$TAP_TMP/text.cpio"
refused 1 "no cpio archive" "no archive" new text.cpio
mkfifo "$TAP_TMP/named-pipe.cpio"
refused 1 "no plain file" "an archive that is a FIFO" new named-pipe.cpio
refused 1 "No such file" "no file" new none.cpio
fresh && mkdir -p "$top/kd/bin" && echo x >"$top/kd/bin/sh" && pack outside.cpio
refused 1 "kd/bin.*not below kd/suite" "a file elsewhere" new outside.cpio
fresh && echo x >"$top/kd/suite/disk-seq" && pack clash.cpio
refused 1 "kd/suite/disk-seq: the suite has" "a program of the suite" new clash.cpio
fresh && echo x >"$top/kd/suite/suite" && pack suite.cpio
refused 1 "kd/suite/suite: the suite has" "the suite itself" new suite.cpio
fresh && chmod 4755 "$top/kd/suite/answer" && pack setuid.cpio
refused 1 "setuid" "a setuid program" new setuid.cpio
fresh && mkfifo "$top/kd/suite/pipe" && pack fifo.cpio
refused 1 "a device, pipe or socket" "a pipe" new fifo.cpio
fresh && ln -s /init "$top/kd/suite/lib/abs" && pack abs.cpio
refused 1 "leads out of kd/suite" "an absolute link" new abs.cpio
fresh && ln -s ../../runner "$top/kd/suite/lib/up" && pack up.cpio
refused 1 "leads out of kd/suite" "a link that leads out" new up.cpio
fresh && ln -s ../answer "$top/kd/suite/lib/in" && pack in.cpio
check "a link inside" "$KDYNO" sweep new s3 --box qemu --kernels 6.8.0-a --overlay "$TAP_TMP/in.cpio"
fresh && chmod 644 "$top/kd/suite/answer" && pack noexec.cpio
refused 1 "not executable" "a program that is none" new noexec.cpio
fresh && rm "$top/kd/suite/answer" && pack gone.cpio
refused 1 "its program is not in the overlay" "a descriptor without its program" new gone.cpio
fresh && rm "$top/kd/suite/answer.test" && pack bare.cpio
refused 1 "holds no kd/suite/<name>.test" "no descriptor" new bare.cpio
fresh && echo 'unit = x' >>"$top/kd/suite/answer.test" && echo 'nonsense = 1' >>"$top/kd/suite/answer.test" && pack wrong.cpio
refused 1 "answer.test:" "a wrong descriptor" new wrong.cpio
fresh && truncate -s 65M "$top/kd/suite/lib/big" && pack huge.cpio
refused 1 "at most 64 MiB" "a huge one" new huge.cpio
gzip "$TAP_TMP/huge.cpio"
refused 1 "at most 64 MiB" "a huge one that looks small" new huge.cpio.gz
check "no sweep came of it" test ! -e "$KDYNO_LAB/sweeps/x"
nothing_left "$KDYNO_LAB/sweeps"
tap_done
