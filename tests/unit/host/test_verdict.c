/* SPDX-License-Identifier: GPL-2.0-or-later */
/* verdict: every word, the numbers of public reports, and how often the same kernel is called different. */
#include "../common/unit.h"

#include <errno.h>
#include <math.h>

#include "host/verdict.h"

#define ALPHA .05
#define TAU .03

/* A metric alone in its family. */
static struct verdict judge(const double *a, size_t na, const double *b, size_t nb, enum suite_better better, size_t family)
{
	struct verdict v;
	assert_int_equal(verdict_measure(&v, a, na, b, nb, ALPHA), 0);
	v.p_adj = fmin(1, v.test.p * (double)family);
	verdict_judge(&v, better, ALPHA, TAU, family);
	return v;
}

static void is(struct verdict v, enum verdict_id id) { assert_string_equal(verdict_name(v.id), verdict_name(id)); }

/* n values about `middle`, `spread` apart in all, even on logs. */
static void about(double *v, size_t n, double middle, double spread)
{
	for (size_t i = 0; i < n; i++)
		v[i] = middle * exp(spread * ((double)i / (double)(n - 1) - .5));
}

static void test_words(void **state)
{
	double a[6], b[6];
	(void)state;
	about(a, 6, 100, .01);
	about(b, 6, 112, .01);
	is(judge(a, 6, b, 6, SUITE_LOWER, 6), VERDICT_REGRESSION);
	is(judge(a, 6, b, 6, SUITE_HIGHER, 6), VERDICT_IMPROVEMENT);
	is(judge(b, 6, a, 6, SUITE_LOWER, 6), VERDICT_IMPROVEMENT);    /* swapped sides, swapped words */
	is(judge(a, 6, b, 6, SUITE_NEITHER, 6), VERDICT_INCONCLUSIVE); /* nothing is worse about it */
	about(b, 6, 103.2, .01);
	is(judge(a, 6, b, 6, SUITE_LOWER, 6), VERDICT_PROBABLE_REGRESSION);
	is(judge(a, 6, b, 6, SUITE_HIGHER, 6), VERDICT_PROBABLE_IMPROVEMENT);
	about(b, 6, 100, .01);
	struct verdict v = judge(a, 6, b, 6, SUITE_LOWER, 6);
	is(v, VERDICT_NO_CHANGE);
	assert_true(v.mde > 0 && v.mde < .02);
	about(b, 6, 101.6, .01);
	v = judge(a, 6, b, 6, SUITE_LOWER, 1);
	is(v, VERDICT_NO_CHANGE); /* proven, and too small to matter */
	assert_true(v.p_adj <= ALPHA);
}

static void test_inconclusive_says_how_many(void **state)
{
	double a[6], b[6];
	(void)state;
	about(a, 6, 100, .4);
	about(b, 6, 104, .4);
	struct verdict v = judge(a, 6, b, 6, SUITE_LOWER, 6);
	is(v, VERDICT_INCONCLUSIVE);
	double half = (log(v.shift.hi) - log(v.shift.lo)) / 2, t = log1p(TAU);
	assert_int_equal(v.more, (unsigned)ceil(6 * (half / t) * (half / t) - 6));
	assert_true(v.more > 20 && !v.too_few && !v.large);
	assert_true(v.mde > .1);
	about(a, 6, 100, 3);
	about(b, 6, 104, 3);
	assert_int_equal(judge(a, 6, b, 6, SUITE_LOWER, 6).more, VERDICT_MORE_MAX);
	about(a, 6, 100, .04); /* narrow, but at the threshold itself */
	about(b, 6, 101.6, .04);
	v = judge(a, 6, b, 6, SUITE_LOWER, 6);
	is(v, VERDICT_INCONCLUSIVE);
	assert_true(v.more > 0 && v.more < VERDICT_MORE_MAX);
}

/* schbench of 6.9 and 6.15, three runs each: all apart, and still p = .1. */
static void test_triplicates(void **state)
{
	static const double a[] = {2117400.22, 2143333.58, 2105387.47}, b[] = {1925521.90, 1970553.90, 1990727.87};
	(void)state;
	struct verdict v = judge(a, 3, b, 3, SUITE_HIGHER, 1);
	assert_true(fabs(v.test.p - .1) < 1e-12);
	is(v, VERDICT_INCONCLUSIVE);
	assert_true(v.too_few && v.more == 1);
	assert_true(fabs(v.shift.coverage - .9) < 1e-12);
	assert_true(isnan(v.mde));
}

/* rm -rf on a 486 in 2002, 75 and 72 s before, 157, 237 and 292 s after. */
static void test_486(void **state)
{
	static const double a[] = {75, 72}, b[] = {157, 237, 292};
	(void)state;
	struct verdict v = judge(a, 2, b, 3, SUITE_LOWER, 1);
	assert_true(fabs(v.test.p - .2) < 1e-12 && fabs(v.test.p_min - .2) < 1e-12);
	is(v, VERDICT_INCONCLUSIVE);
	assert_true(v.too_few && v.large && v.more == 2);
	assert_true(v.shift.ratio > 3.0 && v.shift.ratio < 3.3);
	assert_true(fabs(v.shift.coverage - .8) < 1e-12);
}

