; SPDX-License-Identifier: GPL-2.0-or-later
[profile]
summary = the scratch disk: sequential, random, fsync, a tree; and the same reads and writes on tmpfs as the control
tests = disk-seq disk-rand disk-fsync disk-tree tmpfs-seq
boot_s = 180

[test disk-seq]
size_bytes = mem/2 min 8M max 256M

[test disk-rand]
size_bytes = mem/2 min 8M max 256M
time_ms = 2000

[test disk-fsync]
time_ms = 4000

[test tmpfs-seq]
like = disk-seq
on = tmpfs
primary = none
