/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * cost: from facts to rows. Contract in cost.h. The facts of a phase come in several records in any order: the microseconds are gathered first, then
 * divided.
 */
#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "host/cost.h"

#define GIB 1073741824.0

static const char *const value_names[COST_VALUES] = {"cpu_self",       "cpu_machine",       "cpu_kernel_threads",
                                                     "self_s_per_gib", "machine_s_per_gib", "kernel_threads_s_per_gib",
                                                     "stall_s"};

const char *cost_name(enum cost_value v) { return v < COST_VALUES ? value_names[v] : "unknown"; }

/* Of a row in the boot that is being read. */
struct raw {
	double ns, bytes, self_us, busy_us, all_us, stall_ns;
};

static double *nans(size_t n)
{
	double *v = malloc((n + 1) * sizeof *v);
	for (size_t i = 0; v && i <= n; i++)
		v[i] = NAN;
	return v;
}

/* Made where there is none; -1: no room. */
static long want_row(struct cost *c, size_t test, const char *phase)
{
	for (size_t i = 0; i < c->rows; i++)
		if (c->row[i].test == test && !strcmp(c->row[i].phase, phase))
			return (long)i;
	if (c->rows == COST_ROWS_MAX || strlen(phase) >= sizeof c->row[0].phase) {
		c->left_out++;
		return -1;
	}
	struct cost_row *r = &c->row[c->rows];
	r->value = nans(COST_VALUES * c->m->boots);
	if (!r->value)
		return -ENOMEM;
	r->test = test;
	strcpy(r->phase, phase);
	return (long)c->rows++;
}

static double number(const char *s)
{
	size_t n = s ? strspn(s, "0123456789") : 0;
	return n && n <= 18 && !s[n] ? strtod(s, NULL) : NAN;
}

/* Microseconds of a family, kept as they are until the time is known. */
static int take_thread(const struct cost *c, struct cost_row *r, size_t boot, const char *key, const char *val)
{
	size_t len = strlen(key), i = 0;
	if (len < 4 || strcmp(key + len - 3, "_us") || len - 3 >= COST_THREAD_NAME || !strcmp(key, "all_us") || !strcmp(key, "top_us"))
		return 0;
	while (i < r->threads && (strncmp(r->thread[i].name, key, len - 3) || r->thread[i].name[len - 3]))
		i++;
	if (i == COST_THREADS_MAX)
		return 0;
	if (i == r->threads) {
		r->thread[i].share = nans(c->m->boots);
		if (!r->thread[i].share)
			return -ENOMEM;
		memcpy(r->thread[i].name, key, len - 3);
		r->threads++;
	}
	r->thread[i].share[boot] = number(val);
	return 0;
}

static void put(const struct store_record *r, const char *key, double *v)
{
	const char *text = store_get(r, key);
	if (text)
		*v = number(text);
}

static int take(struct cost *c, size_t boot, size_t test, const struct store_record *rec, struct raw *raw)
{
	static const char *const facts[] = {"timed", "cpu", "kernel", "progress"};
	const char *phase = NULL;
	size_t which = 0;
	for (; which < 4 && !(phase = store_get(rec, facts[which])); which++)
		;
	long row = phase ? want_row(c, test, phase) : -1;
	if (row < 0)
		return row == -ENOMEM ? -ENOMEM : 0;
	struct raw *x = &raw[row];
	if (which == 0) {
		put(rec, "ns", &x->ns);
		put(rec, "bytes", &x->bytes);
	} else if (which == 1) {
		put(rec, "self_us", &x->self_us);
		put(rec, "busy_us", &x->busy_us);
	} else if (which == 2) {
		put(rec, "all_us", &x->all_us);
		for (size_t i = 0; i < rec->n; i++)
			if (take_thread(c, &c->row[row], boot, rec->pair[i].key, rec->pair[i].val))
				return -ENOMEM;
	} else {
		put(rec, "stall_ns", &x->stall_ns);
	}
	return 0;
}

static double over(double a, double b) { return b > 0 ? a / b : NAN; }

static void derive(struct cost_row *r, size_t boot, const struct raw *x)
{
	double *v = &r->value[boot * COST_VALUES];
	double kernel = isnan(x->all_us) && !isnan(x->busy_us) ? 0 : x->all_us; /* no thread used a tick: then nothing is said of them */
	v[COST_SELF] = over(x->self_us * 1e3, x->ns);
	v[COST_BUSY] = over(x->busy_us * 1e3, x->ns);
	v[COST_KERNEL] = over(kernel * 1e3, x->ns);
	v[COST_SELF_GIB] = over(x->self_us / 1e6, x->bytes / GIB);
	v[COST_BUSY_GIB] = over(x->busy_us / 1e6, x->bytes / GIB);
	v[COST_KERNEL_GIB] = over(kernel / 1e6, x->bytes / GIB);
	v[COST_STALL_S] = x->stall_ns / 1e9;
	for (size_t i = 0; i < r->threads; i++) {
		double us = r->thread[i].share[boot];
		r->thread[i].share[boot] = isnan(x->ns) ? NAN : over((isnan(us) ? 0 : us) * 1e3, x->ns);
	}
}

static int read_run(struct cost *c, size_t boot, size_t test, struct raw *raw)
{
	const struct measure_boot *b = &c->m->boot[boot];
	const struct measure_run *run = &c->m->run[boot * c->m->tests + test];
	if (run->status != MEASURE_PASS)
		return 0;
	for (size_t i = 0; i < COST_ROWS_MAX; i++)
		raw[i] = (struct raw){NAN, NAN, NAN, NAN, NAN, NAN};
	for (size_t i = run->begin; i <= run->end && i < b->records; i++)
		if (!strcmp(b->record[i].kind, "fact") && take(c, boot, test, &b->record[i], raw))
			return -ENOMEM;
	for (size_t i = 0; i < c->rows; i++)
		if (c->row[i].test == test)
			derive(&c->row[i], boot, &raw[i]);
	return 0;
}

int cost_read(struct cost *c, const struct measure *m)
{
	struct raw *raw = malloc(COST_ROWS_MAX * sizeof *raw);
	int rc = 0;
	*c = (struct cost){.m = m, .row = calloc(COST_ROWS_MAX, sizeof *c->row)};
	if (!raw || !c->row)
		rc = -ENOMEM;
	for (size_t b = 0; b < m->boots && !rc; b++)
		for (size_t t = 0; t < m->tests && !rc; t++)
			rc = read_run(c, b, t, raw);
	free(raw);
	if (rc)
		cost_free(c);
	return rc;
}

void cost_free(struct cost *c)
{
	for (size_t i = 0; i < c->rows; i++) {
		free(c->row[i].value);
		for (size_t k = 0; k < c->row[i].threads; k++)
			free(c->row[i].thread[k].share);
	}
	free(c->row);
	*c = (struct cost){.m = NULL};
}

size_t cost_values(const struct cost *c, size_t row, unsigned subject, enum cost_value what, double *v)
{
	size_t n = 0;
	for (size_t b = 0; b < c->m->boots; b++) {
		double x = c->row[row].value[b * COST_VALUES + what];
		if (c->m->boot[b].subject == subject && !isnan(x))
			v[n++] = x;
	}
	return n;
}

size_t cost_thread_values(const struct cost *c, size_t row, unsigned subject, size_t thread, double *v)
{
	size_t n = 0;
	for (size_t b = 0; b < c->m->boots; b++) {
		double x = c->row[row].thread[thread].share[b];
		if (c->m->boot[b].subject == subject && !isnan(x))
			v[n++] = x;
	}
	return n;
}
