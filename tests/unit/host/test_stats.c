/* SPDX-License-Identifier: GPL-2.0-or-later */
/* stats: against scipy and R's conventions (tests/fixtures/stats), against the small-sample table, and against itself. */
#include "../common/unit.h"

#include <errno.h>
#include <math.h>

#include "host/stats.h"

#define N_MAX 64

static void near(double got, double want, double tolerance)
{
	if (isnan(got) || fabs(got - want) > tolerance * (1 + fabs(want)))
		fail_msg("got %.17g, wanted %.17g", got, want);
}

/* ---- the reference */

static size_t read_numbers(const char *s, double *v)
{
	char *end;
	size_t n = 0;
	for (double x = strtod(s, &end); end != s; x = strtod(s, &end)) {
		assert_true(n < N_MAX);
		v[n++] = x;
		s = end;
	}
	return n;
}

static void check_adjusted(const char *line, int (*adjust)(const double *, size_t, double *))
{
	double v[N_MAX], adj[N_MAX];
	size_t n = read_numbers(line, v), m = (size_t)v[0];
	assert_int_equal(n, 1 + 2 * m);
	assert_int_equal(adjust(v + 1, m, adj), 0);
	for (size_t i = 0; i < m; i++)
		near(adj[i], v[1 + m + i], 1e-12);
}

struct reference {
	double a[N_MAX], b[N_MAX];
	size_t na, nb;
	struct stats_test t;
	struct stats_shift s;
};

/* One line of a case; the results are kept in r. 0 if it is not of a case. */
static int check_case(struct reference *r, const char *line)
{
	double v[N_MAX];
	if (!strncmp(line, "a ", 2)) {
		r->na = read_numbers(line + 2, r->a);
	} else if (!strncmp(line, "b ", 2)) {
		r->nb = read_numbers(line + 2, r->b);
		assert_int_equal(stats_mwu(r->a, r->na, r->b, r->nb, &r->t), 0);
		assert_int_equal(stats_shift(r->a, r->na, r->b, r->nb, .05, &r->s), 0);
		assert_int_equal(r->t.method, r->na + r->nb <= 50 ? STATS_EXACT : STATS_NORMAL);
	} else if (!strncmp(line, "u ", 2)) {
		near(r->t.u, strtod(line + 2, NULL), 1e-12);
	} else if (!strncmp(line, "p ", 2)) {
		near(r->t.p, strtod(line + 2, NULL), r->t.method == STATS_EXACT ? 1e-12 : 1e-9);
	} else if (!strncmp(line, "median ", 7)) {
		read_numbers(line + 7, v);
		near(stats_median(r->a, r->na), v[0], 1e-12);
		near(stats_median(r->b, r->nb), v[1], 1e-12);
	} else if (!strncmp(line, "shift ", 6)) {
		read_numbers(line + 6, v);
		near(r->s.ratio, v[0], 1e-12);
		near(r->s.lo, v[1], 1e-12);
		near(r->s.hi, v[2], 1e-12);
		near(r->s.coverage, v[3], 1e-12);
	} else {
		return 0;
	}
	return 1;
}

static void test_reference(void **state)
{
	char line[4096];
	struct reference r;
	double v[N_MAX];
	unsigned cases = 0, others = 0;
	(void)state;
	FILE *f = fopen("tests/fixtures/stats/reference.txt", "r");
	assert_non_null(f);
	while (fgets(line, sizeof line, f)) {
		if (check_case(&r, line) || *line == '#')
			continue;
		if (!strncmp(line, "case ", 5)) {
			cases++;
			continue;
		}
		others++;
		if (!strncmp(line, "holm ", 5)) {
			check_adjusted(line + 5, stats_holm);
		} else if (!strncmp(line, "bh ", 3)) {
			check_adjusted(line + 3, stats_bh);
		} else if (!strncmp(line, "t ", 2)) {
			read_numbers(line + 2, v);
			near(stats_t_quantile(v[0], (unsigned)v[1]), v[2], 1e-8); /* as far as scipy goes */
		} else if (!strncmp(line, "normal ", 7)) {
			read_numbers(line + 7, v);
			near(stats_normal_quantile(v[0]), v[1], 1e-9);
		} else {
			fail_msg("unknown line: %s", line);
		}
	}
	fclose(f);
	assert_true(cases >= 50 && others >= 70);
}

/* ---- the small-sample table: least p, critical U and its p at .05, critical U at .01 */

