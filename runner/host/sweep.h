/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * sweep: a sweep of the lab, opened: its plan, its journals, its lock. `sweep new` writes it, `sweep run` drives it, show and compare read it.
 */
#ifndef KD_SWEEP_H
#define KD_SWEEP_H

#include "common/journal.h"
#include "common/plan.h"

struct sweep {
	char id[PLAN_ID_MAX + 1];
	char *dir; /* lab/sweeps/<id> */
	struct plan plan;
	struct journal *journal; /* union of the station's and the box's */
};

/* Reads schedule, manifest and journals. 0 or -errno with one line in err; s need not be closed then. */
int sweep_read(struct sweep *s, const char *id, char *err, size_t size);
/* The same. Dies with one line: no such sweep (nearest named), damaged schedule. */
void sweep_open(struct sweep *s, const char *id);
/* Reads the journals again. */
void sweep_reread(struct sweep *s);
void sweep_close(struct sweep *s);

#endif
