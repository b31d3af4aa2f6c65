/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * variation: how much of a metric's spread lies within a boot and how much between boots, from the repetitions that tests keep (`fact reps=`,
 * docs/suite.md), of one subject. It tells how many boots a sweep wants, and whether more repetitions inside a boot would help.
 *
 * Kalibera and Jones, Rigorous benchmarking in reasonable time, 2013, two levels: S1^2 the mean of the variances within boots, S2^2 the variance
 * of the boots' means, r repetitions; T1^2 = S1^2, T2^2 = S2^2 - S1^2 / r, at least 0; the share of the boots (ICC) T2^2 / (T1^2 + T2^2); best
 * r = ceil(sqrt(c_boot / c_rep * T1^2 / T2^2)), c being what a boot and a repetition cost in time. Coefficients are over the grand mean.
 */
#ifndef KD_VARIATION_H
#define KD_VARIATION_H

#include "host/measure.h"

#define VARIATION_REPS_MAX 64   /* of a boot */
#define VARIATION_BEST_MAX 1000 /* more would help no more */

struct variation {
	unsigned boots; /* with two repetitions or more */
	double reps;    /* of a boot, the mean */
	double within;  /* coefficient of variation: sqrt(T1^2) / mean; NAN: unknown, as all below */
	double between; /* sqrt(T2^2) / mean: what boots add to it */
	double medians; /* of the metric itself, as `show --metrics` has it */
	double share;   /* ICC */
	double boot_ns; /* what a boot costs beside its tests, by the box's clock */
	double rep_ns;  /* what a repetition costs */
	unsigned best;  /* repetitions; 0 unknown */
};

/* Of a metric in a subject's boots. 0 or -ENOMEM. */
int variation_read(struct variation *v, const struct measure *m, size_t metric, unsigned subject);
/* Pure: the above from sums. reps values of each of n boots, one behind the other; every boot has at least two. */
void variation_split(struct variation *v, const double *value, const unsigned *reps, unsigned n);

#endif