static void test_table(void **state)
{
	static const struct {
		size_t n;
		double p_min;
		long u5;
		double p5;
		long u1;
	} row[] = {
		{2, .3333, -1, 0, -1},       {3, .1, -1, 0, -1},          {4, .0286, 0, .0286, -1},  {5, .0079, 2, .0317, 0},
		{6, .0022, 5, .0411, 2},     {7, .00058, 8, .0379, 4},    {8, .00016, 13, .0499, 7}, {9, 4.1e-5, 17, .0400, 11},
		{10, 1.1e-5, 23, .0433, 16}, {12, 7.4e-7, 37, .0449, 27},
	};
	(void)state;
	for (size_t i = 0; i < sizeof row / sizeof *row; i++) {
		double p, n = row[i].n;
		near(stats_mwu_p_min(row[i].n, row[i].n) / row[i].p_min, 1, .02);
		assert_int_equal(stats_mwu_critical(row[i].n, row[i].n, .05, &p), row[i].u5);
		near(p, row[i].u5 < 0 ? stats_mwu_p_min(row[i].n, row[i].n) : row[i].p5, 6e-5);
		assert_int_equal(stats_mwu_critical(row[i].n, row[i].n, .01, &p), row[i].u1);
		assert_true(n >= 2);
	}
	near(stats_mwu_p_min(3, 5), .0357, 6e-5);
	near(stats_mwu_p_min(3, 8), .0121, 6e-5);
	near(stats_mwu_p_min(4, 6), .0095, 6e-5);
	near(stats_mwu_p_min(4, 8), .0040, 6e-5);
}

/* b as 1..n against a shifted so that exactly u pairs are the other way round. */
static void test_ladder(void **state)
{
	static const double n5[] = {.0079, .0159, .0317, .0556, .0952}, n4[] = {.0286, .0571, .1143};
	(void)state;
	for (size_t u = 0; u < 5; u++) {
		double a[5] = {1, 2, 3, 4, 5}, b[5] = {6, 7, 8, 9, 10};
		struct stats_test t;
		b[0] = 5.5 - (double)u; /* below u of a */
		assert_int_equal(stats_mwu(a, 5, b, 5, &t), 0);
		near(t.u, 25 - (double)u, 1e-12);
		near(t.p, n5[u], 6e-5);
		b[0] = 4.5 - (double)u;
		if (u < 3 && !stats_mwu(a, 4, b, 4, &t))
			near(t.p, n4[u], 6e-5);
	}
}

static void test_ties(void **state)
{
	double same[6] = {5, 5, 5, 5, 5, 5}, a[3] = {1, 1, 2}, b[3] = {2, 3, 3};
	struct stats_test t;
	struct stats_shift s;
	(void)state;
	assert_int_equal(stats_mwu(same, 6, same, 6, &t), 0);
	near(t.p, 1, 0);
	near(t.u, 18, 0);
	assert_int_equal(stats_shift(same, 6, same, 6, .05, &s), 0);
	near(s.lo, 1, 0);
	near(s.hi, 1, 0);
	assert_int_equal(stats_mwu(a, 3, b, 3, &t), 0);
	near(t.p, .2, 1e-12); /* mid-ranks 1.5 1.5 3.5 | 3.5 5.5 5.5: two of the 20 splits, {1 1 2} twice */
}

static void test_symmetry(void **state)
{
	uint32_t seed = 7;
	(void)state;
	for (int k = 0; k < 200; k++) {
		double a[9], b[9];
		size_t na = 1 + unit_random(&seed) % 9, nb = 1 + unit_random(&seed) % 9;
		struct stats_test x, y;
		struct stats_shift s, r;
		for (size_t i = 0; i < 9; i++) {
			a[i] = 1 + unit_random(&seed) % 12;
			b[i] = 1 + unit_random(&seed) % 12;
		}
		assert_int_equal(stats_mwu(a, na, b, nb, &x), 0);
		assert_int_equal(stats_mwu(b, nb, a, na, &y), 0);
		near(x.p, y.p, 1e-12);
		near(x.u + y.u, (double)(na * nb), 1e-12);
		assert_true(x.p > 0 && x.p <= 1);
		assert_int_equal(stats_shift(a, na, b, nb, .05, &s), 0);
		assert_int_equal(stats_shift(b, nb, a, na, .05, &r), 0);
		near(s.ratio * r.ratio, 1, 1e-12);
		near(s.lo * r.hi, 1, 1e-12);
		assert_true(s.lo <= s.ratio && s.ratio <= s.hi);
	}
}

