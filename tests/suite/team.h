/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * team: the worker processes of a test: forked, each a function, and all reaped whatever happens. They die with their parent.
 */
#ifndef KD_SUITE_TEAM_H
#define KD_SUITE_TEAM_H

#include <sys/types.h>

#define TEAM_MAX 512

struct team {
	unsigned n;
	pid_t pid[TEAM_MAX];
};

/* Runs work(data) in a child, which ends with its value as exit status. 0 or -errno (-EAGAIN past TEAM_MAX). */
int team_add(struct team *t, int (*work)(void *data), void *data);
/* Waits for all; the number of those that did not exit with 0. */
unsigned team_join(struct team *t);
/* KILLs and reaps all that are left. */
void team_end(struct team *t);

#endif
