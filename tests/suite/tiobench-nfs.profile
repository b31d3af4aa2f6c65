; SPDX-License-Identifier: GPL-2.0-or-later
; In an emulated twin (docs/reports.md): --arg nfs-threads.size_bytes=4M --arg nfs-threads.cold=auto --arg nfs-threads.random_ms=200 --arg nfs-threads.random_ops=200
; --arg net-tcp.bytes=4M --arg net-tcp.time_ms=500
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
