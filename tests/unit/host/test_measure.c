/* SPDX-License-Identifier: GPL-2.0-or-later */
/* measure: which values count, and that all others are counted by reason and never believed. */
#include "results_fixture.h"

#include <math.h>

static size_t values(struct fx *f, unsigned subject, double *v) { return measure_values(&f->m, 0, subject, NULL, v); }

static void test_one_value_a_boot(void **state)
{
	struct fx f;
	double v[8];
	(void)state;
	fx_init(&f, 2, 3, 2);
	for (unsigned l = 1; l <= 6; l++) {
		fx_hello(&f, l, "chain");
		fx_value(&f, l, 0, 100 + l);
		fx_test(&f, l, 1, "pass", "name=x v=2000 ns=1000000000");
	}
	fx_measure(&f);
	assert_int_equal(f.m.metrics, 4);
	assert_int_equal(values(&f, 1, v), 3);
	assert_true(v[0] == 102 && v[1] == 104 && v[2] == 106);
	assert_int_equal(measure_values(&f.m, 3, 0, NULL, v), 3); /* t1 x */
	assert_true(v[0] == 2000);
	assert_int_equal(measure_values(&f.m, 2, 0, NULL, v), 0); /* t1 m: did not come */
	assert_int_equal(measure_values(&f.m, 0, 0, "via-home", v), 0);
	assert_int_equal(f.m.subject[0].complete, 3);
	assert_int_equal(f.m.subject[0].lost + f.m.subject[0].pending, 0);
	fx_free(&f);
}

static void test_which_try_counts(void **state)
{
	struct fx f;
	double v[8];
	(void)state;
	fx_init(&f, 1, 6, 1);
	for (unsigned l = 1; l <= 6; l++)
		fx_value(&f, l, 0, 100 + l);
	f.try[0].discard = 1;
	f.try[2].boot = 2; /* line 3 repeats line 2, which failed */
	fx_state(&f, 2, JOURNAL_FAILED, "hang");
	f.try[4].boot = 4; /* line 5 repeats line 4, and both are complete: the first counts */
	fx_state(&f, 6, JOURNAL_COMPLETE, NULL);
	fx_state(&f, 6, JOURNAL_VOID, NULL);
	fx_measure(&f);
	assert_int_equal(values(&f, 0, v), 2);
	assert_true(v[0] == 103 && v[1] == 104);
	assert_int_equal(f.m.discarded, 1);
	assert_int_equal(f.m.subject[0].boots, 3);
	assert_int_equal(f.m.subject[0].failed_tries, 1);
	assert_string_equal(f.m.subject[0].failure, "hang");
	assert_int_equal(f.m.subject[0].pending, 1); /* the void one is to be replaced */
	fx_free(&f);
}

static void test_lost_boots(void **state)
{
	struct fx f;
	(void)state;
	fx_init(&f, 2, 3, 1);
	f.try[2].boot = f.try[4].boot = 1; /* subject 0: one boot, three tries */
	for (unsigned l = 1; l <= 5; l += 2)
		fx_state(&f, l, JOURNAL_FAILED, l == 3 ? "panic" : "hang");
	fx_measure(&f);
	assert_int_equal(f.m.subject[0].boots, 1);
	assert_int_equal(f.m.subject[0].lost, 1);
	assert_string_equal(f.m.subject[0].failure, "panic"); /* ranks before hang */
	assert_int_equal(f.m.subject[1].complete, 3);
	assert_null(f.m.boot[0].record); /* complete, but nothing collected */
	fx_free(&f);
}

