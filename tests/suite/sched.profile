; SPDX-License-Identifier: GPL-2.0-or-later
[profile]
summary = the scheduler: wake-up idle, busy and under disk and NFS I/O, ping-pong, messages, fork, fairness, the idle thief
tests = cpu-parallel sched-wake sched-wake-busy sched-wake-disk sched-wake-nfs sched-pingpong sched-messaging sched-fork sched-fair
  sched-thief sched-storm
boot_s = 60

[test cpu-parallel]
primary = none

[test sched-wake-busy]
like = sched-wake
load = busy

[test sched-wake-disk]
like = sched-wake
load = disk
needs = scratch

[test sched-wake-nfs]
like = sched-wake
load = nfs
needs = nfs

[test sched-messaging]
senders = 20
receivers = 20
messages = 200
