; SPDX-License-Identifier: GPL-2.0-or-later
[profile]
summary = the scratch disk: sequential, random, fsync, a tree; and the same on tmpfs as the controls
tests = disk-seq disk-rand disk-fsync disk-tree tmpfs-seq tmpfs-rand tmpfs-tree
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
needs =
on = tmpfs
primary = none

[test tmpfs-rand]
like = disk-rand
needs =
on = tmpfs
primary = none

[test tmpfs-tree]
like = disk-tree
needs =
on = tmpfs
primary = none