/* Too few is never the same, however alike they look. */
static void test_too_few(void **state)
{
	double a[6] = {100, 100, 100, 100, 100, 100};
	(void)state;
	for (size_t n = 0; n <= 3; n++) {
		struct verdict v = judge(a, n, a, n, SUITE_LOWER, 1);
		is(v, VERDICT_INCONCLUSIVE);
		assert_true(v.too_few && !v.large);
		assert_int_equal(v.more, n ? 4 - n : 0);
	}
	is(judge(a, 4, a, 4, SUITE_LOWER, 1), VERDICT_NO_CHANGE);
	is(judge(a, 6, a, 6, SUITE_LOWER, 1), VERDICT_NO_CHANGE);
	/* Holm: five boots reach for 6 metrics, not for 7; six for 23, not for 24. */
	assert_int_equal(judge(a, 5, a, 5, SUITE_LOWER, 6).too_few, 0);
	assert_int_equal(judge(a, 5, a, 5, SUITE_LOWER, 7).too_few, 1);
	assert_int_equal(judge(a, 5, a, 5, SUITE_LOWER, 7).more, 1);
	assert_int_equal(judge(a, 6, a, 6, SUITE_LOWER, 23).too_few, 0);
	assert_int_equal(judge(a, 6, a, 6, SUITE_LOWER, 24).too_few, 1);
}

static void test_strange_values(void **state)
{
	double zero[6] = {0, 0, 1, 0, 2, 0}, ones[6] = {1, 2, 3, 4, 5, 6}, bad[6] = {1, 2, 3, 4, 5, INFINITY}, huge[6], tiny[6];
	struct verdict v = judge(zero, 6, ones, 6, SUITE_LOWER, 1);
	(void)state;
	is(v, VERDICT_INCONCLUSIVE); /* no logs, no ratio: p stands */
	assert_true(isnan(v.shift.ratio) && v.test.p < .05 && isnan(v.mde));
	assert_int_equal(verdict_measure(&v, ones, 6, bad, 6, ALPHA), -EINVAL);
	about(huge, 6, 9e17, .01);
	about(tiny, 6, 1e-20, .01);
	is(judge(tiny, 6, huge, 6, SUITE_LOWER, 6), VERDICT_REGRESSION);
	assert_string_equal(verdict_name((enum verdict_id)0), "none");
	assert_string_equal(verdict_name((enum verdict_id)99), "none");
}

/* ---- the same kernel against itself */

static double uniform(uint32_t *seed) { return ((double)unit_random(seed) + .5) / 4294967296.0; }

static double normal(uint32_t *seed) /* Box & Muller */ { return sqrt(-2 * log(uniform(seed))) * cos(2 * M_PI * uniform(seed)); }

/* In how many of 2000 sweeps of `metrics` primaries anything is called different. */
static unsigned false_alarms(size_t n, size_t metrics, double cv, uint32_t seed)
{
	unsigned alarms = 0;
	for (int session = 0; session < 2000; session++) {
		struct verdict v[10];
		double p[10], adj[10], a[12], b[12];
		int called = 0;
		for (size_t k = 0; k < metrics; k++) {
			for (size_t i = 0; i < n; i++) {
				a[i] = 100 * exp(cv * normal(&seed));
				b[i] = 100 * exp(cv * normal(&seed));
			}
			assert_int_equal(verdict_measure(&v[k], a, n, b, n, ALPHA), 0);
			p[k] = v[k].test.p;
		}
		assert_int_equal(stats_holm(p, metrics, adj), 0);
		for (size_t k = 0; k < metrics; k++) {
			v[k].p_adj = adj[k];
			verdict_judge(&v[k], SUITE_LOWER, ALPHA, TAU, metrics);
			called |= v[k].id <= VERDICT_PROBABLE_IMPROVEMENT;
		}
		alarms += (unsigned)called;
	}
	return alarms;
}

static void test_same_against_same(void **state)
{
	(void)state;
	assert_true(false_alarms(6, 6, .05, 20260131) <= 120); /* 6 % */
	assert_true(false_alarms(5, 6, .05, 5) <= 120);
	assert_true(false_alarms(6, 1, .2, 99) <= 120);
	assert_int_equal(false_alarms(3, 6, .05, 1), 0);
}

/* ... and a real difference of 4 sd is found at the default design. */
static void test_power(void **state)
{
	uint32_t seed = 3;
	unsigned found = 0;
	(void)state;
	for (int session = 0; session < 500; session++) {
		double a[6], b[6];
		for (int i = 0; i < 6; i++) {
			a[i] = exp(.04 * normal(&seed));
			b[i] = exp(.04 * normal(&seed) + .16);
		}
		found += judge(a, 6, b, 6, SUITE_LOWER, 6).id <= VERDICT_PROBABLE_REGRESSION;
	}
	assert_true(found > 450);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_words),
		cmocka_unit_test(test_inconclusive_says_how_many),
		cmocka_unit_test(test_triplicates),
		cmocka_unit_test(test_486),
		cmocka_unit_test(test_too_few),
		cmocka_unit_test(test_strange_values),
		cmocka_unit_test(test_same_against_same),
		cmocka_unit_test(test_power),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
