#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# timeout: 180
#
# disk-rand, disk-fsync and disk-tree on this machine, small, on a folder of a file system and on tmpfs: facts keep the contract, what is read is
# checked, what is lacking is a skip, a tree that one run leaves is measured by the next, nothing is left behind.
. tests/lib/tap.sh

suite=$(cd "$BUILD/$ARCH" 2>/dev/null && pwd)/suite
[ -x "$suite" ] || skip_all "no $BUILD/$ARCH/suite"
"$suite" >/dev/null 2>&1 || skip_all "$suite does not run on this machine"
facts=$TAP_TMP/facts
unset KD_SCRATCH KD_NFSTEST KD_PEER KD_TMP KD_BOX KD_BOOT KD_TAG KD_SUBJECT
disk=$TAP_TMP/disk memory=""
mkdir "$disk"
# A tmpfs, as KD_TMP is on a box; without one the folder has to do, and the skips that tmpfs alone gives are not seen.
for d in /dev/shm /run /tmp; do
    [ "$(stat -f -c %T "$d" 2>/dev/null)" = tmpfs ] && memory=$(mktemp -d "$d/kdyno-test.XXXXXX") && break
done
[ -z "$memory" ] || at_exit "rm -rf '$memory'"

go() {
    timeout 60 env KD_SCRATCH="$disk" KD_TMP="${memory:-$disk}" "$suite" "$@" 3>"$facts" >"$TAP_TMP/stdout" 2>"$TAP_TMP/stderr" </dev/null
    status=$?
}
ends() { # TEST WANTED STATUS DESCRIPTION
    is "$4: status" "$status" "$3" || sed 's/^/#   /' "$facts" "$TAP_TMP/stderr"
    check "$4: facts" tests/station/suite-facts "tests/suite/$1.test" "$facts" "$2"
}
passes() { ends "$1" pass 0 "$2"; }
skips() {
    ends "$1" skip 4 "$2"
    like "$2: reason" "$(cat "$facts")" "$3"
}
fails() {
    ends "$1" fail 1 "$2"
    like "$2: reason" "$(cat "$facts")" "$3"
}
has() { like "$1" "$(cat "$facts")" "$2"; }
empty() { is "$1: nothing left" "$(ls -A "$disk")$([ -z "$memory" ] || ls -A "$memory")" ""; }
metric() { sed -n "s/^metric name=$1 v=\([0-9]*\).*/\1/p" "$facts"; }

# ---- disk-rand

"$suite" disk-rand 3>"$facts" </dev/null
status=$?
skips disk-rand "disk-rand without a scratch disk" KD_SCRATCH
for on in scratch tmpfs; do
    go disk-rand on=$on size_bytes=1048576 time_ms=50 reps=3 cold=none
    passes disk-rand "disk-rand on $on"
    has "disk-rand on $on: where it was" "^fact place=$on "
    has "disk-rand on $on: at least what was asked for" '^fact times=read i=3 ops=([0-9]{4,}|[4-9][0-9]{2}) '
    has "disk-rand on $on: the fsync apart" '^fact times=write i=1 .*fsync_ns=[1-9]'
    has "disk-rand on $on: a histogram of reads" '^hist name=read n=[1-9][0-9]* .*parts=[1-9]'
    has "disk-rand on $on: and of writes" '^hist name=write part=1/[0-9]+ b=[0-9]+:[0-9]+'
    is "disk-rand on $on: the histogram has every timed operation" "$(sed -n 's/^hist name=read n=\([0-9]*\) .*/\1/p' "$facts")" \
        "$(sed -n 's/^fact times=read i=[1-9]* ops=\([0-9]*\) .*/\1/p' "$facts" | awk '{ n += $1 } END { print n }')"
    empty "disk-rand on $on"
done
go disk-rand size_bytes=1048576 time_ms=50 reps=1 depth=4 cold=none
passes disk-rand "disk-rand by four"
has "disk-rand by four: each had its share" '^fact workers=read n=4 least=[1-9][0-9]* most='
is "disk-rand leaves no process" "$(pgrep -f "^$suite disk-rand" | wc -l | tr -d ' ')" 0
go disk-rand size_bytes=1048576 time_ms=1 ops=1000000000 max_ms=300 reps=1 cold=none
passes disk-rand "disk-rand that cannot do its operations in time"
has "disk-rand that cannot: says so" '^fact truncated=1$'
go disk-rand size_bytes=1048576 time_ms=50 reps=1 every=8 ops=8000 cold=none
passes disk-rand "disk-rand that times one in eight"
check "disk-rand that times one in eight: fewer in the histogram" awk '/^hist name=read n=/ { split($3, n, "=") }
    /^metric name=read / { split($3, v, "=") } END { exit !(n[2] * 7 < v[2] && n[2] * 9 > v[2]) }' "$facts"
go disk-rand size_bytes=1048576 time_ms=50 reps=1 direct=yes cold=none
case $status in
0)
    passes disk-rand "disk-rand with O_DIRECT"
    go disk-rand size_bytes=1048576 time_ms=50 reps=1 direct=yes depth=2 block_bytes=65536 ops=10 cold=none
    passes disk-rand "disk-rand with O_DIRECT by two, 64 KiB"
    ;;
*) skips disk-rand "disk-rand with O_DIRECT where it is refused" 'O_DIRECT' ;;
esac
empty "disk-rand with O_DIRECT"
go disk-rand size_bytes=1048576 time_ms=20 ops=1 reps=1 block_bytes=512 cold=none
passes disk-rand "disk-rand with 512 bytes"
go disk-rand size_bytes=1099511627776 block_bytes=1048576
skips disk-rand "disk-rand too large for the disk" "too%20few%20for"
go disk-rand size_bytes=1000000
is "disk-rand: a size that is no multiple" "$status" 2
empty "disk-rand: a size that is no multiple"

