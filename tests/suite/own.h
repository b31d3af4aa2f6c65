/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * own: what a process may ask of the scheduler for itself: the CPU it runs on, its policy, its nice value.
 *
 * CPUs are counted among those that this process is allowed: the first is 0, whatever its number. The traps: Linux 2.4 has no
 * sched_setaffinity (-ENOSYS), and SCHED_IDLE came with 2.6.23 (-EINVAL before); musl's own sched_setscheduler always says ENOSYS, hence the raw call.
 */
#ifndef KD_SUITE_OWN_H
#define KD_SUITE_OWN_H

/* CPUs that this process may run on; where the kernel cannot say, those that are online. At least 1. */
unsigned own_cpus(void);
/* Binds this process to its nth CPU. 0, or -errno: -ENOSYS, -ENODEV where it has fewer. */
int own_bind(unsigned nth);
/* The same, and 0 where there is one CPU alone, so that nothing needs to be bound. */
int own_bind_or_only(unsigned nth);
int own_idle(void);      /* SCHED_IDLE; 0 or -errno */
int own_nice(int value); /* the value itself, not an increment; 0 or -errno (-EACCES, -EPERM below what it has) */

#endif
