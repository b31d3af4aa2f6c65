; SPDX-License-Identifier: GPL-2.0-or-later
[profile]
summary = a look at everything: 8 to 12 s a boot in an emulated twin
tests = boot-time cpu-parallel disk-seq net-tcp nfs-bulk sched-messaging
boot_s = 20
