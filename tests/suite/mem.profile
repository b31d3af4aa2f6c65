; SPDX-License-Identifier: GPL-2.0-or-later
[profile]
summary = the controls for the machine: page faults, copies, TLB walks, CPUs
tests = cpu-parallel mem-fault mem-copy mem-tlb
boot_s = 60

[test mem-copy]
bytes = 64M
mem_kb = 139264
