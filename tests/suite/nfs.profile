; SPDX-License-Identifier: GPL-2.0-or-later
[profile]
summary = NFS, with the network alone as its controls: bulk, the patterns that bulk misses, NULL calls
tests = net-tcp net-udp net-rpc nfs-bulk nfs-patterns
boot_s = 90

[test net-udp]
primary = none

[test nfs-bulk]
size_bytes = 32M
warm = 1
