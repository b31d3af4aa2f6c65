/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * quiet: keeps the kernel off the console while a timed section runs. Messages still go to the kernel's log, and a panic
 * raises the level by itself.
 */
#ifndef KD_BOX_QUIET_H
#define KD_BOX_QUIET_H

/* The level that was, for quiet_end. */
int quiet_begin(void);
void quiet_end(int level);

#endif
