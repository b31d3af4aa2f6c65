#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# timeout: 120
# sweep new: the schedule and what is frozen beside it; the same seed, the same order; and every wrong word in one line.
. tests/lib/tap.sh
. tests/station/lab.sh

refused 1 'no lab at' "no lab yet" "$KDYNO" sweep new x --box qemu --kernels a
fake_kernel 6.8.0-a
fake_kernel 6.9.0-b
check "the twin" "$KDYNO" box add qemu
refused 1 "no kernel 'home' to come back to" "no home yet" "$KDYNO" sweep new x --box qemu --kernels 6.8.0-a
check "home" "$KDYNO" kernel add 6.8.0-a --as home

run "$KDYNO" sweep new s1 --box qemu --kernels 6.8.0-a,6.9.0-b --variants smp,up:nosmp+maxcpus=1 --rounds 6 --seed 7
is "sweep new" "$status" 0
is "no warning" "$err" ""
like "boots are counted" "$out" '^boots +25: one discarded, then 6 rounds of 4$'
like "primaries are counted" "$out" '^primaries +[1-9][0-9]* of at most 10:'
dir=$KDYNO_LAB/sweeps/s1
tries() { grep '^try ' "$1/schedule"; }
order() { tries "$1" | sed 's/.* round=\([0-9]*\) subject=\([^ ]*\) .*/\1 \2/'; }
is "lines" "$(tries "$dir" | wc -l)" 25
is "the first is discarded" "$(tries "$dir" | grep -c 'round=0 .* discard=1 ')" 1
is "every subject once a round" "$(order "$dir" | tail -n +2 | sort | uniq | wc -l)" 24
is "tags are unique" "$(tries "$dir" | grep -o 'tag=[0-7][0-9a-f]*' | sort -u | wc -l)" 25
run cat "$dir/manifest"
like "a command line" "$out" '^cmdline subject=6\.9\.0-b/up words=console%3DttyS0,115200%20.*%20nosmp%20maxcpus%3D1 '
like "what the kernel must say" "$out" '^expect kernel=6\.9\.0-b release=6\.9\.0-b version=%231%20SMP%20Test'
for role in kernel image pack; do is "$role of each and of home" "$(grep -c "^file role=$role " "$dir/manifest")" 3; done
# Every hash holds.
awk '/^file / { for (i = 2; i <= NF; i++) { split($i, kv, "="); v[kv[1]] = kv[2] } print v["sha256"] "  " v["path"] }' "$dir/manifest" >"$TAP_TMP/sums"
check "hashes hold" sh -c 'cd "$1" && sha256sum -c "$2"' sh "$KDYNO_LAB" "$TAP_TMP/sums"
like "the pack, dependencies first" "$(cpio -i --quiet --to-stdout kd/pack/order <"$dir/pack-6.9.0-b.cpio" 2>/dev/null)" '^failover.ko$'
is "in order" "$(cpio -i --quiet --to-stdout kd/pack/order <"$dir/pack-6.9.0-b.cpio" 2>/dev/null | tr '\n' ' ')" "failover.ko virtio_net.ko virtio_pci.ko virtio-blk.ko nfs.ko "
is "gzip is preferred" "$(cd "$dir" && echo image-*.gz | wc -w)" 3

# ---- seeds
check "the same seed" "$KDYNO" sweep new s2 --box qemu --kernels 6.8.0-a,6.9.0-b --variants smp,up:nosmp --rounds 6 --seed 7
check "another one" "$KDYNO" sweep new s3 --box qemu --kernels 6.8.0-a,6.9.0-b --variants smp,up:nosmp --rounds 6 --seed 8
is "the same order" "$(order "$KDYNO_LAB/sweeps/s2")" "$(order "$dir")"
if [ "$(order "$KDYNO_LAB/sweeps/s3")" = "$(order "$dir")" ]; then fail "another order"; else pass "another order"; fi
is "no tag twice in a lab" "$(cat "$KDYNO_LAB"/sweeps/*/schedule | grep -o ' tag=[0-9a-f]*' | sort | uniq -d)" ""
check "two images of one build are the same files" cmp "$dir/pack-home.cpio" "$KDYNO_LAB/sweeps/s3/pack-home.cpio"

