; SPDX-License-Identifier: GPL-2.0-or-later
[profile]
summary = every family (boot, disk, network, NFS, scheduler, memory) in sizes for a machine of its own, repeated
tests = boot-time boot-initcalls cpu-parallel disk-seq disk-rand disk-fsync disk-tree disk-bonnie disk-threads net-tcp net-udp net-rpc nfs-bulk nfs-patterns
  sched-messaging sched-wake sched-pingpong sched-fork sched-fair sched-thief sched-storm mem-fault mem-copy mem-tlb tmpfs-seq tmpfs-rand tmpfs-tree
boot_s = 600

[test cpu-parallel]
time_ms = 4000
reps = 5

[test disk-seq]
size_bytes = 256M
reps = 5

[test net-tcp]
bytes = 1G
time_ms = 10000

[test nfs-bulk]
size_bytes = 128M
warm = 1
reps = 5

[test sched-messaging]
groups = 2
senders = 20
receivers = 20
messages = 500
reps = 7

[test mem-fault]
primary = none

[test mem-copy]
primary = none
bytes = 64M
mem_kb = 139264
passes = 4

[test mem-tlb]
primary = none

[test disk-rand]
size_bytes = 256M
time_ms = 5000
ops = 4000

[test disk-fsync]
ops = 2000
time_ms = 10000

[test disk-tree]
scale = 1

[test net-udp]
primary = none
bytes = 1G
time_ms = 10000

[test net-rpc]
primary = none
calls = 1000000
time_ms = 3000
reps = 5

[test nfs-patterns]
primary = none
seekback_bytes = 2M
sparse_writes = 2048
appends = 250
names = 500
link_bytes = 512K
warm = 1

[test sched-wake]
period_us = 10000
count = 4000

[test sched-pingpong]
primary = none
time_ms = 1000
reps = 11

[test sched-fork]
primary = none
time_ms = 3000
reps = 7

[test sched-fair]
primary = none
time_ms = 4000
reps = 5
warm = 1

[test sched-thief]
primary = none
time_ms = 3000
reps = 7

[test sched-storm]
primary = none
period_us = 20000
count = 2000

[test disk-bonnie]
primary = none
size_bytes = 256M
seeks = 4000
seek_chunk_bytes = 16384

[test disk-threads]
primary = none
size_bytes = 256M
random_ms = 10000

[test tmpfs-seq]
like = disk-seq
needs =
on = tmpfs
primary = none

[test tmpfs-rand]
like = disk-rand
needs =
on = tmpfs
primary = none

[test tmpfs-tree]
like = disk-tree
needs =
on = tmpfs
primary = none
