#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# timeout: 900
# Every program of the suite on a real kernel, small, in one boot, twice (the first boot of a sweep is discarded, and makes the tree that the second one finds).
# The file systems that the runner makes, NFS v3, v4.0 and v4.1, UDP (which this kernel refuses), no readahead, 8 KiB transfers, four connections,
# datagrams in fragments, initcalls, and a tree that is cold by reboot: what each test says of it is looked at; no time and no rate is.
. tests/lib/tap.sh
. tests/qemu/lab.sh
at_exit lab_stop
lab_ready
profile=tests/qemu/suite.profile

# An order in which the tree would be lost is refused before anything is made.
sed '/^tests/s/tree-left tree-ext2/tree-ext2 tree-left/' $profile >"$TAP_TMP/wrong.profile"
run "$KDYNO" sweep new t-suite-wrong --box qemu --kernels "$NEW" --rounds 1 --profile "$TAP_TMP/wrong.profile"
is "a file system over the tree: refused" "$status" 2
one_line "in one line" "$err"
like "that names both" "$err" 'tree-left would find the disk made anew by tree-ext2'

lab_stop
# A disk on which no earlier run has left a tree.
rm -f "$KDYNO_LAB/boxes/qemu/scratch.img" "$KDYNO_LAB/boards/qemu.ini"
check "the twin gets a fresh disk" "$KDYNO" box add qemu --board qemu-x86_64 || bail "no box"
rm -rf "$KDYNO_LAB/sweeps/t-suite" "$KDYNO_LAB/results/t-suite"
check "sweep new" "$KDYNO" sweep new t-suite --box qemu --profile $profile --kernels "$NEW" --rounds 1 --seed 5 \
    --variants 'all:loglevel=7+initcall_debug+printk.time=1+log_buf_len=1M' || bail "no sweep"
run "$KDYNO" sweep run t-suite
is "sweep run ends well" "$status" 0 || diag "$out" "$err"
check "every boot complete once, every record on both channels" tests/lib/prove-sweep "$KDYNO_LAB" t-suite --channels both
check "nothing runs on" lab_idle
is "nothing is left in the export" "$(ls "$KDYNO_LAB/nfs-test")" ""

# Records of a boot, a line each: `TEST KIND key=value ...`, keys sorted.
perl -MJSON::PP -ne '$r = decode_json($_); next unless $k = $r->{kv}; $t = delete $k->{test} // "-";
    print join(" ", $r->{line}, $t, $r->{kind}, map { "$_=$k->{$_}" } sort keys %$k), "\n"' "$KDYNO_LAB/sweeps/t-suite/records.jsonl" >"$TAP_TMP/records"
# kv LINE TEST KIND
kv() { sed -n "s/^$1 $2 $3 //p" "$TAP_TMP/records"; }
ended() { kv "$1" "$2" end | grep -o 'status=[a-z]*'; }
says() { like "$1: $2" "$(kv 2 "$1" fact)" "$3"; }

# Every test in both boots, and so every program; what may skip says why.
# shellcheck disable=SC2013 # words
for test in $(sed -n 's/^test name=\([^ ]*\) .*/\1/p' "$KDYNO_LAB/sweeps/t-suite/schedule"); do
    for line in 1 2; do
        case $line-$test in 1-tree-left | [12]-patterns-udp) wanted=skip ;; *) wanted=pass ;; esac
        is "boot $line: $test" "$(ended $line "$test")" status=$wanted || diag "$(kv $line "$test" end)" "$(kv $line "$test" note)"
    done
done

# ---- the scratch disk
says tree-left '^block_bytes=.* made=before '
says tree-left '^compat=0000002c incompat=00000242 .*super=ext4$'
like "tree-left: of the boot before" "$(kv 2 tree-left fact)" "^made_tag=$(sed -n 's/^try line=1 tag=\([0-9a-f]*\) .*/\1/p' "$KDYNO_LAB/sweeps/t-suite/schedule")( |\$)"
is "tree-left: by its name" "$(kv 2 tree-left fact | grep -cF "made_by=$NEW/all")" 1
says tree-left '^cold=reboot of=read$'
says tree-left '^cold=remount fs=ext4 on=scratch place=scratch$'
is "tree-left: all that tree-make made" "$(kv 2 tree-left fact | grep -o 'dirs=[0-9]* files=[0-9]*')" "$(kv 1 tree-make fact | grep -o 'dirs=[0-9]* files=[0-9]*')"
is "tree-left: read and rm, no walk" "$(kv 2 tree-left metric | grep -o 'name=[a-z_]*' | sort | paste -sd ' ')" 'name=read name=rm name=rm_sync'
like "tree-left: the first boot has none" "$(kv 1 tree-left end)" 'reason=no whole tree of an earlier boot'
says tree-ext2 ' made=ext2 '
says tree-ext4 ' super=ext4$'
like "tree-ext4: how it was made is kept" "$(kv 2 tree-ext4 fact)" 'data=mkfs.ext4 .*part=1/[0-9]+ text=mkfs'
says seq-ext4 '^cold=drop_caches fs=ext4 on=scratch place=scratch$'
says rand-direct ' n=4 workers=read$'
says tmpfs-seq ' on=tmpfs '

