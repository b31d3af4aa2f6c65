; SPDX-License-Identifier: GPL-2.0-or-later
; A file of twice the memory, so that reads come from the server: hours by the byte in an emulated twin. There (docs/reports.md): --arg nfs-bonnie.size_bytes=4M
; --arg nfs-bonnie-udp.size_bytes=4M --arg '*.bytes=4M' --arg '*.cold=auto' --arg '*.seeks=20' --arg '*.time_ms=500'.
[profile]
summary = Bonnie over NFS v3 in transfers of 8 KiB, by TCP and, where the kernel can, by UDP; raw TCP and UDP as controls
tests = net-tcp net-udp nfs-bonnie nfs-bonnie-udp
boot_s = 3600

[test net-tcp]
bytes = 1G
time_ms = 20000

[test net-udp]
primary = none
bytes = 256M
time_ms = 10000

[test nfs-bonnie]
like = disk-bonnie
needs = nfs
deadline_s = 14400
quiet_s = 3600
on = nfs
vers = 3
proto = tcp
rsize = 8192
wsize = 8192
order = bonnie1
size_bytes = 2*mem min 16M
seeks = 100

[test nfs-bonnie-udp]
like = disk-bonnie
needs = nfs
deadline_s = 14400
quiet_s = 3600
on = nfs
vers = 3
proto = udp
rsize = 8192
wsize = 8192
order = bonnie1
size_bytes = 2*mem min 16M
seeks = 100
