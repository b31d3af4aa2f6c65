; SPDX-License-Identifier: GPL-2.0-or-later
[profile]
summary = the network without a file system: TCP, UDP in fragments, NULL calls
tests = net-tcp net-udp net-rpc
boot_s = 40

[test net-tcp]
bytes = 256M
time_ms = 3000

[test net-udp]
bytes = 256M
time_ms = 3000

[test net-rpc]
time_ms = 2000
