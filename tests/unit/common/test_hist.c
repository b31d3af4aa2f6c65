/* SPDX-License-Identifier: GPL-2.0-or-later */
/* hist: edges of buckets, the stated error, ranks and least samples with answers known from elsewhere. */
#include "unit.h"

#include <errno.h>

#include "common/hist.h"

static void test_buckets(void **state)
{
	(void)state;
	for (unsigned v = 0; v < 64; v++) {
		assert_int_equal(hist_index(v), v);
		assert_int_equal(hist_value(v), v);
	}
	assert_int_equal(hist_index(64), 64);
	assert_int_equal(hist_index(65), 64);
	assert_int_equal(hist_index(66), 65);
	assert_int_equal(hist_value(64), 65);
	assert_int_equal(hist_index(127), 95);
	assert_int_equal(hist_index(128), 96);
	assert_int_equal(hist_index(1000), 4 * 32 + 1000 / 16); /* 992 to 1007 */
	assert_int_equal(hist_low(hist_index(1000)), 992);
	assert_int_equal(hist_value(hist_index(1000)), 1000);
	assert_int_equal(hist_index((1ull << 40) - 1), HIST_BUCKETS - 1);
	assert_int_equal(hist_low(HIST_BUCKETS), 1ull << 40);
	assert_int_equal(hist_index(1ull << 40), HIST_BUCKETS - 1);
	assert_int_equal(hist_index(UINT64_MAX), HIST_BUCKETS - 1);
	/* every edge is its bucket's, what is below it the one before */
	for (unsigned i = 1; i < HIST_BUCKETS; i++) {
		assert_int_equal(hist_index(hist_low(i)), i);
		assert_int_equal(hist_index(hist_low(i) - 1), i - 1);
	}
}

static void test_error(void **state)
{
	(void)state;
	for (uint64_t v = 1; v < 1ull << 40; v += v / 97 + 1) {
		uint64_t mid = hist_value(hist_index(v)), off = mid > v ? mid - v : v - mid;

		assert_true(off * 64 <= v);
	}
}

static void test_least(void **state)
{
	(void)state;
	assert_int_equal(hist_least(5000), 6);
	assert_int_equal(hist_least(9000), 36);
	assert_int_equal(hist_least(9900), 368);
	assert_int_equal(hist_least(9990), 3688);
	assert_int_equal(hist_least(9999), 36887);
	assert_int_equal(hist_least(100), 368); /* p1 is p99 from below */
	assert_int_equal(hist_least(0), 1);
	assert_int_equal(hist_least(10000), 1);
}

static void test_percentile(void **state)
{
	static struct hist h;
	uint64_t v;

	(void)state;
	assert_int_equal(hist_percentile(&h, 5000, &v), -ENODATA);
	assert_int_equal(hist_percentile(&h, 10000, &v), -ENODATA);
	assert_int_equal(hist_percentile(&h, 10001, &v), -EINVAL);
	for (uint64_t i = 50; i > 0; i--)
		hist_add(&h, i);
	assert_int_equal(h.n, 50);
	assert_int_equal(h.sum, 1275);
	assert_int_equal(hist_percentile(&h, 5000, &v), 0);
	assert_int_equal(v, 25);
	assert_int_equal(hist_percentile(&h, 9000, &v), 0);
	assert_int_equal(v, 45);
	assert_int_equal(hist_percentile(&h, 9900, &v), -ENODATA);
	assert_int_equal(hist_percentile(&h, 10000, &v), 0);
	assert_int_equal(v, 50);
	assert_int_equal(hist_percentile(&h, 0, &v), 0);
	assert_int_equal(v, 1);
	/* 1 to 10000 us in ns: p99 is 9.9 ms within the stated error, and the very number of samples counts */
	hist_clear(&h);
	for (uint64_t i = 1; i <= 367; i++)
		hist_add(&h, 1000);
	assert_int_equal(hist_percentile(&h, 9900, &v), -ENODATA);
	hist_add(&h, 1000);
	assert_int_equal(hist_percentile(&h, 9900, &v), 0);
	assert_int_equal(v, 1000);
	hist_clear(&h);
	for (uint64_t i = 1; i <= 10000; i++)
		hist_add(&h, i * 1000);
	assert_int_equal(hist_percentile(&h, 9900, &v), 0);
	assert_true(v >= 9900000ull - 9900000 / 64 && v <= 9900000ull + 9900000 / 64);
	assert_int_equal(hist_percentile(&h, 9999, &v), -ENODATA);
	assert_int_equal(hist_percentile(&h, 9990, &v), 0);
	assert_true(v <= 10000000);
}

/* One value in many, seen exactly: percentiles stay within min and max, also beyond the last edge. */
static void test_ends(void **state)
{
	static struct hist h;
	uint64_t v;

	(void)state;
	for (int i = 0; i < 10; i++)
		hist_add(&h, 1007);
	assert_int_equal(hist_percentile(&h, 5000, &v), 0);
	assert_int_equal(v, 1007);
	hist_clear(&h);
	for (int i = 0; i < 10; i++)
		hist_add(&h, 1ull << 50);
	assert_int_equal(hist_percentile(&h, 5000, &v), 0);
	assert_int_equal(v, 1ull << 50);
}

static void test_merge(void **state)
{
	static struct hist a, b, all;
	uint64_t v, w;

	(void)state;
	for (uint64_t i = 0; i < 5000; i++) {
		uint64_t x = i * i * 31 % 1000003;

		hist_add(i % 3 ? &a : &b, x);
		hist_add(&all, x);
	}
	hist_merge(&a, &b);
	assert_memory_equal(&a, &all, sizeof a);
	assert_int_equal(hist_percentile(&a, 9900, &v), 0);
	assert_int_equal(hist_percentile(&all, 9900, &w), 0);
	assert_int_equal(v, w);
	hist_clear(&b);
	hist_merge(&a, &b); /* an empty one changes nothing, min neither */
	assert_memory_equal(&a, &all, sizeof a);
	hist_merge(&b, &a);
	assert_memory_equal(&b, &all, sizeof b);
	a.bucket[7] = UINT32_MAX - 1;
	b.bucket[7] = 5;
	hist_merge(&a, &b);
	assert_int_equal(a.bucket[7], UINT32_MAX);
	hist_add(&a, 7);
	assert_int_equal(a.bucket[7], UINT32_MAX);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_buckets),    cmocka_unit_test(test_error), cmocka_unit_test(test_least),
		cmocka_unit_test(test_percentile), cmocka_unit_test(test_ends),  cmocka_unit_test(test_merge),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
