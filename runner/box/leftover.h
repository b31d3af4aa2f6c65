/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * leftover: what a test leaves running. Its processes are known by their oom_score_adj, which they inherit and keep whatever group, session or
 * parent they change to (a fork bomb does all of that); before 2.6.36 by oom_adj. Kernels with neither leave only the process group.
 */
#ifndef KD_BOX_LEFTOVER_H
#define KD_BOX_LEFTOVER_H

#include <stddef.h>
#include <stdint.h>

/* Of a test: the first to go when memory is short, and a number that nobody else has. */
#define LEFTOVER_SCORE 637

/*
 * Stops and kills all processes with that score, again and again, until none is left or the time is over. How many are then left; *who names
 * one of them: `pid name state wait-channel`.
 */
unsigned leftover_kill(int score, uint64_t ms, char *who, size_t size);

/* Pure: name and state of /proc/PID/stat (a name may hold anything, also `) R`). 0 or -1. */
int leftover_parse_stat(const char *stat, char *name, size_t size, char *state);

#endif
