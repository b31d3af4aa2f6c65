/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * bootline: /run/kd/boot, one line of what PID 1 knows of this boot, read by the runner and by tests:
 *
 *     boot init_ns= mounts_ns= modules_ns= runner_ns= modules= reset=cold|watchdog|unknown watchdog_s= degraded=
 *
 * Times are ns since kernel start (CLOCK_BOOTTIME or the best there is). The runner appends ready_ns.
 */
#ifndef KD_INIT_BOOTLINE_H
#define KD_INIT_BOOTLINE_H

#include "init/degraded.h"
#include "init/watchdog.h"

#include <stdint.h>

#define BOOTLINE_PATH "/run/kd/boot"

struct bootline {
	uint64_t init_ns, mounts_ns, modules_ns, runner_ns;
	unsigned modules;
};

void bootline_write(const struct bootline *b, const struct watchdog *w, struct degraded *d);

#endif
