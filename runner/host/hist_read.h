/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * hist_read: the histograms of a sweep's tests (`hist` records, docs/test-programs.md), put together again from their parts. Values come from a box:
 * a histogram that is not whole, or contradicts itself, is left out and counted, never mended.
 *
 * Percentiles are taken in each boot, where it has samples enough (common/hist.h); over boots there is a median of them. The histograms of a subject's
 * boots are added up for the picture alone.
 */
#ifndef KD_HIST_READ_H
#define KD_HIST_READ_H

#include "common/hist.h"
#include "host/measure.h"

#define HIST_READ_ROWS_MAX 128
#define HIST_READ_PERCENTILES 5

extern const unsigned hist_read_permyriad[HIST_READ_PERCENTILES]; /* p50 p90 p99 p99.9 p99.99 */

/* Pure: of one histogram, its head first, then its parts in order. */
struct hist_reader {
	struct hist h;
	unsigned parts, seen, next; /* next: the least index that the next pair may have */
	uint64_t counted;
};

/* Each 0 or -EINVAL. Texts may be NULL, which is wrong. */
int hist_read_head(struct hist_reader *r, const struct store_record *rec);
int hist_read_part(struct hist_reader *r, const char *part, const char *pairs);
/* All parts came, and they are n samples from min to max. */
int hist_read_done(const struct hist_reader *r);

struct hist_row {
	size_t test; /* index into measure.test */
	char name[PLAN_ID_MAX + 1];
	struct hist *subject; /* a sum for each of the plan's subjects */
	double *value;        /* boots * (HIST_READ_PERCENTILES + 2): the percentiles, min, max; NAN: none */
};

struct hist_set {
	const struct measure *m;
	struct hist_row *row;
	size_t rows;
	unsigned bad, left_out; /* histograms that were not right; past HIST_READ_ROWS_MAX */
};

/* 0 or -ENOMEM; then s is empty. m must outlive it. */
int hist_set_read(struct hist_set *s, const struct measure *m);
void hist_set_free(struct hist_set *s);
/* The values of a column (HIST_READ_PERCENTILES: min, then max) of a subject's boots that have it, into v (room for m->boots). How many. */
size_t hist_set_values(const struct hist_set *s, size_t row, unsigned subject, unsigned column, double *v);

#endif
