; SPDX-License-Identifier: GPL-2.0-or-later
; Too much for an emulated twin: tests/qemu/old-box.t says what to give instead. UDP in transfers of
; 1 KiB, without much readahead: an NE2000 has 16 KiB for all that comes in, and loses the rest.
[profile]
summary = the old box: boot, a tree and Bonnie on its disk, NFS v3 by TCP and by UDP, the scheduler
tests = boot-time disk-tree disk-bonnie nfs-bonnie nfs-bonnie-udp net-tcp net-udp sched-wake sched-pingpong sched-fork
boot_s = 1200

[test disk-tree]
scale = 4

[test disk-bonnie]
size_bytes = 2*mem min 16M
seeks = 200

[test nfs-bonnie]
like = disk-bonnie
needs = nfs
deadline_s = 7200
quiet_s = 1800
on = nfs
vers = 3
proto = tcp
rsize = 8192
wsize = 8192
size_bytes = 2*mem min 16M
seeks = 100

[test nfs-bonnie-udp]
like = disk-bonnie
needs = nfs
deadline_s = 7200
quiet_s = 1800
on = nfs
vers = 3
proto = udp
rsize = 1024
wsize = 1024
readahead_kb = 4
size_bytes = 2*mem min 16M
seeks = 100

[test net-tcp]
bytes = 32M
time_ms = 20000

[test net-udp]
primary = none
bytes = 32M
time_ms = 10000

[test sched-wake]
count = 4000

[test sched-pingpong]
primary = none

[test sched-fork]
primary = none
