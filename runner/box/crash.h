/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * crash: what the kernel that comes up after a panic does before it is like home: the dead kernel's last words, and whether the next
 * boot may be reached from here.
 */
#ifndef KD_BOX_CRASH_H
#define KD_BOX_CRASH_H

#include "box/box.h"

/* The tail of the dead kernel's log as `text name=dmesg`, on whatever way out there is. */
void crash_send_dmesg(struct box *b);
/* Until the records can go out over NFS, or it is no use to wait. */
void crash_wait_nfs(struct box *b);
/* 1 where a kernel that is jumped to from here finds all of the machine; else 0, and a note says why. */
int crash_may_chain(struct box *b);
/*
 * 1 if the watchdog of a kernel that dies runs on without anybody to pet it, because home's kernel has no driver for it. It was given jump_s
 * then (arm.c), and the next kernel must have the driver. Pure.
 */
int crash_leaves_watchdog(const struct plan *p, const char *kernel);
/* Pure: 0 where the watchdog that the try `of` has left would reset the kernel of t in the middle of its tests. */
int crash_may_boot(const struct plan *p, uint32_t of, const struct plan_try *t);
/* Makes the jump go out from the CPU that the firmware started. On some machines this resets. 0 or -errno. */
int crash_take_first_cpu(const struct box *b);

/* System RAM as the firmware told it, from a folder like /sys/firmware/memmap; 0: not known. */
uint64_t crash_ram_bytes(const char *folder);
/* APIC id of a logical CPU, or JOB_BSP_UNKNOWN. */
unsigned crash_apic_id(unsigned cpu);

#endif
