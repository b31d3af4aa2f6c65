#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# timeout: 400
# A kernel that panics without a crash kernel, on a machine that keeps what is written for such a case (ACPI's ERST): home finds it, sends it with
# the tag of the boot that it is of, and takes it away.
. tests/lib/tap.sh
. tests/qemu/lab.sh
at_exit lab_stop
lab_ready
lab_stop
nvram=$KDYNO_LAB/run/nvram
mkdir -p "$KDYNO_LAB/run"
rm -f "$nvram" "$KDYNO_LAB/boards/pstore.ini"
head -c 65536 /dev/zero >"$nvram"
{
    cat board-configs/qemu-x86_64.ini
    printf '[twin]\nqemu = -object memory-backend-file,id=nvram,mem-path=%s,size=64K,share=on\n\t-device acpi-erst,memdev=nvram\n' "$nvram"
} >"$TAP_TMP/pstore.ini"
check "a twin with ERST" "$KDYNO" box add pstore --board "$TAP_TMP/pstore.ini" || bail "no box"
rm -rf "$KDYNO_LAB/sweeps/t-pstore" "$KDYNO_LAB/results/t-pstore"
check "sweep new" "$KDYNO" sweep new t-pstore --box pstore --profile rehearse --kernels "$OLD" --variants bad:kdfault=panic --rounds 1 --tries 1 \
    --seed 1 --tests boot-time,fault || bail "no sweep"
sweep=$KDYNO_LAB/sweeps/t-pstore
run "$KDYNO" sweep run t-pstore
is "sweep run: the boot is given up" "$status" 1 || diag "$out" "$err"
bad=$(sed -n 's/^try line=1 tag=\([0-9a-f]*\) .*/\1/p' "$sweep/schedule")
dumps() { perl -MJSON::PP -ne '$r = decode_json($_); print "$r->{kv}{of} $r->{kv}{data}" if ($r->{kind} // "") eq "text" && $r->{kv}{name} =~ /^pstore-dmesg-erst/' "$sweep/records.jsonl"; }
like "home has sent the dump, and of whom it is" "$(dumps)" "$bad .*sysrq triggered crash"
like "show has it" "$("$KDYNO" show t-pstore)" '1 +failed:panic +pstore +[0-9a-f]{8} +[0-9]+ .*sysrq'
is "and the store is empty again" "$(strings -n 8 "$nvram" | grep -c 'sysrq triggered crash')" 0
tap_done
