; SPDX-License-Identifier: GPL-2.0-or-later
; The order counts (docs/suite.md, "A tree, cold by reboot"). In emulation: --arg '*.scale=16'
[profile]
summary = boot, and a kernel's tree removed cold by reboot: a boot leaves it for the next
tests = boot-time tree-left tree-make
boot_s = 180

[test tree-left]
like = disk-tree
primary = rm
part = left
fs = keep
first = rm
scale = 1

[test tree-make]
like = disk-tree
primary = none
part = make
fs = ext2
scale = 1