# ---- disk-fsync

for mode in append overwrite; do
    go disk-fsync mode=$mode size_bytes=262144 ops=400 time_ms=1 cold=none
    passes disk-fsync "disk-fsync, $mode"
    has "disk-fsync, $mode: a histogram" '^hist name=fsync n=4[0-9]{2,} '
    has "disk-fsync, $mode: p99" '^metric name=p99 v='
    check "disk-fsync, $mode: p50 is not above p99" test "$(metric p50)" -le "$(metric p99)"
    go disk-fsync mode=$mode on=tmpfs size_bytes=65536 ops=20000 time_ms=1 cold=none
    passes disk-fsync "disk-fsync on tmpfs, $mode, the file many times over"
    empty "disk-fsync, $mode"
done
go disk-fsync on=tmpfs ops=20 time_ms=0 warm=0
passes disk-fsync "disk-fsync with too few samples"
has "disk-fsync with too few samples: no p99, and it says so" '^fact lacks=p99$'
has "disk-fsync with too few samples: but a p50" '^metric name=p50 '

# ---- disk-tree

for on in scratch tmpfs; do
    go disk-tree on=$on files=300 dirs=30 reps=2 cold=none
    passes disk-tree "disk-tree on $on"
    has "disk-tree on $on: all of it" '^fact files=300 dirs=30 bytes=[0-9]+ unlink=unlinkat sync='
    has "disk-tree on $on: to return and to the disk" '^fact times=rm i=2 return_ns=[1-9][0-9]* sync_ns='
    check "disk-tree on $on: with the sync it is longer" test "$(metric create_sync)" -ge "$(metric create)"
    has "disk-tree on $on: progress of each" '^fact progress=walk .*bytes=307200 '
    empty "disk-tree on $on"
done
bytes() { sed -n 's/^fact files=.* bytes=\([0-9]*\) .*/\1/p' "$facts"; }
first=$(bytes)
go disk-tree on=tmpfs files=600 dirs=60 scale=2
is "disk-tree: the same tree by scale" "$(bytes)" "$first"
go disk-tree on=tmpfs files=300 dirs=30 seed=2
check "disk-tree: another by seed" test "$(bytes)" != "$first"
go disk-tree files=1000000 median_bytes=131072
skips disk-tree "disk-tree too large for the disk" "too%20few%20for"
empty "disk-tree too large for the disk"

# What one boot leaves and the next measures. The folder stays as it is between two runs, as the disk does with fs=keep.
left() { go disk-tree part=left fs=keep files=300 dirs=30 cold=none "$@"; }
make_tree() {
    rm -rf "$disk/kd-tree" "$disk/kd-tree.mark"
    KD_TAG=0badcafe KD_SUBJECT=6.1/smp
    export KD_TAG KD_SUBJECT
    go disk-tree part=make files=300 dirs=30
    unset KD_TAG KD_SUBJECT
}
left
skips disk-tree "disk-tree: nothing is left" "no%20whole%20tree"
make_tree
is "disk-tree part=make: status" "$status" 0
has "disk-tree part=make: create" '^metric name=create v='
check "disk-tree part=make: a tree and its mark" test -d "$disk/kd-tree" -a -f "$disk/kd-tree.mark"
go disk-tree part=left fs=keep files=301 dirs=30 cold=none
skips disk-tree "disk-tree: another tree is left" "another%20one:%20300%20files"
left
is "disk-tree part=left: status" "$status" 0
has "disk-tree part=left: rm" '^metric name=rm v='
has "disk-tree part=left: who made it" '^fact made_by=6.1/smp$'
has "disk-tree part=left: in which try" '^fact made_tag=0badcafe$'
has "disk-tree part=left: what was cold by reboot" '^fact cold=reboot of=walk$'
empty "disk-tree part=left"
left
skips disk-tree "disk-tree: it is measured once" "no%20whole%20tree"
make_tree
left first=rm
has "disk-tree first=rm: rm is what was cold" '^fact cold=reboot of=rm$'
is "disk-tree first=rm: no walk" "$(metric walk)" ""
empty "disk-tree first=rm"

# Damage: a byte, a file that is lost, one that is none of the tree; each with its name.
damage() { # WHAT PATTERN
    left
    fails disk-tree "disk-tree: $1" "$2"
    rm -rf "$disk/kd-tree" "$disk/kd-tree.mark"
}
make_tree
file=$(find "$disk/kd-tree" -name '*.c' -size +1 | sort | head -n 1)
printf 'x' | dd of="$file" bs=1 seek=700 conv=notrunc 2>/dev/null
damage "a byte is wrong" "wrong%20data%20at%20offset%20700%20of%20.*$(basename "$file")"
make_tree
rm "$file"
damage "a file is lost" "299%20files"
make_tree
: >"$disk/kd-tree/stranger.c"
damage "a file is there that was not made" "not%20of%20this%20tree.*stranger.c"
make_tree
printf 'x' >>"$file"
damage "a file is longer" "another%20size.*$(basename "$file")"
make_tree
printf 'x' | dd of="$disk/kd-tree.mark" bs=1 seek=20 conv=notrunc 2>/dev/null
left
skips disk-tree "disk-tree: a damaged mark" "cannot%20be%20read"
rm -rf "$disk/kd-tree" "$disk/kd-tree.mark"
for words in "part=make fs=keep" "part=left" "part=make on=tmpfs" "part=make reps=2"; do
    # shellcheck disable=SC2086 # a list
    go disk-tree $words
    is "disk-tree $words makes no sense" "$status" 2
    one_line "disk-tree $words: in one line" "$(cat "$TAP_TMP/stderr")"
done
empty "disk-tree at the end"
tap_done
