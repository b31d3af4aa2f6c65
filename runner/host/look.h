/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * look: what show --as asks of the boots of one subject and one test: values of metrics, and numbers out of the facts beside them.
 *
 * What a measured boot and an imported table say differently (facts `work=`, `cpu=` against `imported=`) is one question here. NAN: nothing says it.
 */
#ifndef KD_LOOK_H
#define KD_LOOK_H

#include <stddef.h>
#include <stdint.h>

#include "host/measure.h"

struct look {
	const struct measure *m;
	size_t test;
	unsigned subject;
	double *v; /* room for all boots */
};

/* Index of the test's metric; m->metrics: none. */
size_t look_metric(const struct look *l, const char *name);
/* Values into l->v; how many. */
size_t look_values(const struct look *l, const char *name);
double look_median(const struct look *l, const char *name);
/* Median over the boots of what `of` gives for one. */
double look_median_of(const struct look *l, double (*of)(const struct look *l, size_t boot, const char *name), const char *name);
/* The word under `key` in the first fact `what=name` of a boot, or "". */
const char *look_word(const struct look *l, size_t boot, const char *what, const char *name, const char *key);
/* How a test was run (facts `how=program`), from the subject's first boot that says so; 0 where none does. */
uint64_t look_how(const struct look *l, const char *program, const char *key);
/* The same for what is 0 or 1; -1 where none says it. */
int look_flag(const struct look *l, const char *program, const char *key);

/* Of a boot and a phase, for look_median_of. */
double look_cpu_percent(const struct look *l, size_t boot, const char *name); /* of one CPU: of the workers themselves where they said so */
double look_avg_ns(const struct look *l, size_t boot, const char *name);
double look_max_ns(const struct look *l, size_t boot, const char *name);
double look_over_2s(const struct look *l, size_t boot, const char *name); /* percent of the operations */
double look_over_10s(const struct look *l, size_t boot, const char *name);

#endif
