/* SPDX-License-Identifier: GPL-2.0-or-later */
/* variation: a spread with known parts is taken apart; what cannot be believed counts for nothing. */
#include "results_fixture.h"

#include <math.h>

#include "host/variation.h"

static void near(double a, double b) { assert_true(fabs(a - b) < 1e-9); }

static void test_parts_of_a_spread(void **state)
{
	/* boots at 90, 100, 110 with repetitions 2 around each: S1^2 = 8, S2^2 = 100, r = 2 */
	static const double v[] = {88, 92, 98, 102, 108, 112};
	static const unsigned reps[] = {2, 2, 2};
	struct variation x = {0};
	(void)state;
	variation_split(&x, v, reps, 3);
	near(x.within, sqrt(8) / 100);
	near(x.between, sqrt(96) / 100);
	near(x.share, 96.0 / 104);
	near(x.reps, 2);
	assert_int_equal(x.boots, 3);
}

static void test_boots_that_add_nothing(void **state)
{
	static const double v[] = {90, 110, 90, 110, 110, 90};
	static const unsigned reps[] = {2, 4};
	struct variation x = {0};
	(void)state;
	variation_split(&x, v, reps, 2);
	near(x.between, 0); /* never the root of what is below 0 */
	near(x.share, 0);
	variation_split(&x, v, reps, 1);
	assert_true(isnan(x.between) && isnan(x.share));
	assert_true(x.within > 0);
	variation_split(&x, v, reps, 0);
	assert_true(isnan(x.within));
}

static void boot(struct fx *f, unsigned line, const char *a, const char *b)
{
	char end[64];
	unsigned n = 3 + (a != NULL) + (b != NULL);
	fx_record(f, line, "begin", "test=t0");
	if (a)
		fx_record(f, line, "fact", a);
	if (b)
		fx_record(f, line, "fact", b);
	fx_record(f, line, "metric", "test=t0 name=m v=100");
	snprintf(end, sizeof end, "test=t0 records=%u status=pass ns=1000000", n);
	fx_record(f, line, "end", end);
	fx_state(f, line, JOURNAL_COMPLETE, NULL);
}

static void test_from_records(void **state)
{
	struct fx f;
	struct variation x;
	(void)state;
	fx_init(&f, 1, 4, 1);
	boot(&f, 1, "test=t0 reps=m i=1 v=10,20,30 ns=1,1,1", "test=t0 reps=m i=4 v=40 ns=1");
	boot(&f, 2, "test=t0 reps=m i=1 v=20,30,40 ns=1,1,1", "test=t0 reps=other i=1 v=1,9 ns=1,1");
	boot(&f, 3, "test=t0 reps=m i=1 v=10,x ns=1,1", NULL); /* no number */
	boot(&f, 4, "test=t0 reps=m i=1 v=10,20 ns=1", NULL);  /* fewer times than values */
	fx_measure(&f);
	assert_int_equal(variation_read(&x, &f.m, 0, 0), 0);
	assert_int_equal(x.boots, 2);
	near(x.reps, 3.5);
	near(x.within, sqrt((500.0 / 3 + 100) / 2) / 27.5);
	near(x.rep_ns, 1);
	near(x.medians, 0);
	assert_true(x.best >= 1);
	fx_free(&f);
}

static void test_without_repetitions(void **state)
{
	struct fx f;
	struct variation x;
	(void)state;
	fx_init(&f, 1, 2, 1);
	boot(&f, 1, NULL, NULL);
	boot(&f, 2, "test=t0 reps=m i=1 v=5 ns=0", NULL);
	fx_measure(&f);
	assert_int_equal(variation_read(&x, &f.m, 0, 0), 0);
	assert_int_equal(x.boots, 0);
	assert_int_equal(x.best, 0);
	assert_true(isnan(x.within) && isnan(x.share));
	near(x.medians, 0);
	fx_free(&f);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_parts_of_a_spread),
		cmocka_unit_test(test_boots_that_add_nothing),
		cmocka_unit_test(test_from_records),
		cmocka_unit_test(test_without_repetitions),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