# ---- a sweep.conf, and options that win
mkfifo "$TAP_TMP/fifo.profile"
refused 1 "fifo.profile: no plain file" "a profile that is a FIFO" timeout 10 "$KDYNO" sweep new x --box qemu --kernels 6.8.0-a --profile "$TAP_TMP/fifo.profile"
printf '[profile]\nsummary = s\ntests = disk-seq\n[test disk-seq]\nneeds = scratch, disc\n' >"$TAP_TMP/needs.profile"
refused 1 "needs.profile:5: needs: 'disc' is none of" "a profile with a need that is none" "$KDYNO" sweep new x --box qemu --kernels 6.8.0-a \
    --profile "$TAP_TMP/needs.profile"
refused 2 "longer than any parameter" "a parameter of 3000 digits" "$KDYNO" sweep new x --box qemu --kernels 6.8.0-a \
    --arg "disk-seq.seed=$(head -c 3000 /dev/zero | tr '\0' 1)"
refused 2 "other than printable" "a parameter with a control character" "$KDYNO" sweep new x --box qemu --kernels 6.8.0-a \
    --arg "disk-seq.seed=$(printf '1\033')"
refused 1 "no plain file" "a sweep.conf that is a device" timeout 10 "$KDYNO" sweep new x --config /dev/zero
printf '[sweep]\nbox = qemu\nkernels = 6.8.0-a\nrounds = 7\nprofile = quick\ntests = boot-time, cpu-parallel\nseed = 3\n[variant iso]\ncmdline = isolcpus=1,2\n[variant plain]\ncmdline =\n' >"$TAP_TMP/sweep.conf"
run "$KDYNO" sweep new s4 --config "$TAP_TMP/sweep.conf" --rounds 8
is "sweep.conf" "$status" 0
like "the option wins" "$(cat "$KDYNO_LAB/sweeps/s4/schedule")" '^sweep .* seed=3 rounds=8 .* suite=quick '
is "only those tests" "$(grep -c '^test ' "$KDYNO_LAB/sweeps/s4/schedule")" 2
like "words with commas" "$(cat "$KDYNO_LAB/sweeps/s4/manifest")" 'subject=6\.8\.0-a/iso words=.*isolcpus%3D1,2 '
# ---- profiles of one's own, parameters, instances
printf '[profile]\nsummary = own\ntests = boot-time small large\nrounds = 7\nvariants = smp, up:nosmp\n[test small]\nlike = disk-seq\nprimary = none\n[test large]\nlike = disk-seq\nprimary = read\nsize_bytes = 2*mem max 96M\n' >"$TAP_TMP/own.profile"
run "$KDYNO" sweep new own --box qemu --kernels 6.8.0-a --profile "$TAP_TMP/own.profile" --arg small.size_bytes=4M --arg '*.reps=2'
is "a profile of one's own" "$status" 0
like "its rounds and variants" "$out" '^boots +15: one discarded, then 7 rounds of 2$'
like "its primaries" "$out" '^primaries +2 of at most 10: boot-time.init large.read$'
like "an instance" "$(cat "$KDYNO_LAB/sweeps/own/schedule")" '^test name=small program=disk-seq like=disk-seq primary=none .* args=size_bytes%3D4194304,.*reps%3D2,'
like "a size is a number" "$(cat "$KDYNO_LAB/sweeps/own/schedule")" '^test name=large .* primary=read .* args=size_bytes%3D100663296,'
is "in their order" "$(sed -n 's/^test name=\([^ ]*\).*/\1/p' "$KDYNO_LAB/sweeps/own/schedule" | tr '\n' ' ')" "boot-time small large "
rm "$TAP_TMP/own.profile"
run "$KDYNO" show own --metrics
is "show knows them when the profile has gone" "$status" 0
printf '[sweep]\nbox = qemu\nkernels = 6.8.0-a\ntests = disk-seq\n[args]\ndisk-seq.reps = 4\ndisk-seq.warm = 2\n' >"$TAP_TMP/args.conf"
check "parameters in a sweep.conf" "$KDYNO" sweep new args --config "$TAP_TMP/args.conf" --arg disk-seq.reps=3
like "the option wins" "$(cat "$KDYNO_LAB/sweeps/args/schedule")" 'reps%3D3,warm%3D2,'
{
    echo '[profile]'
    echo "tests = $(seq -f 't%g' 11 | tr '\n' ' ')"
    for i in $(seq 11); do printf '[test t%s]\nlike = disk-seq\n' "$i"; done
} >"$TAP_TMP/eleven.profile"
refused 2 "11 primaries, and more than 10 .*--tests" "eleven primaries" "$KDYNO" sweep new x --box qemu --kernels 6.8.0-a --profile "$TAP_TMP/eleven.profile"
check "ten of them" "$KDYNO" sweep new ten --box qemu --kernels 6.8.0-a --profile "$TAP_TMP/eleven.profile" --tests t1,t2,t3,t4,t5,t6,t7,t8,t9,t10
run "$KDYNO" suite
like "kdyno suite lists profiles" "$out" '^smoke +[0-9]+ +[0-9]+ '
like "and tests" "$out" '^disk-seq +scratch +write '
run "$KDYNO" suite disk-seq
like "a test's parameters" "$out" '^  size_bytes = [0-9]+$'
like "and metrics" "$out" '^  write \* +B/s +higher '
run "$KDYNO" suite "$TAP_TMP/eleven.profile" --box qemu --arg '*.size_bytes=mem/2'
like "a profile's sizes on a box" "$out" '  t11: size_bytes=[0-9]+, '
like "and its primaries" "$out" '^primaries  11 of at most 10$'
refused 2 "did you mean 'smoke'" "an unknown profile there" "$KDYNO" suite smok
refused 1 "eleven.profile:3: .*did you mean 'tests'" "a wrong word in a profile" sh -c 'sed -i "3i test = x" "$1"; "$2" suite "$1"' sh "$TAP_TMP/eleven.profile" "$KDYNO"

