/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * hist_read: from parts to histograms, from histograms to one percentile a boot. Contract in hist_read.h.
 */
#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "host/hist_read.h"

#define COLUMNS (HIST_READ_PERCENTILES + 2)

const unsigned hist_read_permyriad[HIST_READ_PERCENTILES] = {5000, 9000, 9900, 9990, 9999};

/* Digits up to one of the stops (or the end), which *s then points at. */
static int take_u64(const char **s, uint64_t *v)
{
	size_t n = strspn(*s, "0123456789");
	if (!n || n > 19)
		return -EINVAL;
	*v = strtoull(*s, NULL, 10);
	*s += n;
	return 0;
}

static int whole_u64(const char *s, uint64_t *v) { return !s || take_u64(&s, v) || *s ? -EINVAL : 0; }

int hist_read_head(struct hist_reader *r, const struct store_record *rec)
{
	uint64_t parts;
	memset(r, 0, sizeof *r);
	if (whole_u64(store_get(rec, "n"), &r->h.n) || whole_u64(store_get(rec, "sum"), &r->h.sum) || whole_u64(store_get(rec, "min"), &r->h.min) ||
	    whole_u64(store_get(rec, "max"), &r->h.max) || whole_u64(store_get(rec, "parts"), &parts) || parts > HIST_BUCKETS || r->h.min > r->h.max)
		return -EINVAL;
	r->parts = (unsigned)parts;
	return 0;
}

int hist_read_part(struct hist_reader *r, const char *part, const char *s)
{
	uint64_t i, of, index, count;
	int first = 1;
	if (!part || !s || take_u64(&part, &i) || *part++ != '/' || take_u64(&part, &of) || *part)
		return -EINVAL;
	if (of != r->parts || i != r->seen + 1)
		return -EINVAL;
	r->seen++;
	for (;; s++, first = 0) {
		if (take_u64(&s, &count))
			return -EINVAL;
		index = r->next; /* a count alone is of the bucket behind the last one */
		if (*s == ':' || first) {
			index = count;
			if (*s++ != ':' || take_u64(&s, &count))
				return -EINVAL;
		}
		if (index < r->next || index >= HIST_BUCKETS || !count || count > UINT32_MAX)
			return -EINVAL;
		r->h.bucket[index] = (uint32_t)count;
		r->next = (unsigned)index + 1;
		r->counted += count;
		if (!*s)
			return 0;
		if (*s != ',')
			return -EINVAL;
	}
}

int hist_read_done(const struct hist_reader *r)
{
	if (r->seen != r->parts || r->counted != r->h.n)
		return -EINVAL;
	if (r->h.n && (!r->h.bucket[hist_index(r->h.min)] || hist_index(r->h.max) + 1 != r->next))
		return -EINVAL;
	return 0;
}

static long want_row(struct hist_set *s, size_t test, const char *name)
{
	for (size_t i = 0; i < s->rows; i++)
		if (s->row[i].test == test && !strcmp(s->row[i].name, name))
			return (long)i;
	if (s->rows == HIST_READ_ROWS_MAX || strlen(name) >= sizeof s->row[0].name) {
		s->left_out++;
		return -1;
	}
	struct hist_row *r = &s->row[s->rows];
	size_t n = COLUMNS * (s->m->boots + 1);
	r->subject = calloc(s->m->plan->subjects + 1u, sizeof *r->subject);
	r->value = malloc(n * sizeof *r->value);
	if (!r->subject || !r->value) {
		free(r->subject);
		free(r->value);
		return -ENOMEM;
	}
	for (size_t i = 0; i < n; i++)
		r->value[i] = NAN;
	r->test = test;
	strcpy(r->name, name);
	return (long)s->rows++;
}

/* One that is whole. */
static int keep(struct hist_set *s, size_t boot, size_t test, const char *name, const struct hist *h)
{
	long row = want_row(s, test, name);
	if (row < 0)
		return row == -ENOMEM ? -ENOMEM : 0;
	struct hist_row *r = &s->row[row];
	double *v = &r->value[boot * COLUMNS];
	if (!h->n || !isnan(v[HIST_READ_PERCENTILES])) { /* a second one of that name */
		s->bad += h->n != 0;
		return 0;
	}
	for (unsigned i = 0; i < HIST_READ_PERCENTILES; i++) {
		uint64_t x;
		if (!hist_percentile(h, hist_read_permyriad[i], &x))
			v[i] = (double)x;
	}
	v[HIST_READ_PERCENTILES] = (double)h->min;
	v[HIST_READ_PERCENTILES + 1] = (double)h->max;
	hist_merge(&r->subject[s->m->boot[boot].subject], h);
	return 0;
}

static int read_run(struct hist_set *s, size_t boot, size_t test, struct hist_reader *r)
{
	const struct measure_boot *b = &s->m->boot[boot];
	const struct measure_run *run = &s->m->run[boot * s->m->tests + test];
	const char *name = NULL; /* of the one that is being read */
	if (run->status != MEASURE_PASS)
		return 0;
	for (size_t i = run->begin; i <= run->end && i < b->records; i++) {
		const struct store_record *rec = &b->record[i];
		const char *its = strcmp(rec->kind, "hist") ? NULL : store_get(rec, "name");
		if (!its)
			continue;
		if (!store_get(rec, "part")) {
			s->bad += name != NULL; /* the one before lacks parts */
			name = hist_read_head(r, rec) ? NULL : its;
			s->bad += !name;
		} else if (!name || strcmp(name, its) || hist_read_part(r, store_get(rec, "part"), store_get(rec, "b"))) {
			s->bad += name != NULL;
			name = NULL;
		}
		if (!name || r->seen != r->parts)
			continue;
		if (hist_read_done(r))
			s->bad++;
		else if (keep(s, boot, test, name, &r->h))
			return -ENOMEM;
		name = NULL;
	}
	s->bad += name != NULL;
	return 0;
}

int hist_set_read(struct hist_set *s, const struct measure *m)
{
	struct hist_reader *r = malloc(sizeof *r);
	int rc = 0;
	*s = (struct hist_set){.m = m, .row = calloc(HIST_READ_ROWS_MAX, sizeof *s->row)};
	if (!r || !s->row)
		rc = -ENOMEM;
	for (size_t b = 0; b < m->boots && !rc; b++)
		for (size_t t = 0; t < m->tests && !rc; t++)
			rc = read_run(s, b, t, r);
	free(r);
	if (rc)
		hist_set_free(s);
	return rc;
}

void hist_set_free(struct hist_set *s)
{
	for (size_t i = 0; i < s->rows; i++) {
		free(s->row[i].subject);
		free(s->row[i].value);
	}
	free(s->row);
	*s = (struct hist_set){.m = NULL};
}

size_t hist_set_values(const struct hist_set *s, size_t row, unsigned subject, unsigned column, double *v)
{
	size_t n = 0;
	for (size_t b = 0; b < s->m->boots; b++) {
		double x = s->row[row].value[b * COLUMNS + column];
		if (s->m->boot[b].subject == subject && !isnan(x))
			v[n++] = x;
	}
	return n;
}
