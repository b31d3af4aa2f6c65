/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * machine: the two ways out of a kernel. Neither syncs or unmounts: a mount may hang, and PID 1 must not.
 */
#ifndef KD_INIT_MACHINE_H
#define KD_INIT_MACHINE_H

#include "init/watchdog.h"

/*
 * Into the kernel that is loaded; the watchdog guards the way for jump_s seconds, or, 0, is stopped. Returns only when there is none, or the
 * kernel refuses: then an errno.
 */
int machine_jump(struct watchdog *w, unsigned jump_s);
/* Resets, by reboot(2), and where that fails by not petting the watchdog any more. */
_Noreturn void machine_reset(struct watchdog *w);

#endif
