/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * stats_more: what stands around the rank test: moments, adjusted p values, quantiles, the least effect that could have been found.
 * Contract and sources in stats.h.
 */
#include <errno.h>
#include <math.h>
#include <stdlib.h>

#include "host/stats.h"

double stats_mean(const double *v, size_t n)
{
	double sum = 0;
	for (size_t i = 0; i < n; i++)
		sum += v[i] / (double)n;
	return n ? sum : NAN;
}

double stats_sd(const double *v, size_t n)
{
	double mean = stats_mean(v, n), sum = 0;
	if (n < 2)
		return NAN;
	for (size_t i = 0; i < n; i++)
		sum += (v[i] - mean) * (v[i] - mean);
	return sqrt(sum / (double)(n - 1));
}

double stats_cv(const double *v, size_t n)
{
	double mean = stats_mean(v, n);
	return n >= 2 && mean > 0 ? stats_sd(v, n) / mean : NAN;
}

/* ---- adjusted p values */

struct ranked {
	double p;
	size_t at;
};

static int by_p(const void *x, const void *y)
{
	const struct ranked *a = x, *b = y;
	int c = (a->p > b->p) - (a->p < b->p);
	return c ? c : (a->at > b->at) - (a->at < b->at);
}

/* The p values that are numbers, sorted; *m of them. NAN is copied through. NULL when out of memory. */
static struct ranked *rank_p(const double *p, size_t n, double *adj, size_t *m)
{
	struct ranked *r = malloc((n ? n : 1) * sizeof *r);
	*m = 0;
	if (!r)
		return NULL;
	for (size_t i = 0; i < n; i++) {
		if (isnan(p[i]))
			adj[i] = NAN;
		else
			r[(*m)++] = (struct ranked){p[i], i};
	}
	qsort(r, *m, sizeof *r, by_p);
	return r;
}

int stats_holm(const double *p, size_t n, double *adj)
{
	size_t m;
	struct ranked *r = rank_p(p, n, adj, &m);
	if (!r)
		return -ENOMEM;
	double least = 0; /* step down: never below the one before */
	for (size_t i = 0; i < m; i++) {
		double q = r[i].p * (double)(m - i);
		least = q > least ? q : least;
		adj[r[i].at] = least < 1 ? least : 1;
	}
	free(r);
	return 0;
}

int stats_bh(const double *p, size_t n, double *adj)
{
	size_t m;
	struct ranked *r = rank_p(p, n, adj, &m);
	if (!r)
		return -ENOMEM;
	double most = 1; /* step up: never above the one behind */
	for (size_t i = m; i-- > 0;) {
		double q = r[i].p * (double)m / (double)(i + 1);
		most = q < most ? q : most;
		adj[r[i].at] = most;
	}
	free(r);
	return 0;
}

/* ---- quantiles */

/* P(|T| <= t) for whole degrees of freedom, Abramowitz & Stegun 26.7.3 (odd) and 26.7.4 (even). */
static double t_within(double t, unsigned df)
{
	double theta = atan(t / sqrt(df)), c = cos(theta), term = df % 2 ? c : 1, sum = 0;
	for (unsigned k = df % 2 ? 3 : 2; k <= df; k += 2) {
		sum += term;
		term *= c * c * (double)(k - 1) / (double)k;
	}
	/* odd: 2/pi * (theta + sin * (cos + 2/3 cos^3 + ...)); even: sin * (1 + 1/2 cos^2 + ...) */
	return df % 2 ? M_2_PI * (theta + sin(theta) * sum) : sin(theta) * sum;
}

double stats_t_quantile(double p, unsigned df)
{
	double lo = 0, hi = 1e6;
	if (!(p > 0 && p < 1) || !df)
		return NAN;
	if (p < .5)
		return -stats_t_quantile(1 - p, df);
	for (int i = 0; i < 200 && lo < hi; i++) {
		double mid = (lo + hi) / 2;
		if (.5 + t_within(mid, df) / 2 < p)
			lo = mid;
		else
			hi = mid;
	}
	return (lo + hi) / 2;
}

double stats_normal_quantile(double p)
{
	double lo = -40, hi = 40;
	if (!(p > 0 && p < 1))
		return NAN;
	for (int i = 0; i < 200; i++) {
		double mid = (lo + hi) / 2;
		if (erfc(-mid / M_SQRT2) / 2 < p)
			lo = mid;
		else
			hi = mid;
	}
	return (lo + hi) / 2;
}

/* ---- the least effect */

/* Sum of squares of the logs about their mean; -EDOM unless all are > 0. */
static int log_squares(const double *v, size_t n, double *sum)
{
	double mean = 0;
	*sum = 0;
	for (size_t i = 0; i < n; i++) {
		if (!(v[i] > 0) || !isfinite(v[i]))
			return -EDOM;
		mean += log(v[i]) / (double)n;
	}
	for (size_t i = 0; i < n; i++)
		*sum += (log(v[i]) - mean) * (log(v[i]) - mean);
	return 0;
}

int stats_mde(const double *a, size_t na, const double *b, size_t nb, double alpha, double *log_ratio)
{
	double ssa, ssb, level;
	*log_ratio = NAN;
	if (!na || !nb)
		return -EINVAL;
	if (log_squares(a, na, &ssa) || log_squares(b, nb, &ssb))
		return -EDOM;
	if (stats_mwu_critical(na, nb, alpha, &level) < 0 || na + nb < 3)
		return 0;
	unsigned df = (unsigned)(na + nb - 2);
	double sd = sqrt((ssa + ssb) / df), spread = sqrt(1.0 / (double)na + 1.0 / (double)nb);
	*log_ratio = sd * (stats_t_quantile(1 - level / 2, df) + stats_t_quantile(.8, df)) * spread * sqrt(M_PI / 3);
	return 0;
}
