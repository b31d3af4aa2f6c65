#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# timeout: 120
#
# What of the NFS programs can run on a machine without an NFS client: nfs-patterns on a folder and on tmpfs, its parameters and its skips. On a real
# client they run in tests/qemu/nfs-suite.t.
. tests/lib/tap.sh

. tests/station/suite.sh
small="seekback_bytes=8192 sparse_writes=8 appends=5 names=5 link_bytes=4096 reps=2"

go nfs-patterns
skips nfs-patterns "without KD_NFSTEST"
KD_NFSTEST=10.0.2.2 go nfs-patterns
fails nfs-patterns "with an address without port" wanted
go nfs-patterns on=scratch
skips nfs-patterns "on scratch without KD_SCRATCH"
go nfs-patterns seekback_bytes=10000
is "a size that is no multiple of a page: status" "$status" 2
go nfs-patterns link_bytes=12288
is "a size that is no power of two: status" "$status" 2
go nfs-patterns vers=4.3
is "a version that is none: status" "$status" 2

export KD_SCRATCH="$scratch"
# shellcheck disable=SC2086 # a list
go nfs-patterns on=scratch cold=fadvise $small
passes nfs-patterns "on scratch"
for name in seekback:16 sparse:8 append:5 lookup:10 link:32; do
    like "${name%:*}: as many operations as it has" "$(cat "$facts")" "^metric name=${name%:*} v=${name#*:} ns="
    like "${name%:*}: has its books" "$(cat "$facts")" "^fact timed=${name%:*} n=2 ns="
done
like "the place is named" "$(cat "$facts")" '^fact place=scratch on=scratch fs=[a-z0-9]+ cold=(none|fadvise)$'
unlike "no NFS facts where there is no NFS" "$(cat "$facts")" '^fact nfs='
empty nfs-patterns
# shellcheck disable=SC2086
go nfs-patterns on=scratch readahead_kb=0 $small
skips nfs-patterns "the readahead of a local disk"
go nfs-patterns on=scratch seekback_bytes=1073741824 link_bytes=268435456 appends=1048576 append_bytes=4096 cold=none fs=keep reps=1 --help
is "all parameters are known: status" "$status" 0
unset KD_SCRATCH
export KD_TMP="$scratch"
# shellcheck disable=SC2086
go nfs-patterns on=tmpfs $small
passes nfs-patterns "on tmpfs"
like "never made cold" "$(cat "$facts")" '^fact place=tmpfs on=tmpfs fs=[a-z0-9]+ cold=none$'
empty nfs-patterns
if [ "$(id -u)" = 0 ] && ! grep -qw nfs /proc/filesystems && ! modprobe nfs 2>/dev/null; then
    KD_NFSTEST=127.0.0.1:1,1:/kd/test go nfs-patterns
    skips nfs-patterns "on a kernel without NFS"
    like "it is the kernel that lacks it" "$(cat "$facts")" 'NFS%20v3:%20this%20kernel%20refuses%20it'
    empty nfs-patterns
fi
check "in 4 MB" sh -c "ulimit -v 4096; KD_TMP='$scratch' '$suite' nfs-patterns on=tmpfs $small 3>/dev/null"
tap_done
