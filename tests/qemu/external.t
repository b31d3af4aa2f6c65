#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# timeout: 600
# A test from elsewhere on a real kernel: a script in an overlay, run by the image's shell, and its metric on the station afterwards; with an instance of
# a program of the suite, from a profile that has gone by then, and fio, whose numbers the station reads out of its report.
. tests/lib/tap.sh
. tests/qemu/lab.sh
command -v cpio >/dev/null || skip_all "no cpio"
at_exit lab_stop
lab_ready
make -s external-fio BUILD="$BUILD" ARCH="$ARCH" >/dev/null 2>"$TAP_TMP/make" || skip_all "fio cannot be built here: $(tail -n 1 "$TAP_TMP/make")"
cp "$BUILD/$ARCH/external/fio.cpio" "$TAP_TMP/fio.cpio"

top=$TAP_TMP/top
mkdir -p "$top/kd/suite/lib"
cat >"$top/kd/suite/answer" <<'END'
#!/bin/sh
. /kd/suite/lib/say
/kd/suite/suite fact fact mind=deep
say "${1#of=}"
END
echo 'say() { echo "phase name=thinking quiet_ms=5000" >&3; /kd/suite/suite fact metric name=count v="$1"; }' >"$top/kd/suite/lib/say"
chmod 755 "$top/kd/suite/answer"
printf '[test]\nname = answer\nsummary = says what it is told\ndeadline_s = 20\nquiet_s = 10\n[args]\nof = 3\n[metric count]\nunit = count\nbetter = higher\nprimary = yes\n' \
    >"$top/kd/suite/answer.test"
(cd "$top" && find kd | LC_ALL=C sort | cpio -o -H newc --quiet) >"$TAP_TMP/answer.cpio"
printf '[profile]\ntests = boot-time one answer fio\n[test fio]\nsize_bytes = 4M\nseconds = 1\n[test one]\nlike = cpu-parallel\nprimary = two\ntime_ms = 50\nreps = 3\n' >"$TAP_TMP/own.profile"
rm -rf "$KDYNO_LAB/sweeps/t-external" "$KDYNO_LAB/results/t-external"
check "sweep new" "$KDYNO" sweep new t-external --box qemu --kernels "$OLD" --rounds 1 --seed 3 --profile "$TAP_TMP/own.profile" \
    --overlay "$TAP_TMP/answer.cpio" --overlay "$TAP_TMP/fio.cpio" --arg answer.of=42 || bail "no sweep"
rm "$TAP_TMP/own.profile" "$TAP_TMP/answer.cpio" "$TAP_TMP/fio.cpio"
run "$KDYNO" sweep run t-external
is "sweep run" "$status" 0 || printf '%s\n' "$out" "$err" | sed 's/^/#   /'
run "$KDYNO" show t-external --metrics
like "the script's metric, primary" "$out" 'answer +count \* .*42'
like "the instance's, by its own name" "$out" 'one +two \* '
like "fio's bandwidth, by the path in its report" "$out" 'fio +read \* .*[0-9].*B/s'
like "and its operations" "$out" 'fio +randread .*[0-9]'
unlike "every value was taken" "$out" 'not taken'
is "all boots are there" "$(lab_states t-external complete)" 2
tap_done