# ---- NFS; nfs TEST PHASE OP COLUMN: ops is 6, outstanding 11, wire/read 13
"$KDYNO" show t-suite --nfs >"$TAP_TMP/nfs"
nfs() { awk -v t="$1" -v p="$2" -v o="$3" -v c="$4" '$1 == t && $2 == p && $3 == o { print $c }' "$TAP_TMP/nfs"; }
# shellcheck disable=SC2317 # by check
below() { awk "BEGIN { exit !($1 < $2) }"; }
says patterns-v3 '^mount=v3 nconnect=1 proto=tcp readahead_kb=[0-9]+ rsize=[0-9]+ timeo=600 vers=3 wsize=[0-9]+$'
says patterns-v3 '^cold=remount fs=nfs on=nfs place=v3 server=warm$'
is "patterns-v3: a name costs a LOOKUP, there or not" "$(nfs patterns-v3 lookup LOOKUP 6 | awk '{ print ($1 >= 20) }')" 1
is "patterns-v3: an append is a WRITE" "$(nfs patterns-v3 append WRITE 6)" 8
check "patterns-v3: seeking back sends no WRITE a piece ($(nfs patterns-v3 seekback WRITE 6) for 64)" below "$(nfs patterns-v3 seekback WRITE 6)" 64
says patterns-v4 '^mount=v4 .*proto=tcp .*vers=4\.1 '
says patterns-v40 '^mount=v4 .*proto=tcp .*vers=4\.0 '
is "patterns-v40: a CLOSE each" "$(nfs patterns-v40 append CLOSE 6)" 8
is "patterns-v4: a CLOSE each" "$(nfs patterns-v4 append CLOSE 6)" 8
like "patterns-udp: the reason" "$(kv 2 patterns-udp end)" 'reason=NFS over UDP: this kernel refuses it'
like "bulk-ahead: all came by the wire" "$(nfs bulk-ahead read_v3 all 13)" '^1\.0[0-9]$'
says bulk-none '^mount=v3 .* readahead_kb=0 '
ahead=$(nfs bulk-ahead read_v3 READ 11) none=$(nfs bulk-none read_v3 READ 11)
check "bulk-none: fewer under way ($none, with readahead $ahead)" below "$none" "$ahead"
check "bulk-none: more READs" below "$(nfs bulk-ahead read_v3 READ 6)" "$(nfs bulk-none read_v3 READ 6)"
says bulk-8k '^mount=v3 .*proto=tcp .* rsize=8192 .*vers=3 wsize=8192$'
is "bulk-8k: a READ each" "$(nfs bulk-8k read_v3 READ 6)" 128
says bulk-four '^mount=v3 .*nconnect=4 .*vers=3 '
says bulk-four '^mount=v4 .*nconnect=4 .*vers=4\.'
unlike "bulk-8k: no difference" "$(kv 2 bulk-8k fact)" 'differs='
for test in nfs-bonnie nfs-threads nfs-tree wake-nfs; do says $test '^mount=v3 .*vers=3 '; done

# ---- the network and the boot
says net-udp ' ip=recv .*reasm_oks=[1-9]'
says net-udp ' frag_oks=[1-9][0-9]* .*ip=send '
says net-udp '^irqs=[1-9][0-9]* softnet=recv '
says boot-initcalls '^log=whole$|log=whole'
run "$KDYNO" show t-suite --boot
like "show --boot: initcalls" "$out" "/all +[a-z_0-9]+ +1 +[0-9.]+ [mu]s$"
json() { "$KDYNO" show t-suite --metrics --boot --json | tests/lib/json-get "$@"; }
for mark in init ready link address nfs jump_hello jump_banner jump_run_init; do
    like "boot: ${mark} is known" "$(json boot subjects "subject=$NEW/all" "${mark}_ms")" '^[0-9]'
done
is "show --boot: ten of them" "$(json boot subjects "subject=$NEW/all" initcalls '#')" 10
tap_done
