; SPDX-License-Identifier: GPL-2.0-or-later
; Of tests/qemu/suite.t: every program of the suite once, small, in one boot. The first and the last with a tree: docs/suite.md, "A tree, cold by reboot".
[profile]
summary = every program of the suite, small
tests = boot-time boot-initcalls tree-left tree-ext2 tree-ext4 seq-ext2 seq-ext4 rand-direct fsync-ext2 fsync-ext4 bonnie threads tmpfs-seq
  cpu-parallel sched-wake wake-disk wake-nfs sched-pingpong sched-messaging sched-fork sched-fair sched-thief sched-storm
  net-tcp net-udp net-rpc mem-fault mem-copy mem-tlb patterns-v3 patterns-v40 patterns-v4 patterns-udp bulk-ahead bulk-none bulk-8k bulk-four
  nfs-bonnie nfs-threads nfs-tree tree-make

[test boot-time]
primary = init

[test tree-left]
like = disk-tree
primary = rm
part = left
fs = keep-ext4
first = read
scale = 64

[test tree-ext2]
like = disk-tree
primary = none
fs = ext2
scale = 64

[test tree-ext4]
like = disk-tree
primary = none
fs = ext4
scale = 64

[test seq-ext2]
like = disk-seq
primary = none
fs = ext2
size_bytes = 4M
reps = 1

[test seq-ext4]
like = disk-seq
primary = none
fs = ext4
size_bytes = 4M
reps = 1

[test rand-direct]
like = disk-rand
primary = none
fs = ext4
direct = yes
depth = 4
size_bytes = 4M
time_ms = 200
reps = 1

[test fsync-ext2]
like = disk-fsync
primary = none
fs = ext2
mode = overwrite
time_ms = 200
ops = 40

[test fsync-ext4]
like = disk-fsync
primary = none
fs = ext4
time_ms = 200
ops = 40

[test bonnie]
like = disk-bonnie
primary = none
size_bytes = 4M
seeks = 30

[test threads]
like = disk-threads
primary = none
size_bytes = 4M
workers = 1+2
random_ms = 200
random_ops = 400

[test tmpfs-seq]
like = disk-seq
primary = none
on = tmpfs
size_bytes = 4M
reps = 1

[test cpu-parallel]
primary = none
time_ms = 100
reps = 2

[test sched-wake]
primary = none
count = 200

[test wake-disk]
like = sched-wake
primary = none
load = disk
needs = scratch
count = 200

[test wake-nfs]
like = sched-wake
primary = none
load = nfs
on = nfs
needs = nfs
count = 200

[test sched-pingpong]
primary = none
reps = 2

[test sched-messaging]
primary = none
reps = 1

[test sched-fork]
primary = none
reps = 2

[test sched-fair]
primary = none
reps = 1

[test sched-thief]
primary = none
time_ms = 100
reps = 2

[test sched-storm]
primary = none
period_us = 20000
count = 40

[test net-tcp]
primary = none
bytes = 2M
time_ms = 500
reps = 1

[test net-udp]
primary = none
bytes = 1M
reps = 1

[test net-rpc]
primary = none
calls = 500
reps = 1

[test mem-fault]
primary = none
reps = 2

[test mem-copy]
passes = 1
primary = none
reps = 2

[test mem-tlb]
primary = none
steps = 200000
reps = 2

[test patterns-v3]
like = nfs-patterns
primary = none
seekback_bytes = 32768
sparse_writes = 32
appends = 8
names = 10
link_bytes = 8192
reps = 1

[test patterns-v4]
like = nfs-patterns
primary = none
vers = 4.1
seekback_bytes = 32768
sparse_writes = 32
appends = 8
names = 10
link_bytes = 8192
reps = 1

[test patterns-udp]
like = nfs-patterns
primary = none
proto = udp
reps = 1

[test bulk-ahead]
like = nfs-bulk
primary = none
size_bytes = 1M
reps = 1

[test bulk-none]
like = nfs-bulk
primary = none
size_bytes = 1M
reps = 1
readahead_kb = 0

[test bulk-8k]
like = nfs-bulk
primary = none
size_bytes = 1M
reps = 1
rsize = 8192
wsize = 8192

[test patterns-v40]
like = nfs-patterns
primary = none
vers = 4.0
seekback_bytes = 32768
sparse_writes = 32
appends = 8
names = 10
link_bytes = 8192
reps = 1

[test bulk-four]
like = nfs-bulk
primary = none
size_bytes = 1M
reps = 1
nconnect = 4

[test nfs-bonnie]
like = disk-bonnie
primary = none
needs = nfs
on = nfs
size_bytes = 2M
seeks = 20
char_bytes = 16384
order = bonnie++

[test nfs-threads]
like = disk-threads
primary = none
needs = nfs
on = nfs
size_bytes = 1M
workers = 1+2
random_ms = 100
random_ops = 40

[test nfs-tree]
like = disk-tree
primary = none
needs = nfs
on = nfs
scale = 256

[test tree-make]
like = disk-tree
primary = none
part = make
fs = ext4
scale = 64
