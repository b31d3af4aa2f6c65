/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * leftover: what a test, or a person who was let in, leaves running. A test's processes are known by their oom_score_adj, which they inherit
 * and keep whatever group, session or parent they change to (a fork bomb does all of that); before 2.6.36 by oom_adj. Kernels with neither
 * leave only the process group.
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

/*
 * The same for all that is neither in this session, nor in PID 1's or the kernel's (0, 1). A process may leave its session only for a new one, so a
 * child that was started in a session of its own has no offspring in ours, whatever it does: root, who can change a score, too.
 */
unsigned leftover_kill_strangers(long own, uint64_t ms, unsigned *found, char *who, size_t size);

/*
 * On: we run before all others, for among thousands that want to run one gets neither to the end of a list nor to a deadline. The functions
 * above turn it on by themselves, and off at their end.
 */
void leftover_hurry(int on);

/* Pure: field 6 of /proc/PID/stat. 0 or -1. */
int leftover_parse_session(const char *stat, long *session);
/* Pure: name and state of /proc/PID/stat (a name may hold anything, also `) R`). 0 or -1. */
int leftover_parse_stat(const char *stat, char *name, size_t size, char *state);

#endif
