/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * variation: see variation.h. Values come from a box: a repetition that is no number makes its boot count for nothing here.
 */
#include "host/variation.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "host/stats.h"

/* The next number of a comma list; NAN where there is none. *text is NULL at the end. */
static double next_number(const char **text)
{
	size_t n = *text ? strspn(*text, "0123456789") : 0;
	double v = n && n <= 18 && (!(*text)[n] || (*text)[n] == ',') ? strtod(*text, NULL) : NAN;

	*text = *text && (*text)[n] == ',' ? *text + n + 1 : NULL;
	return v;
}

/* The repetitions that one fact holds, behind those that are there. 0, or -EINVAL. */
static int take_reps(const struct store_record *r, double *value, unsigned *n, double *ns_sum)
{
	const char *v = store_get(r, "v"), *ns = store_get(r, "ns");
	int timed = ns != NULL;

	if (!v)
		return -EINVAL;
	while (v) {
		double x = next_number(&v), y = timed ? next_number(&ns) : 1;

		if (isnan(x) || !(y > 0) || *n == VARIATION_REPS_MAX)
			return -EINVAL;
		value[(*n)++] = x / y;
		*ns_sum += y;
	}
	return ns ? -EINVAL : 0;
}

/* Of one boot; 0 where it has none that can be believed. */
static unsigned read_boot(const struct measure *m, size_t boot, const struct measure_metric *metric, double *value, double *ns_sum)
{
	const struct measure_boot *b = &m->boot[boot];
	const struct measure_run *run = &m->run[boot * m->tests + metric->test_index];
	unsigned n = 0;

	if (run->status != MEASURE_PASS)
		return 0;
	for (size_t i = run->begin; i <= run->end && i < b->records; i++) {
		const char *name = store_get(&b->record[i], "reps");

		if (strcmp(b->record[i].kind, "fact") || !name || strcmp(name, metric->name))
			continue;
		if (take_reps(&b->record[i], value, &n, ns_sum))
			return 0;
	}
	return n;
}

/* From kernel start to the last record, less the tests. */
static double boot_ns(const struct measure *m, size_t boot)
{
	const struct measure_boot *b = &m->boot[boot];
	double tests = 0, v;

	for (size_t i = 0; i < b->records; i++) {
		const char *ns = strcmp(b->record[i].kind, "end") ? NULL : store_get(&b->record[i], "ns");

		if (ns && !isnan(v = next_number(&ns)))
			tests += v;
	}
	return b->records ? fmax(0, (double)b->record[b->records - 1].ms * 1e6 - tests) : NAN;
}

void variation_split(struct variation *v, const double *value, const unsigned *reps, unsigned n)
{
	double *mean = malloc((n ? n : 1) * sizeof *mean), s1 = 0, s2, inverse = 0;

	v->boots = n;
	v->within = v->between = v->share = NAN;
	v->reps = 0;
	for (unsigned i = 0; i < n && mean; value += reps[i++]) {
		double sd = stats_sd(value, reps[i]);

		mean[i] = stats_mean(value, reps[i]);
		s1 += sd * sd / n;
		v->reps += (double)reps[i] / n;
		inverse += 1.0 / reps[i] / n; /* a boot's mean has a variance of S1^2 over its own r */
	}
	if (n && mean && stats_mean(mean, n) > 0) {
		v->within = sqrt(s1) / stats_mean(mean, n);
		s2 = stats_sd(mean, n);
		if (n > 1) {
			double t2 = fmax(0, s2 * s2 - s1 * inverse);

			v->between = sqrt(t2) / stats_mean(mean, n);
			v->share = s1 + t2 > 0 ? t2 / (s1 + t2) : NAN;
		}
	}
	free(mean);
}

/* ceil(sqrt(c_boot / c_rep * T1^2 / T2^2)) */
static unsigned best_reps(const struct variation *v)
{
	double r;

	if (isnan(v->between) || !(v->rep_ns > 0) || !(v->boot_ns > 0))
		return 0;
	r = v->between > 0 ? ceil(sqrt(v->boot_ns / v->rep_ns) * v->within / v->between) : VARIATION_BEST_MAX;
	return r < 1 ? 1 : r < VARIATION_BEST_MAX ? (unsigned)r : VARIATION_BEST_MAX;
}

int variation_read(struct variation *v, const struct measure *m, size_t metric, unsigned subject)
{
	double *value = malloc((m->boots + 1) * VARIATION_REPS_MAX * sizeof *value), ns = 0, outside = 0;
	unsigned *reps = malloc((m->boots + 1) * sizeof *reps), n = 0;
	size_t at = 0;

	*v = (struct variation){.within = NAN, .between = NAN, .medians = NAN, .share = NAN, .boot_ns = NAN, .rep_ns = NAN};
	if (!value || !reps) {
		free(value);
		free(reps);
		return -ENOMEM;
	}
	v->medians = stats_cv(value, measure_values(m, metric, subject, NULL, value));
	for (size_t b = 0; b < m->boots; b++) {
		double boot_sum = 0;
		unsigned k = m->boot[b].subject == subject ? read_boot(m, b, &m->metric[metric], value + at, &boot_sum) : 0;

		if (k < 2)
			continue;
		reps[n++] = k;
		at += k;
		ns += boot_sum;
		outside += boot_ns(m, b);
	}
	if (n) {
		variation_split(v, value, reps, n);
		v->rep_ns = ns / (double)at;
		v->boot_ns = outside / n;
		v->best = best_reps(v);
	}
	free(value);
	free(reps);
	return 0;
}
