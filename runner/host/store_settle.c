/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * store_settle: from lines as they were appended to one record a (tag, seq), sorted, and the gaps that are still open.
 *
 * A repeat that says the same is dropped and its channels are joined; one that says something else makes the record STORE_DIFFER, which
 * voids its try: the first text is kept only so that it can be shown. A gap that a later line filled is no gap.
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "host/store.h"

static int compare_u(uint64_t a, uint64_t b) { return (a > b) - (a < b); }

static int by_identity(const void *x, const void *y)
{
	const struct store_record *a = x, *b = y;
	int c = compare_u(a->tag, b->tag);
	return c ? c : compare_u(a->seq, b->seq);
}

static int by_line(const void *x, const void *y)
{
	const struct store_record *a = x, *b = y;
	int c = compare_u(a->line, b->line);
	return c ? c : by_identity(x, y);
}

static int gap_by_line(const void *x, const void *y)
{
	const struct store_gap *a = x, *b = y;
	int c = compare_u(a->line, b->line);
	if (!c)
		c = compare_u(a->tag, b->tag);
	return c ? c : compare_u(a->first, b->first);
}

static int same(const struct store_record *a, const struct store_record *b)
{
	if (a->line != b->line || a->ms != b->ms || a->n != b->n || strcmp(a->kind, b->kind))
		return 0;
	for (size_t i = 0; i < a->n; i++) {
		const char *v = store_get(b, a->pair[i].key);
		if (!v || strcmp(v, a->pair[i].val))
			return 0;
	}
	return 1;
}

/* Merge sort by hand would be stable; glibc's qsort is only as long as memory lasts. So the order of lines is made part of the key. */
struct ordered {
	struct store_record r;
	size_t at;
};

static int by_identity_then_order(const void *x, const void *y)
{
	const struct ordered *a = x, *b = y;
	int c = by_identity(&a->r, &b->r);
	return c ? c : compare_u(a->at, b->at);
}

static int settle_records(struct store *s)
{
	size_t n = 0;
	struct ordered *o = calloc(s->records ? s->records : 1, sizeof *o);
	if (!o)
		return -ENOMEM;
	for (size_t i = 0; i < s->records; i++)
		o[i] = (struct ordered){s->record[i], i};
	qsort(o, s->records, sizeof *o, by_identity_then_order);
	for (size_t i = 0; i < s->records; i++) {
		struct store_record *kept = n ? &s->record[n - 1] : NULL;
		if (!kept || by_identity(kept, &o[i].r)) {
			s->record[n++] = o[i].r;
			continue;
		}
		s->repeats++;
		int mixed = kept->ch != o[i].r.ch && (kept->ch == STORE_IMPORTED || o[i].r.ch == STORE_IMPORTED);
		if (!same(kept, &o[i].r) || o[i].r.ch == STORE_DIFFER || mixed)
			kept->ch = STORE_DIFFER;
		else if (kept->ch != STORE_DIFFER)
			kept->ch = (enum store_channel)(kept->ch | o[i].r.ch);
		free(o[i].r.pair);
	}
	s->records = n;
	free(o);
	return 0;
}

static int is_stored(const struct store *s, uint32_t tag, uint32_t seq)
{
	struct store_record key = {.tag = tag, .seq = seq};
	return bsearch(&key, s->record, s->records, sizeof key, by_identity) != NULL;
}

/* Joins gaps of one try that touch or overlap; they are sorted. */
static void join_gaps(struct store *s)
{
	size_t n = 0;
	for (size_t i = 0; i < s->gaps; i++) {
		struct store_gap *last = n ? &s->gap[n - 1] : NULL, g = s->gap[i];
		if (!last || last->line != g.line || last->tag != g.tag || g.first > (uint64_t)last->last + 1)
			s->gap[n++] = g;
		else if (g.last > last->last)
			last->last = g.last;
	}
	s->gaps = n;
}

/* The pieces of a gap that no record fills, written to out; how many (out NULL: only counted). */
static size_t open_pieces(const struct store *s, const struct store_gap *g, struct store_gap *out)
{
	size_t n = 0;
	int open = 0;
	for (uint64_t q = g->first; q <= g->last; q++) {
		int stored = is_stored(s, g->tag, (uint32_t)q);
		if (!stored && !open++ && ++n && out)
			out[n - 1] = (struct store_gap){g->line, g->tag, (uint32_t)q, (uint32_t)q};
		if (!stored && out)
			out[n - 1].last = (uint32_t)q;
		if (stored)
			open = 0;
	}
	return n;
}

/* The records are sorted by identity here. Extents are bounded by the parser, so walking them is too. */
static int settle_gaps(struct store *s)
{
	size_t n = 0;
	if (!s->gaps)
		return 0;
	qsort(s->gap, s->gaps, sizeof *s->gap, gap_by_line);
	join_gaps(s);
	for (size_t i = 0; i < s->gaps; i++)
		n += open_pieces(s, &s->gap[i], NULL);
	struct store_gap *open = calloc(n + 1, sizeof *open);
	if (!open)
		return -ENOMEM;
	n = 0;
	for (size_t i = 0; i < s->gaps; i++)
		n += open_pieces(s, &s->gap[i], open + n);
	free(s->gap);
	s->gap = open;
	s->gaps = n;
	return 0;
}

int store_settle(struct store *s)
{
	int rc = settle_records(s);
	if (!rc)
		rc = settle_gaps(s);
	if (!rc && s->records)
		qsort(s->record, s->records, sizeof *s->record, by_line);
	return rc;
}

const struct store_record *store_try(const struct store *s, unsigned line, uint32_t tag, size_t *n)
{
	struct store_record key = {.line = line, .tag = tag};
	size_t lo = 0, hi = s->records;
	while (lo < hi) { /* the first that is not below (line, tag, 0) */
		size_t mid = lo + (hi - lo) / 2;
		if (by_line(&s->record[mid], &key) < 0)
			lo = mid + 1;
		else
			hi = mid;
	}
	for (*n = 0; lo + *n < s->records && s->record[lo + *n].line == line && s->record[lo + *n].tag == tag;)
		++*n;
	return *n ? &s->record[lo] : NULL;
}
