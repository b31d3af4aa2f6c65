/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * spawn: fork, exec of this very program under the name `true`, at which main() ends at once, and wait: what a shell does for each command.
 *
 * The program is started from /proc/self/exe, so it is the one that runs, from memory. It is static: no loader and no libraries, so that a
 * kernel is compared and not a libc; its cost grows with the pages that it touches, a few, not with its size. No vfork.
 */
#ifndef KD_SUITE_SPAWN_H
#define KD_SUITE_SPAWN_H

#include <stdint.h>

#include "common/hist.h"

#define SPAWN_NAME "true"

/* 0, -ECHILD where it did not exit with 0, -errno. */
int spawn_fork(void); /* fork, exit, wait */
int spawn_exec(void);

/* The latency of spawn_exec at fixed times. May live in memory that is shared with the process that reads it. */
struct spawn_probe {
	uint64_t start_ns, period_ns; /* given: of the first, between two */
	uint64_t count;               /* given: 0 without end */
	uint64_t missed, failed;      /* result: times that were over before the one before had ended; those that failed */
	struct hist hist;             /* result: from the time at which it was due to its end, ns */
};
void spawn_probe_run(struct spawn_probe *p);

#endif