/* The discarded boot cost it all its tries: nothing of it is measured, and yet it is why. */
static void test_lost_in_the_discarded_boot(void **state)
{
	struct fx f;
	(void)state;
	fx_init(&f, 2, 4, 1);
	f.try[2].boot = f.try[4].boot = 1;
	for (unsigned l = 1; l <= 5; l += 2) {
		f.try[l - 1].discard = 1;
		fx_state(&f, l, JOURNAL_FAILED, "panic");
	}
	fx_state(&f, 7, JOURNAL_VOID, NULL);
	fx_measure(&f);
	assert_int_equal(f.m.subject[0].boots, 1);
	assert_int_equal(f.m.subject[0].lost, 1);
	assert_int_equal(f.m.subject[0].quarantined, 1);
	assert_int_equal(f.m.subject[0].failed_tries, 3);
	assert_string_equal(f.m.subject[0].failure, "panic");
	fx_free(&f);
}

static void test_whole_tests_only(void **state)
{
	struct fx f;
	double v[8];
	(void)state;
	fx_init(&f, 1, 8, 1);
	fx_value(&f, 1, 0, 1);
	fx_record(&f, 2, "begin", "test=t0"); /* a record between begin and end is missing */
	f.seq[2]++;
	fx_record(&f, 2, "metric", "test=t0 name=m v=2");
	fx_record(&f, 2, "end", "test=t0 status=pass records=3");
	fx_record(&f, 3, "begin", "test=t0"); /* `end` has counted more */
	fx_record(&f, 3, "metric", "test=t0 name=m v=3");
	fx_record(&f, 3, "end", "test=t0 status=pass records=4");
	fx_record(&f, 4, "begin", "test=t0"); /* never ended */
	fx_record(&f, 4, "metric", "test=t0 name=m v=4");
	fx_value(&f, 5, 0, 5); /* ran twice */
	fx_value(&f, 5, 0, 5);
	fx_record(&f, 6, "begin", "test=t0"); /* two channels disagree */
	fx_record(&f, 6, "metric", "test=t0 name=m v=6")->ch = STORE_DIFFER;
	fx_record(&f, 6, "end", "test=t0 status=pass records=3");
	fx_test(&f, 7, 0, "fail", "name=m v=7");
	fx_record(&f, 8, "begin", "test=t0"); /* a kernel message in between is no record of the test */
	fx_record(&f, 8, "kmsg", "lvl=4 msg=x");
	fx_record(&f, 8, "metric", "test=t0 name=m v=8");
	fx_record(&f, 8, "end", "test=t0 status=pass records=3");
	fx_measure(&f);
	assert_int_equal(values(&f, 0, v), 2);
	assert_true(v[0] == 1 && v[1] == 8);
	assert_int_equal(measure_count(&f.m, 0, 0, MEASURE_TORN, NULL), 5);
	assert_int_equal(measure_count(&f.m, 0, 0, MEASURE_FAIL, NULL), 1);
	assert_int_equal(measure_partial(&f.m, 0, 0, MEASURE_FAIL), 1); /* its value is kept, and counts for nothing */
	assert_int_equal(measure_partial(&f.m, 0, 0, MEASURE_PASS), 0);
	assert_int_equal(measure_count(&f.m, 0, 0, MEASURE_PASS, NULL), 2);
	fx_free(&f);
}

