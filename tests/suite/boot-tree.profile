; SPDX-License-Identifier: GPL-2.0-or-later
; In an emulated twin (docs/reports.md): --arg disk-tree.scale=16. Fewer wake-ups than 368 would have no p99.
[profile]
summary = boot, and a kernel's tree walked, read and removed cold; wake-ups idle and under disk I/O say why
tests = boot-time disk-tree sched-wake sched-wake-disk
boot_s = 180

[test disk-tree]
scale = 1

[test sched-wake]
primary = none

[test sched-wake-disk]
like = sched-wake
load = disk
on = scratch
needs = scratch
