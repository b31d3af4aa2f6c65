/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * bell: the end of a time-bounded loop, without a clock call in it: an interval timer sets a flag that the loop reads, and
 * breaks a blocking call off with EINTR.
 *
 * One bell a process; a child of fork has no timer and sets its own. The trap: a signal that comes between the test of the flag
 * and a blocking call is lost to the call, so the bell rings again each 100 ms until it is stopped.
 */
#ifndef KD_SUITE_BELL_H
#define KD_SUITE_BELL_H

void bell_set(unsigned ms); /* not 0 */
int bell_rung(void);
void bell_stop(void);

#endif
