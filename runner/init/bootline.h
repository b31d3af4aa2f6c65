/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * bootline: what PID 1 knows of this boot, for the runner and for tests, a line a file:
 *
 *     /run/kd/boot       boot init_ns= mounts_ns= runner_ns= sysctl= degraded=    (the runner appends ready_ns)
 *     /run/kd/modules    modules modules_ns= modules= reset=cold|watchdog|unknown watchdog_s= watchdog= carries_s= degraded=
 *
 * The second appears, whole, when the modules have been loaded. Times are ns since kernel start (CLOCK_BOOTTIME or the best
 * there is).
 */
#ifndef KD_INIT_BOOTLINE_H
#define KD_INIT_BOOTLINE_H

#include "init/degraded.h"
#include "init/modules.h"
#include "init/sysctl.h"
#include "init/watchdog.h"

#include <stdint.h>

#define BOOTLINE_PATH "/run/kd/boot"
#define BOOTLINE_MODULES_PATH "/run/kd/modules"

struct bootline {
	uint64_t init_ns, mounts_ns, runner_ns;
	char sysctl[SYSCTL_DONE_MAX]; /* what PID 1 has set */
	struct degraded degraded;
};

void bootline_write(const struct bootline *b);
void bootline_write_modules(const struct modules *m, const struct watchdog *w);

#endif