static void test_values_are_untrusted(void **state)
{
	static const struct {
		const char *pairs;
		enum measure_bad bad;
		double v;
	} row[] = {
		{"name=m v=5", MEASURE_OK, 5},
		{"name=m v=-5.25", MEASURE_OK, -5.25},
		{"name=m v=0", MEASURE_OK, 0},
		{"name=m v=10 ns=4", MEASURE_OK, 2.5e9},
		{"name=m v=18446744073709551615 ns=18446744073709551615", MEASURE_RANGE, 0},
		{"name=m", MEASURE_NO_NUMBER, 0},
		{"name=m v=", MEASURE_NO_NUMBER, 0},
		{"name=m v=x", MEASURE_NO_NUMBER, 0},
		{"name=m v=nan", MEASURE_NO_NUMBER, 0},
		{"name=m v=inf", MEASURE_NO_NUMBER, 0},
		{"name=m v=0x10", MEASURE_NO_NUMBER, 0},
		{"name=m v=1e5", MEASURE_NO_NUMBER, 0},
		{"name=m v=1.", MEASURE_NO_NUMBER, 0},
		{"name=m v=%201", MEASURE_NO_NUMBER, 0},
		{"name=m v=1%1b", MEASURE_NO_NUMBER, 0},
		{"name=m v=111111111111111111111", MEASURE_NO_NUMBER, 0},
		{"name=m v=99999999999999999999", MEASURE_RANGE, 0},
		{"name=m v=1 ns=0", MEASURE_NO_TIME, 0},
		{"name=m v=1 ns=-1", MEASURE_NO_TIME, 0},
		{"name=m v=1 ns=", MEASURE_NO_TIME, 0},
		{"name=m v=1 ns=x", MEASURE_NO_TIME, 0},
		{"name=m v=999999999999999999 ns=1", MEASURE_RANGE, 0},
	};
	struct fx f;
	double v;
	(void)state;
	fx_init(&f, 1, 1, 1);
	for (size_t i = 0; i < sizeof row / sizeof *row; i++) {
		struct store_record *r = fx_record(&f, 1, "metric", row[i].pairs);
		v = 0;
		assert_int_equal(measure_parse(r, &v), row[i].bad);
		assert_true(v == row[i].v);
	}
	fx_free(&f);
}

static void test_bad_values_are_counted(void **state)
{
	struct fx f;
	double v[8];
	(void)state;
	fx_init(&f, 1, 4, 1);
	fx_test(&f, 1, 0, "pass", "name=m v=x");
	fx_record(&f, 2, "begin", "test=t0");
	for (int i = 0; i < 3; i++)
		fx_record(&f, 2, "metric", "test=t0 name=m v=2");
	fx_record(&f, 2, "end", "test=t0 status=pass records=5");
	fx_test(&f, 3, 0, "pass", "name=never-heard-of v=3");
	fx_record(&f, 4, "metric", "test=t0 name=%1b%5b2J v=1");
	fx_record(&f, 4, "metric", "test=nonsense name=m v=1");
	fx_record(&f, 4, "metric", "v=1");
	fx_record(&f, 4, "metric", "test=t0 name=m v=9"); /* of no test */
	fx_measure(&f);
	assert_int_equal(values(&f, 0, v), 0);
	assert_int_equal(f.m.bad[0 * f.m.metrics], MEASURE_NO_NUMBER);
	assert_int_equal(f.m.bad[1 * f.m.metrics], MEASURE_TWICE);
	assert_int_equal(f.m.metrics, 3);
	assert_string_equal(f.m.metric[2].name, "never-heard-of");
	assert_null(f.m.metric[2].desc);
	assert_int_equal(measure_values(&f.m, 2, 0, NULL, v), 1);
	assert_int_equal(f.m.unnamed, 3);
	fx_free(&f);
}

/* A box that invents metrics fills no table. */
static void test_many_metrics(void **state)
{
	struct fx f;
	char text[64];
	(void)state;
	fx_init(&f, 1, 1, 1);
	fx_record(&f, 1, "begin", "test=t0");
	for (int i = 0; i < 2 * MEASURE_METRICS_MAX; i++) {
		snprintf(text, sizeof text, "test=t0 name=n%d v=1", i);
		fx_record(&f, 1, "metric", text);
	}
	fx_record(&f, 1, "end", "test=t0 status=pass records=1026");
	fx_measure(&f);
	assert_int_equal(f.m.metrics, MEASURE_METRICS_MAX);
	assert_int_equal(f.m.unnamed, MEASURE_METRICS_MAX + 2);
	fx_free(&f);
}