static void test_beyond_exact(void **state)
{
	double a[40], b[40];
	struct stats_test t;
	struct stats_shift s;
	(void)state;
	for (int i = 0; i < 40; i++) {
		a[i] = 100 + i;
		b[i] = 120.5 + i;
	}
	assert_int_equal(stats_mwu(a, 40, b, 40, &t), 0);
	assert_int_equal(t.method, STATS_NORMAL);
	assert_true(t.p > 0 && t.p < 1e-5);
	assert_int_equal(stats_shift(a, 40, b, 40, .05, &s), 0);
	assert_int_equal(s.method, STATS_NORMAL);
	assert_true(s.coverage >= .95 && s.coverage < .96);
	double p;
	long u = stats_mwu_critical(25, 25, .05, &p), v = stats_mwu_critical(26, 25, .05, &p);
	assert_true(u == 211 && v > u && v < 225); /* 211: tables of Mann & Whitney */
}

static void test_refused(void **state)
{
	double ok[2] = {1, 2}, bad[2] = {1, NAN}, inf[2] = {1, INFINITY}, zero[2] = {0, 1}, mde;
	struct stats_test t;
	struct stats_shift s;
	(void)state;
	assert_int_equal(stats_mwu(ok, 2, bad, 2, &t), -EINVAL);
	assert_int_equal(stats_mwu(inf, 2, ok, 2, &t), -EINVAL);
	assert_int_equal(stats_mwu(ok, 0, ok, 2, &t), -EINVAL);
	assert_int_equal(stats_shift(ok, 2, zero, 2, .05, &s), -EDOM);
	assert_int_equal(stats_mde(ok, 2, zero, 2, .05, &mde), -EDOM);
	assert_true(isnan(stats_median(ok, 0)));
	assert_true(isnan(stats_cv(ok, 1)));
	assert_true(isnan(stats_t_quantile(.5, 0)) && isnan(stats_t_quantile(1, 3)) && isnan(stats_normal_quantile(0)));
}

static void test_moments(void **state)
{
	double v[3] = {157, 237, 292}, even[4] = {4, 1, 3, 2};
	(void)state;
	near(stats_mean(v, 3), 228.6667, 1e-6);
	near(stats_sd(v, 3), 67.9, 1e-3);
	near(stats_cv(v, 3), .297, 1e-3);
	near(stats_median(even, 4), 2.5, 0);
}

/* Holm can reject at n = 5 for at most 6 metrics, at n = 6 for at most 23. */
static void test_holm_reach(void **state)
{
	double p[24], adj[24];
	(void)state;
	for (size_t m = 1; m <= 24; m++) {
		for (size_t i = 0; i < m; i++)
			p[i] = i ? 1 : stats_mwu_p_min(5, 5);
		assert_int_equal(stats_holm(p, m, adj), 0);
		assert_int_equal(adj[0] <= .05, m <= 6);
		p[0] = stats_mwu_p_min(6, 6);
		assert_int_equal(stats_holm(p, m, adj), 0);
		assert_int_equal(adj[0] <= .05, m <= 23);
	}
	p[0] = NAN;
	p[1] = .03;
	assert_int_equal(stats_holm(p, 2, adj), 0); /* what is no number is not counted */
	assert_true(isnan(adj[0]));
	near(adj[1], .03, 1e-12);
	assert_int_equal(stats_holm(p, 0, adj), 0);
}

/* Simulated least effects in units of the boots' sd, at 80 % power. */
static void test_mde(void **state)
{
	static const struct {
		size_t n;
		double want;
	} row[] = {{4, 2.87}, {5, 2.32}, {6, 1.92}, {8, 1.55}, {10, 1.39}, {12, 1.25}};
	double a[12], b[12], mde;
	(void)state;
	for (size_t k = 0; k < sizeof row / sizeof *row; k++) {
		size_t n = row[k].n;
		double sd = .01 * sqrt((double)n / (double)(n - 1));
		for (size_t i = 0; i < n; i++) /* half up, half down: sd of the logs is .01 * sqrt(n / (n - 1)) when n is even */
			a[i] = b[i] = exp(i % 2 ? .01 : -.01);
		if (n % 2) {
			a[n - 1] = b[n - 1] = 1;
			sd = .01;
		}
		assert_int_equal(stats_mde(a, n, b, n, .05, &mde), 0);
		near(mde / sd / row[k].want, 1, .06 / 2);
	}
	assert_int_equal(stats_mde(a, 3, b, 3, .05, &mde), 0);
	assert_true(isnan(mde)); /* three against three can prove nothing */
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_reference), cmocka_unit_test(test_table),    cmocka_unit_test(test_ladder),
		cmocka_unit_test(test_ties),      cmocka_unit_test(test_symmetry), cmocka_unit_test(test_beyond_exact),
		cmocka_unit_test(test_refused),   cmocka_unit_test(test_moments),  cmocka_unit_test(test_holm_reach),
		cmocka_unit_test(test_mde),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
