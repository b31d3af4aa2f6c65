/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * stats: exact Mann-Whitney by counting, Hodges-Lehmann on logs. Contract in stats.h.
 *
 * How it counts: the distribution of b's rank sum over all C(N, nb) ways to name nb of N values "b" is built value by value (a subset-sum
 * count). Ranks are doubled, so that mid-ranks of ties are whole numbers. Counts are integers, exact up to C(50, 25) = 1.26e14.
 * Trap: with ties and na != nb the distribution is not symmetric; the smaller tail is doubled, as scipy's permutation test does.
 */
#include <errno.h>
#include <math.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "host/stats.h"

static int by_value(const void *x, const void *y)
{
	double a = *(const double *)x, b = *(const double *)y;
	return (a > b) - (a < b);
}

static int are_finite(const double *v, size_t n)
{
	for (size_t i = 0; i < n; i++)
		if (!isfinite(v[i]))
			return 0;
	return n > 0;
}

/* A sorted copy of a, then b (nb may be 0); NULL when out of memory. */
static double *sorted(const double *a, size_t na, const double *b, size_t nb)
{
	double *v = malloc((na + nb) * sizeof *v);
	if (!v)
		return NULL;
	memcpy(v, a, na * sizeof *v);
	if (nb)
		memcpy(v + na, b, nb * sizeof *v);
	qsort(v, na + nb, sizeof *v, by_value);
	return v;
}

/* Twice the mid-rank of x among the sorted v. */
static unsigned rank2(const double *v, size_t n, double x)
{
	size_t below = 0, equal = 0;
	for (size_t i = 0; i < n; i++) {
		below += v[i] < x;
		equal += v[i] == x;
	}
	return (unsigned)(2 * below + equal + 1);
}

/* count[s]: in how many ways k of the n doubled ranks sum up to s, for s of 0..most. malloc'd; NULL when out of memory. */
static uint64_t *count_sums(const unsigned *rank, size_t n, size_t k, size_t *most)
{
	size_t top = 0;
	for (size_t i = 0; i < n; i++)
		top += rank[i];
	uint64_t *ways = calloc((k + 1) * (top + 1), sizeof *ways);
	if (!ways)
		return NULL;
	ways[0] = 1;
	for (size_t i = 0, sum = 0; i < n; i++) {
		sum += rank[i];
		for (size_t j = i + 1 < k ? i + 1 : k; j > 0; j--)
			for (size_t s = sum; s >= rank[i]; s--)
				ways[j * (top + 1) + s] += ways[(j - 1) * (top + 1) + s - rank[i]];
	}
	memmove(ways, ways + k * (top + 1), (top + 1) * sizeof *ways);
	*most = top;
	return ways;
}

/* Twice the smaller tail at `at`, at most 1. */
static double two_sided(const uint64_t *count, size_t most, size_t at)
{
	uint64_t low = 0, high = 0, all = 0;
	for (size_t s = 0; s <= most; s++) {
		all += count[s];
		low += s <= at ? count[s] : 0;
		high += s >= at ? count[s] : 0;
	}
	double p = 2.0 * (double)(low < high ? low : high) / (double)all;
	return p < 1 ? p : 1;
}

static int exact_p(const double *v, size_t n, const double *b, size_t nb, double *p)
{
	unsigned rank[STATS_EXACT_MAX];
	size_t most, at = 0;
	for (size_t i = 0; i < n; i++)
		rank[i] = rank2(v, n, v[i]);
	for (size_t i = 0; i < nb; i++)
		at += rank2(v, n, b[i]);
	uint64_t *count = count_sums(rank, n, nb, &most);
	if (!count)
		return -ENOMEM;
	*p = two_sided(count, most, at);
	free(count);
	return 0;
}

/* Lehmann 1975, 1.4: variance of U with ties; continuity correction of a half. */
static double normal_p(const double *v, size_t na, size_t nb, double u)
{
	double n = (double)(na + nb), pairs = (double)na * (double)nb, ties = 0;
	for (size_t i = 0, j; i < na + nb; i = j) {
		for (j = i; j < na + nb && v[j] == v[i]; j++)
			;
		double t = (double)(j - i);
		ties += t * t * t - t;
	}
	double var = pairs / 12 * (n + 1 - ties / (n * (n - 1)));
	double away = fabs(u - pairs / 2) - .5;
	if (var <= 0 || away <= 0)
		return 1;
	return erfc(away / sqrt(var) / sqrt(2));
}

