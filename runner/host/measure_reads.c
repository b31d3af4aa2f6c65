/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * measure_reads: a test's text is joined from its facts `text=NAME part=i/n data=` and its numbers are taken by path. A text that is not whole gives
 * no number. Trap: the runner may have put a piece's data into a record of its own, where the names of test and text are long.
 */
#include "host/measure_reads.h"

#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "host/json_path.h"

struct text {
	char data[JSON_PATH_BYTES_MAX + 1];
	size_t len;
	unsigned parts, seen;
	int open, wrong; /* a piece was named, its data comes in the next fact */
};

static void take_data(struct text *t, const char *data)
{
	size_t n = strlen(data);
	t->open = 0;
	if (n > JSON_PATH_BYTES_MAX - t->len) {
		t->wrong = 1;
		return;
	}
	memcpy(t->data + t->len, data, n);
	t->len += n;
}

static void take_piece(struct text *t, const char *part, const char *data)
{
	char again[32];
	unsigned i = 0, of = 0;
	t->wrong |= t->open || !part || sscanf(part, "%9u/%9u", &i, &of) != 2;
	snprintf(again, sizeof again, "%u/%u", i, of);
	t->wrong |= part && strcmp(again, part) != 0;
	t->wrong |= i != t->seen + 1 || i > of || (t->seen && of != t->parts);
	t->seen = i;
	t->parts = of;
	t->open = !data;
	if (data && !t->wrong)
		take_data(t, data);
}

/* 1: whole. */
static int join(struct text *t, const struct measure_boot *b, const struct measure_run *run, const char *test, const char *name)
{
	t->len = 0;
	t->parts = t->seen = 0;
	t->open = t->wrong = 0;
	for (size_t i = run->begin; !t->wrong && i <= run->end && i < b->records; i++) {
		const struct store_record *r = &b->record[i];
		const char *its = store_get(r, "test"), *text = store_get(r, "text"), *data = store_get(r, "data");
		if (strcmp(r->kind, "fact") || !its || strcmp(its, test))
			continue;
		if (text && !strcmp(text, name))
			take_piece(t, store_get(r, "part"), data);
		else if (t->open && !text && data)
			take_data(t, data);
		else
			t->wrong |= t->open;
	}
	return !t->wrong && !t->open && t->seen && t->seen == t->parts;
}

static enum measure_bad number(const json_t *root, const char *path, double *v)
{
	double x;
	if (json_path_number(root, path, &x))
		return MEASURE_NO_NUMBER;
	if (!isfinite(x) || fabs(x) > MEASURE_VALUE_MAX)
		return MEASURE_RANGE;
	*v = x;
	return MEASURE_OK;
}

static void read_test(struct measure *m, size_t boot, size_t test, struct text *t)
{
	const struct measure_boot *b = &m->boot[boot];
	const struct suite_test *d = m->test[test].desc;
	int whole = join(t, b, &m->run[boot * m->tests + test], m->test[test].name, d->reads);
	json_t *root = whole ? json_path_load(t->data, t->len) : NULL;
	for (size_t i = 0; i < m->metrics; i++) {
		const struct measure_metric *x = &m->metric[i];
		double *v = &m->value[boot * m->metrics + i];
		unsigned char *bad = &m->bad[boot * m->metrics + i];
		if (x->test_index != test || !x->desc || !*x->desc->path)
			continue;
		if (!isnan(*v) || *bad) /* there was a metric record too */
			*bad = MEASURE_TWICE;
		else
			*bad = (unsigned char)(!whole ? MEASURE_NO_TEXT : !root ? MEASURE_NO_JSON : number(root, x->desc->path, v));
		if (*bad)
			*v = NAN;
	}
	json_decref(root);
}

int measure_reads(struct measure *m, size_t boot)
{
	struct text *t = NULL;
	for (size_t i = 0; i < m->tests; i++) {
		if (!m->test[i].desc || !*m->test[i].desc->reads || m->run[boot * m->tests + i].status != MEASURE_PASS)
			continue;
		if (!t && !(t = malloc(sizeof *t)))
			return -ENOMEM;
		read_test(m, boot, i, t);
	}
	free(t);
	return 0;
}
