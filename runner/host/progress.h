/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * progress: what the operator sees while a sweep runs: on a terminal a matrix of subjects and rounds that is drawn over itself,
 * with the running test and the time left; elsewhere a line for each thing that happens.
 */
#ifndef KD_PROGRESS_H
#define KD_PROGRESS_H

#include "host/drive.h"

struct progress {
	const struct plan *plan;
	const struct journal *journal;
	const struct drive *drive;
	int live;                    /* a terminal */
	unsigned drawn;              /* lines of the matrix on the screen */
	uint64_t began_ms, drawn_ms; /* monotonic */
};

struct progress_count {
	unsigned boots, complete, given_up, failed_tries;
	uint64_t boot_ms; /* median of the complete boots, go to complete; 0 unknown */
};

void progress_init(struct progress *p, const struct plan *plan, const struct journal *j, const struct drive *d, int plain);
/* A thing that happened. text is our own, line 0: none. */
void progress_say(struct progress *p, enum drive_say what, unsigned line, const char *text);
/* Draws the matrix again where it is time (or force). */
void progress_draw(struct progress *p, int force);
/* Takes the matrix off the screen's memory: what follows stands below it. */
void progress_end(struct progress *p);
/* Pure. */
void progress_counts(const struct plan *plan, const struct journal *j, struct progress_count *c);
/* The sign of a cell: best state over the tries of a subject in a round. ' ' where there is none. Pure. */
char progress_cell(const struct plan *plan, const struct journal *j, unsigned running, unsigned subject, unsigned round);

#endif
