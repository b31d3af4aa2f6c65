/* SPDX-License-Identifier: GPL-2.0-or-later */
/* look: contract in look.h. Facts come from a box or from a mail: a number that is none is not there. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "host/look.h"
#include "host/stats.h"

size_t look_metric(const struct look *l, const char *name)
{
	for (size_t i = 0; i < l->m->metrics; i++)
		if (l->m->metric[i].test_index == l->test && !strcmp(l->m->metric[i].name, name))
			return i;
	return l->m->metrics;
}

size_t look_values(const struct look *l, const char *name)
{
	size_t metric = look_metric(l, name);

	return metric < l->m->metrics ? measure_values(l->m, metric, l->subject, NULL, l->v) : 0;
}

double look_median(const struct look *l, const char *name)
{
	size_t n = look_values(l, name);

	return n ? stats_median(l->v, n) : NAN;
}

/* The number under `key` in the facts `what=name` of a boot; of several, lists included, the sum. NAN: none. */
static double fact(const struct look *l, size_t boot, const char *what, const char *name, const char *key)
{
	const struct measure_boot *b = &l->m->boot[boot];
	const struct measure_run *run = &l->m->run[boot * l->m->tests + l->test];
	double sum = NAN;

	for (size_t i = run->begin; run->status == MEASURE_PASS && i <= run->end; i++) {
		const struct store_record *r = &b->record[i];
		const char *is = store_get(r, what), *val = store_get(r, key);

		if (!is || !val || strcmp(is, name) || (strcmp(r->kind, "fact") && strcmp(r->kind, "metric")))
			continue;
		for (char *end; *val >= '0' && *val <= '9'; val = *end ? end + 1 : end)
			sum = (isnan(sum) ? 0 : sum) + strtod(val, &end);
	}
	return sum;
}

const char *look_word(const struct look *l, size_t boot, const char *what, const char *name, const char *key)
{
	const struct measure_run *run = &l->m->run[boot * l->m->tests + l->test];

	for (size_t i = run->begin; run->status == MEASURE_PASS && i <= run->end; i++) {
		const struct store_record *r = &l->m->boot[boot].record[i];
		const char *is = store_get(r, what);

		if (is && !strcmp(is, name) && store_get(r, key))
			return store_get(r, key);
	}
	return "";
}

double look_median_of(const struct look *l, double (*of)(const struct look *l, size_t boot, const char *name), const char *name)
{
	size_t n = 0;

	for (size_t b = 0; b < l->m->boots; b++) {
		double v = l->m->boot[b].subject == l->subject ? of(l, b, name) : NAN;

		if (isfinite(v))
			l->v[n++] = v;
	}
	return n ? stats_median(l->v, n) : NAN;
}

static double first(double a, double b, double c) { return !isnan(a) ? a : !isnan(b) ? b : c; }

/* What an imported table says of the phase itself. */
static double imported(const struct look *l, size_t boot, const char *name, const char *key) { return fact(l, boot, "imported", name, key); }

double look_cpu_percent(const struct look *l, size_t boot, const char *name)
{
	double us = fact(l, boot, "work", name, "cpu_us"), ns = fact(l, boot, "work", name, "ns"), percent = imported(l, boot, name, "cpu_percent");

	if (!isnan(percent))
		return percent;
	if (isnan(us)) {
		us = fact(l, boot, "cpu", name, "self_us");
		ns = first(fact(l, boot, "reps", name, "ns"), fact(l, boot, "timed", name, "ns"), fact(l, boot, "name", name, "ns"));
	}
	return us * 1e5 / ns;
}

static double per_op(const struct look *l, size_t boot, const char *name, const char *key)
{
	return fact(l, boot, "work", name, key) / fact(l, boot, "work", name, "ops");
}

double look_avg_ns(const struct look *l, size_t boot, const char *name)
{
	return first(per_op(l, boot, name, "sum_ns"), imported(l, boot, name, "avg_ns"), NAN);
}

double look_max_ns(const struct look *l, size_t boot, const char *name)
{
	return first(fact(l, boot, "work", name, "max_ns"), imported(l, boot, name, "max_ns"), NAN);
}

double look_over_2s(const struct look *l, size_t boot, const char *name)
{
	return first(100 * per_op(l, boot, name, "over_2s"), imported(l, boot, name, "over_2s_percent"), NAN);
}

double look_over_10s(const struct look *l, size_t boot, const char *name)
{
	return first(100 * per_op(l, boot, name, "over_10s"), imported(l, boot, name, "over_10s_percent"), NAN);
}

/* NAN: no boot says it. */
static double said(const struct look *l, const char *program, const char *key)
{
	for (size_t b = 0; b < l->m->boots; b++) {
		double v = l->m->boot[b].subject == l->subject ? fact(l, b, "how", program, key) : NAN;

		if (v >= 0 && v < 1e18)
			return v;
	}
	return NAN;
}

uint64_t look_how(const struct look *l, const char *program, const char *key)
{
	double v = said(l, program, key);

	return isnan(v) ? 0 : (uint64_t)v;
}

int look_flag(const struct look *l, const char *program, const char *key)
{
	double v = said(l, program, key);

	return isnan(v) ? -1 : v > 0;
}
