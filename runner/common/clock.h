/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * clock: intervals. CLOCK_MONOTONIC, degrading to gettimeofday where the kernel has none (Linux 2.4: ENOSYS).
 */
#ifndef KD_CLOCK_H
#define KD_CLOCK_H

#include <stdint.h>

uint64_t clock_now_ns(void);
uint64_t clock_now_ms(void);
/* Since kernel start: CLOCK_BOOTTIME, else CLOCK_MONOTONIC, else /proc/uptime. */
uint64_t clock_boot_ms(void);
uint64_t clock_boot_ns(void);
uint64_t clock_unix_ms(void);
/* 1 if CLOCK_MONOTONIC is missing and gettimeofday is used. */
int clock_is_degraded(void);
void clock_sleep_ms(unsigned ms);

#endif
