/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * cost: what a phase cost, from its books (docs/facts.md: `timed=`, `cpu=`, `kernel=`, `progress=` with one NAME): %CPU, CPU seconds for each GiB that it
 * moved, kernel threads by name, the longest stall. One value a boot, test and phase; boots that count and tests that passed are measure.h's.
 *
 * A %CPU that falls is no improvement where the rate falls too: the seconds per GiB say whether less was computed or more was waited. What a box did
 * not say is NAN. Values come from a box: nothing here trusts them.
 */
#ifndef KD_COST_H
#define KD_COST_H

#include "host/measure.h"

#define COST_ROWS_MAX 512
#define COST_THREADS_MAX 10 /* families of a phase that are kept */
#define COST_THREAD_NAME 24

enum cost_value {
	COST_SELF,     /* CPU of the test and its children over the phase's time; 1 is one CPU */
	COST_BUSY,     /* of the whole machine */
	COST_KERNEL,   /* of kernel threads */
	COST_SELF_GIB, /* seconds of the same for each GiB */
	COST_BUSY_GIB,
	COST_KERNEL_GIB,
	COST_STALL_S, /* the longest time without progress */
	COST_VALUES,
};

struct cost_row {
	size_t test; /* index into measure.test */
	char phase[PLAN_ID_MAX + 1];
	double *value; /* boots * COST_VALUES */
	struct {
		char name[COST_THREAD_NAME];
		double *share; /* of the phase's time, a boot each */
	} thread[COST_THREADS_MAX];
	size_t threads;
};

struct cost {
	const struct measure *m;
	struct cost_row *row;
	size_t rows;
	unsigned left_out; /* facts past COST_ROWS_MAX */
};

const char *cost_name(enum cost_value v);
/* 0 or -ENOMEM; then c is empty. m must outlive it. */
int cost_read(struct cost *c, const struct measure *m);
void cost_free(struct cost *c);
/* Of a subject's boots, those that have it, into v (room for m->boots). How many. */
size_t cost_values(const struct cost *c, size_t row, unsigned subject, enum cost_value what, double *v);
size_t cost_thread_values(const struct cost *c, size_t row, unsigned subject, size_t thread, double *v);

#endif
