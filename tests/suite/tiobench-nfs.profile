; SPDX-License-Identifier: GPL-2.0-or-later
; In emulation: --arg '*.size_bytes=8M' --arg '*.cold=auto' --arg nfs-threads.random_ms=500 --arg net-tcp.bytes=8M
[profile]
summary = tiobench over NFS with 1, 2 and 4 workers, on all CPUs and on one; raw TCP and the number of CPUs as controls
tests = cpu-parallel net-tcp nfs-threads
variants = smp, up:nosmp
boot_s = 1200

[test net-tcp]
bytes = 1G
time_ms = 20000

[test nfs-threads]
like = disk-threads
needs = nfs
deadline_s = 7200
quiet_s = 1800
on = nfs
vers = 3
workers = 1+2+4
size_bytes = 2*mem min 16M
random_ms = 10000
