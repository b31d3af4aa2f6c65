/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * stats: the rank tests that verdicts stand on, and their few quantiles. Pure over arrays of doubles; the boot is the unit, one value a
 * boot. Sources: Mann & Whitney 1947 (U); Hodges & Lehmann 1963, Lehmann 1975 ch. 2 (shift and its interval); Holm 1979; Benjamini &
 * Hochberg 1995. Checked against scipy and R's conventions in tests/fixtures/stats. Never built with -ffast-math.
 *
 * All functions want finite values; -EINVAL otherwise, and for empty samples.
 */
#ifndef KD_STATS_H
#define KD_STATS_H

#include <stddef.h>

#define STATS_EXACT_MAX 50 /* na + nb up to which the permutation distribution is counted out; C(50,25) fits a uint64_t */

enum stats_method { STATS_EXACT = 1, STATS_NORMAL };

struct stats_test {
	double u;     /* pairs with b > a, equal ones counted half */
	double p;     /* two-sided: twice the smaller tail, at most 1 */
	double p_min; /* the least that samples of these sizes can give when nothing is tied */
	enum stats_method method;
};

/* Two-sided Mann-Whitney of b against a: every permutation of the mid-ranks counted, so exact with ties too. Beyond STATS_EXACT_MAX
 * the normal approximation with tie and continuity correction, and method says so. */
int stats_mwu(const double *a, size_t na, const double *b, size_t nb, struct stats_test *out);
/* The least p, 2 / C(na + nb, na), at most 1. */
double stats_mwu_p_min(size_t na, size_t nb);
/* The greatest U at which the test without ties rejects at alpha, and its p in *actual; -1 where none does (*actual is then p_min). */
long stats_mwu_critical(size_t na, size_t nb, double alpha, double *actual);

struct stats_shift {
	double ratio, lo, hi; /* b / a */
	double coverage;      /* of [lo, hi]: 1 - alpha or more; less where so few values cannot give it, and the interval is all the ratios */
	enum stats_method method;
};

/* Hodges-Lehmann on logs: the median of the na * nb ratios b / a, and those at the critical U as its interval. -EDOM unless all are > 0. */
int stats_shift(const double *a, size_t na, const double *b, size_t nb, double alpha, struct stats_shift *out);

double stats_median(const double *v, size_t n); /* NAN when n is 0 */
double stats_mean(const double *v, size_t n);
double stats_sd(const double *v, size_t n); /* n - 1; NAN below 2 */
double stats_cv(const double *v, size_t n); /* sd / mean; NAN where that means nothing */

/* Adjusted p in the order given; NAN stays NAN and is not counted. adj may be p. -ENOMEM. */
int stats_holm(const double *p, size_t n, double *adj);
int stats_bh(const double *p, size_t n, double *adj);

/* Quantiles, by bisection of the distribution function: Student's t (df >= 1; Abramowitz & Stegun 26.7.3-4) and normal (erfc). */
double stats_t_quantile(double p, unsigned df);
double stats_normal_quantile(double p);

/*
 * The least shift, as |log ratio|, that the test would find with 80 % power: pooled sd of logs * (t(1 - a/2) + t(.8)) * sqrt(1/na + 1/nb)
 * * sqrt(pi/3), where a is the level that the exact test really has at these sizes, and pi/3 is what ranks cost against t on normal noise.
 * Within 6 % of simulations for n of 4 to 12. NAN where no p reaches alpha. -EDOM unless all are > 0.
 */
int stats_mde(const double *a, size_t na, const double *b, size_t nb, double alpha, double *log_ratio);

#endif