int stats_mwu(const double *a, size_t na, const double *b, size_t nb, struct stats_test *out)
{
	if (!are_finite(a, na) || !are_finite(b, nb))
		return -EINVAL;
	double *v = sorted(a, na, b, nb);
	if (!v)
		return -ENOMEM;
	int rc = 0;
	out->u = 0;
	for (size_t i = 0; i < na; i++)
		for (size_t j = 0; j < nb; j++)
			out->u += b[j] > a[i] ? 1 : b[j] == a[i] ? .5 : 0;
	out->p_min = stats_mwu_p_min(na, nb);
	out->method = na + nb <= STATS_EXACT_MAX ? STATS_EXACT : STATS_NORMAL;
	if (out->method == STATS_EXACT)
		rc = exact_p(v, na + nb, b, nb, &out->p);
	else
		out->p = normal_p(v, na, nb, out->u);
	free(v);
	return rc;
}

double stats_mwu_p_min(size_t na, size_t nb)
{
	double ways = 1; /* C(na + nb, na) */
	for (size_t i = 1; i <= na; i++)
		ways *= (double)(nb + i) / (double)i;
	return ways > 2 ? 2 / ways : 1;
}

static long critical_exact(size_t na, size_t nb, double alpha, double *actual)
{
	unsigned rank[STATS_EXACT_MAX];
	size_t most, least = nb * (nb + 1);
	uint64_t low = 0, all = 0;
	long u = -1;
	for (size_t i = 0; i < na + nb; i++)
		rank[i] = (unsigned)(2 * (i + 1));
	uint64_t *count = count_sums(rank, na + nb, nb, &most);
	if (!count)
		return -1;
	for (size_t s = 0; s <= most; s++)
		all += count[s];
	*actual = stats_mwu_p_min(na, nb);
	for (size_t s = least; s <= most; s += 2) {
		low += count[s];
		/* The counts are exact: the margin is for alpha, which is not. */
		if (2.0 * (double)low / (double)all > alpha * (1 + 1e-12))
			break;
		u = (long)(s - least) / 2;
		*actual = 2.0 * (double)low / (double)all;
	}
	free(count);
	return u;
}

long stats_mwu_critical(size_t na, size_t nb, double alpha, double *actual)
{
	if (!na || !nb) {
		*actual = 1;
		return -1;
	}
	if (na + nb <= STATS_EXACT_MAX)
		return critical_exact(na, nb, alpha, actual);
	double pairs = (double)na * (double)nb, sd = sqrt(pairs * (double)(na + nb + 1) / 12);
	double u = floor(pairs / 2 - .5 - stats_normal_quantile(1 - alpha / 2) * sd);
	*actual = u < 0 ? 1 : erfc((pairs / 2 - u - .5) / sd / sqrt(2));
	return u < 0 ? -1 : (long)u;
}

int stats_shift(const double *a, size_t na, const double *b, size_t nb, double alpha, struct stats_shift *out)
{
	double actual;
	if (!are_finite(a, na) || !are_finite(b, nb) || nb > SIZE_MAX / sizeof(double) / na)
		return -EINVAL;
	double *d = malloc(na * nb * sizeof *d);
	if (!d)
		return -ENOMEM;
	int rc = 0;
	for (size_t i = 0; i < na && !rc; i++)
		for (size_t j = 0; j < nb && !rc; j++) {
			rc = a[i] > 0 && b[j] > 0 ? 0 : -EDOM;
			d[i * nb + j] = rc ? 0 : log(b[j]) - log(a[i]);
		}
	if (!rc) {
		qsort(d, na * nb, sizeof *d, by_value);
		long u = stats_mwu_critical(na, nb, alpha, &actual);
		size_t skip = u < 0 ? 0 : (size_t)u + 1; /* D_(u+1) .. D_(na*nb-u) of 1..na*nb; without a critical U, all */
		size_t first = skip ? skip - 1 : 0;
		out->ratio = exp(stats_median(d, na * nb));
		out->lo = exp(d[first]);
		out->hi = exp(d[na * nb - 1 - first]);
		out->coverage = 1 - actual;
		out->method = na + nb <= STATS_EXACT_MAX ? STATS_EXACT : STATS_NORMAL;
	}
	free(d);
	return rc;
}

double stats_median(const double *v, size_t n)
{
	double *s = n ? sorted(v, n, NULL, 0) : NULL;
	if (!s)
		return NAN;
	double m = n % 2 ? s[n / 2] : s[n / 2 - 1] / 2 + s[n / 2] / 2;
	free(s);
	return m;
}
