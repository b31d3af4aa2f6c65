; SPDX-License-Identifier: GPL-2.0-or-later
[profile]
summary = what breaks a boot on purpose, and two tests beside it (docs/rehearsal.md)
tests = boot-time fault sched-messaging
boot_s = 20

[test sched-messaging]
senders = 4
receivers = 4
reps = 1
warm = 0
