/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * timer: sleep until a point of CLOCK_MONOTONIC (clock_now_ns), by the best means that this kernel has.
 *
 * clock_nanosleep with TIMER_ABSTIME (2.6.0 on); before, select with what is left until then, so that a late wake-up never moves the next one.
 * The traps: SCHED_OTHER has a timer slack of 50 us (2.6.28 on), by which every wake-up may be late; a kernel without high-resolution timers
 * wakes at its tick, and select may add one. Both are part of what is measured.
 */
#ifndef KD_SUITE_TIMER_H
#define KD_SUITE_TIMER_H

#include <stdint.h>

/* Returns at or after `ns`, at once where that has gone by; signals do not end it. The time at which it woke. */
uint64_t timer_sleep_until(uint64_t ns);
/* Facts: timer= (clock_nanosleep, select), slack_ns= where the kernel has one. */
void timer_report(void);

#endif
