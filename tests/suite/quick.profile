; SPDX-License-Identifier: GPL-2.0-or-later
[profile]
summary = a minute a boot on a machine of its own
tests = boot-time cpu-parallel disk-seq net-tcp nfs-bulk sched-messaging
boot_s = 110

[test cpu-parallel]
time_ms = 1000

[test disk-seq]
size_bytes = 64M

[test net-tcp]
bytes = 256M
time_ms = 3000

[test nfs-bulk]
size_bytes = 32M
warm = 1

[test sched-messaging]
senders = 20
receivers = 20
messages = 200
