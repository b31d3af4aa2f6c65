#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# timeout: 400
# A kernel that panics beside a crash kernel: its dmesg arrives, the try fails as panic, and the next boot is reached by kexec, with all of the
# machine's memory and CPUs, without a trip through the firmware.
. tests/lib/tap.sh
. tests/qemu/lab.sh
at_exit lab_stop
lab_ready
sed 's/^memory = .*/memory = 768M/; s/^crash_kernel = .*/crash_kernel = 192M/' board-configs/qemu-x86_64.ini >"$TAP_TMP/crash.ini"
rm -rf "$KDYNO_LAB/boards/crash.ini"
check "a twin with a crash kernel" "$KDYNO" box add crash --board "$TAP_TMP/crash.ini" || bail "no box"

lab_stop
rm -rf "$KDYNO_LAB/sweeps/t-crash" "$KDYNO_LAB/results/t-crash"
# seed 5: good (discarded), bad, good
check "sweep new" "$KDYNO" sweep new t-crash --box crash --profile rehearse --kernels "$NEW" --variants good,bad:kdfault=panic --rounds 1 --tries 1 \
    --seed 5 --tests boot-time,fault || bail "no sweep"
sweep=$KDYNO_LAB/sweeps/t-crash
run "$KDYNO" sweep run t-crash
is "sweep run: one boot is given up" "$status" 1 || diag "$out" "$err"

tag_of() { sed -n "s/^try line=$1 tag=\([0-9a-f]*\) .*/\1/p" "$sweep/schedule"; }
# said TAG KIND KEY: the values of it, a line each
said() { perl -MJSON::PP -e '($tag, $kind, $key, $file) = @ARGV; open $h, "<", $file; while (<$h>) { $r = decode_json($_);
    print "$r->{kv}{$key}\n" if $r->{tag} eq $tag && ($r->{kind} // "") eq $kind && defined $r->{kv}{$key} }' "$1" "$2" "$3" "$sweep/records.jsonl"; }
first=$(tag_of 1) bad=$(tag_of 2) last=$(tag_of 3)
crash=$(perl -MJSON::PP -ne '$r = decode_json($_); print "$r->{tag}\n" if $r->{kind} eq "hello" && $r->{kv}{role} eq "crash"' "$sweep/records.jsonl")
like "the subject is the one that panics" "$(grep '^try line=2 ' "$sweep/schedule")" 'subject=[^ ]*/bad '
like "failed:panic, and where" "$(grep -a '^try line=2 .* state=failed' "$sweep/journal" | tail -n 1)" ' name=panic why=sysrq.*sysrq_handle_crash'
is "the crash kernel says of whom it tells" "$(said "$crash" hello of)" "$bad"
like "the dead kernel's last words are kept" "$(said "$crash" text data | tr -d '\n')" 'sysrq_handle_crash'
like "and say whose they are" "$(said "$crash" text data | tr -d '\n')" "kdyno: try $bad"

is "the next boot is complete" "$(grep -c '^try line=3 .* state=complete' "$sweep/journal")" 1
is "reached from the crash kernel" "$(said "$last" hello start)" crash
is "without home in between" "$(grep -c '"role":"home"' "$sweep/records.jsonl")" 1
is "nothing is void, nothing is added" "$(grep -c -e state=void "$sweep/journal")-$(grep -c '^try ' "$sweep/schedule")" 0-3
is "with all CPUs" "$(said "$last" env cpus)" "$(said "$first" env cpus)"
was=$(said "$first" env mem_kb) now=$(said "$last" env mem_kb)
diag "MemTotal $was kB before the panic, $now kB after it; panicked: $(said "$crash" note msg | grep CPU)"
check "and with all of the memory, to a hundredth" test "$now" -gt "$((was - was / 100))" -a "$now" -lt "$((was + was / 100))"
for tag in "$first" "$last"; do
    is "memory was kept for it" "$(said "$tag" env crashkernel)" 201326592
    is "and it was loaded" "$(said "$tag" env crash_armed)" yes
    like "which took its time" "$(said "$tag" env crash_armed_ns)" '^[0-9]{8,}$'
done
check "nothing runs on" lab_idle
tap_done