/* Random records: whatever comes, nothing crashes, and every value is finite and in range. */
static void test_noise(void **state)
{
	static const char *const kinds[] = {"begin", "end", "metric", "hello", "env", "note", "bye"};
	static const char *const pairs[] = {"test=t0", "test=t1",    "test=t9",   "name=m",    "name=x",      "v=1",         "v=99999999999999999999",
	                                    "ns=0",    "ns=3",       "records=3", "records=2", "status=pass", "status=skip", "start=chain",
	                                    "v=-7.5",  "status=%00x"};
	uint32_t seed = 11;
	(void)state;
	for (int k = 0; k < 50; k++) {
		struct fx f;
		char text[256];
		fx_init(&f, 2, 4, 2);
		for (int i = 0; i < 200; i++) {
			size_t at = 0;
			for (int j = 0; j < 4; j++)
				at += (size_t)snprintf(text + at, sizeof text - at, "%s%s", j ? " " : "",
				                       pairs[unit_random(&seed) % (sizeof pairs / sizeof *pairs - 1)]);
			unsigned line = 1 + unit_random(&seed) % 8;
			fx_record(&f, line, kinds[unit_random(&seed) % 7], text);
			f.seq[line] += unit_random(&seed) % 8 == 0;
		}
		fx_measure(&f);
		for (size_t i = 0; i < f.m.boots * f.m.metrics; i++)
			assert_true(isnan(f.m.value[i]) || fabs(f.m.value[i]) <= MEASURE_VALUE_MAX);
		fx_free(&f);
	}
}

/* Loading a crash kernel: a metric of the sweeps that have one, of the boots in which it was loaded. */
static void test_crash_kernel(void **state)
{
	static const char *const env[] = {"crash_armed=yes crash_by=file crash_armed_ns=50000000",
	                                  "crash_armed=no crash_why=fetch crash_armed_ns=900",
	                                  "crash_armed=yes crash_armed_ns=5e7",
	                                  "clocksource=tsc",
	                                  "crash_armed=yes crash_armed_ns=70000000",
	                                  "crash_armed=yes crash_armed_ns=1"};
	struct fx f;
	double v[8];
	const char *why = NULL;
	(void)state;
	for (int with = 1; with >= 0; with--) {
		fx_init(&f, 1, 6, 1);
		f.plan.crash_bytes = with ? 192 << 20 : 0;
		for (unsigned l = 1; l <= 6; l++) {
			fx_record(&f, l, "metric", "test=crash-kernel name=arm v=3"); /* no such test */
			fx_record(&f, l, "env", env[l - 1]);
			fx_value(&f, l, 0, 100);
		}
		fx_record(&f, 6, "env", "crash_armed_ns=2");
		fx_measure(&f);
		assert_int_equal(f.m.unnamed, 6);
		assert_int_equal(f.m.tests, 1 + with);
		assert_int_equal(f.m.metrics, 2 + with);
		assert_int_equal(values(&f, 0, v), 6);
		assert_string_equal(f.m.boot[1].armed, with ? "no" : "");
		if (with) {
			assert_string_equal(f.m.metric[2].test, "crash-kernel");
			assert_false(f.m.metric[2].desc->primary);
			assert_int_equal(measure_values(&f.m, 2, 0, NULL, v), 2);
			assert_true(v[0] == 5e7 && v[1] == 7e7);
			assert_int_equal(f.m.bad[2 * 3 + 2], MEASURE_NO_NUMBER);
			assert_int_equal(f.m.bad[5 * 3 + 2], MEASURE_TWICE);
			assert_int_equal(measure_count(&f.m, 1, 0, MEASURE_FAIL, &why), 1);
			assert_string_equal(why, "fetch");
			assert_int_equal(measure_count(&f.m, 1, 0, MEASURE_ABSENT, NULL), 1);
		}
		fx_free(&f);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_one_value_a_boot),
		cmocka_unit_test(test_which_try_counts),
		cmocka_unit_test(test_lost_boots),
		cmocka_unit_test(test_lost_in_the_discarded_boot),
		cmocka_unit_test(test_whole_tests_only),
		cmocka_unit_test(test_values_are_untrusted),
		cmocka_unit_test(test_bad_values_are_counted),
		cmocka_unit_test(test_many_metrics),
		cmocka_unit_test(test_crash_kernel),
		cmocka_unit_test(test_noise),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