run "$KDYNO" sweep list
like "list" "$out" '^s4 +qemu +2 subjects,  8 rounds,   0 of  17 boots complete, quick$'
run "$KDYNO" sweep new s5 --box qemu --kernels 6.8.0-a --variants a,b --rounds 3
like "too few rounds are said" "$err" '3 rounds: an exact test cannot call any difference'
run "$KDYNO" sweep new solo --box qemu --kernels 6.8.0-a,6.9.0-b --rounds 1
like "one round is no rounds" "$out" '^boots +3: one discarded, then 1 round of 2$'
run "$KDYNO" show solo
like "nor in show" "$out" '^1 round of 2 subjects, '
run "$KDYNO" sweep list
like "nor in the list" "$out" '^solo +qemu +2 subjects,  1 round,    0 of   3 boots complete, smoke$'
refused 1 "did you mean 'solo'" "two letters swapped" "$KDYNO" sweep run sloo
check "a last one" "$KDYNO" sweep new s6 --box qemu --kernels 6.8.0-a,6.9.0-b
check "the kernel is in use" sh -c '! "$1" kernel remove 6.8.0-a 2>/dev/null' sh "$KDYNO"
refused 1 "used by sweep '" "a kernel that a sweep uses" "$KDYNO" kernel remove 6.8.0-a

# ---- what is refused
# shellcheck disable=SC2317 # run by refused
new() { "$KDYNO" sweep new "$@"; }
refused 1 "sweep 's1' is there already" "a name that is taken" new s1 --box qemu --kernels 6.8.0-a
refused 2 "no name of a sweep" "a name that is none" new a/b --box qemu --kernels 6.8.0-a
refused 2 "which box" "no box" new x --kernels 6.8.0-a
refused 2 "which kernels" "no kernels" new x --box qemu
refused 1 "did you mean 'qemu'" "an unknown box" new x --box qemo --kernels 6.8.0-a
refused 1 "no kernel '6.8.0-c'.*did you mean '6.8.0-a'" "an unknown kernel" new x --box qemu --kernels 6.8.0-c
refused 2 "did you mean 'smoke'" "an unknown profile" new x --box qemu --kernels 6.8.0-a --profile smok
refused 2 "did you mean 'boot-time'" "an unknown test" new x --box qemu --kernels 6.8.0-a --tests boot-tme
refused 2 "home is never a subject" "home as a subject" new x --box qemu --kernels home
refused 2 "stands twice" "a kernel twice" new x --box qemu --kernels 6.8.0-a,6.8.0-a
refused 2 "did you mean --rounds" "an unknown option" new x --box qemu --kernels 6.8.0-a --round 6
refused 2 "at least 1" "no rounds" new x --box qemu --kernels 6.8.0-a --rounds 0
refused 2 "more than the 4096 lines" "too many boots" new x --box qemu --kernels 6.8.0-a --rounds 4000
refused 2 "kdyno's own" "words that are kdyno's" new x --box qemu --kernels 6.8.0-a --variants v:kd.box=y
refused 2 "words with commas go into" "a comma within words" new x --box qemu --kernels 6.8.0-a --variants v:isolcpus=1,2
printf '[sweep]\nrunds = 6\n' >"$TAP_TMP/bad.conf"
refused 1 "bad.conf:2: unknown key 'runds'.*did you mean 'rounds'" "a sweep.conf with an unknown key" new x --config "$TAP_TMP/bad.conf"
sed 's/^switch *=.*/switch = firmware/' "$KDYNO_LAB/boards/qemu.ini" >"$TAP_TMP/fw.ini"
check "a box that its firmware would boot" "$KDYNO" box add fw --board "$TAP_TMP/fw.ini"
check "is planned for that" "$KDYNO" sweep new fw --box fw --kernels 6.8.0-a
like "the schedule says so" "$(cat "$KDYNO_LAB/sweeps/fw/schedule")" '^sweep .* switch=firmware '
check "a switch of the sweep's own" "$KDYNO" sweep new sw --box fw --kernels 6.8.0-a --switch via-home
like "wins over the board's" "$(cat "$KDYNO_LAB/sweeps/sw/schedule")" '^sweep .* switch=via-home '
refused 2 'viahome: no such switch; it is chain, via-home or firmware' "a switch that is none" new x --box qemu --kernels 6.8.0-a --switch viahome
sed 's/^modules = /modules = e1000, /' "$KDYNO_LAB/boards/qemu.ini" >"$TAP_TMP/e1000.ini"
check "a box that needs more" "$KDYNO" box add e1000 --board "$TAP_TMP/e1000.ini"
refused 1 "kernel 6.8.0-a lacks what box e1000 needs: e1000" "a kernel without what the board needs" new x --box e1000 --kernels 6.8.0-a
echo x >>"$KDYNO_LAB/kernels/6.9.0-b/vmlinuz"
refused 1 "is not what was added" "a kernel image that was changed" new x --box qemu --kernels 6.9.0-b
refused 1 "kernels/6.9.0-b/vmlinuz is not what sweep s1 was made with" "one that was changed after it was planned" "$KDYNO" sweep run s1
rm "$KDYNO_SHARE/$ARCH"/image.cpio*
refused 1 "no image for $ARCH" "no image built" new x --box qemu --kernels 6.8.0-a
check "no sweep came of it" test ! -e "$KDYNO_LAB/sweeps/x"
nothing_left "$KDYNO_LAB/sweeps"
sed -i 's/^sweep/sweeep/' "$KDYNO_LAB/sweeps/s5/schedule"
run "$KDYNO" sweep list
is "a damaged sweep is said" "$status" 1
like "and does not hide the others" "$out" '^s1 '
like "those behind it neither" "$out" '^s6 '
tap_done
