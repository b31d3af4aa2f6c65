/* SPDX-License-Identifier: GPL-2.0-or-later */
/* sample: rates are compared exactly, however large, and the median is one of them. */
#include "../common/unit.h"

#include "../../suite/sample.h"

static struct sample s(uint64_t v, uint64_t ns) { return (struct sample){v, ns}; }

static void test_compare(void **state)
{
	const uint64_t big = UINT64_MAX;

	(void)state;
	assert_int_equal(sample_compare(s(1, 2), s(2, 4)), 0);
	assert_int_equal(sample_compare(s(1, 3), s(1, 2)), -1);
	assert_int_equal(sample_compare(s(3, 2), s(1, 2)), 1);
	assert_int_equal(sample_compare(s(0, 1), s(0, 9)), 0);
	/* products past 64 bits */
	assert_int_equal(sample_compare(s(big, big), s(1, 1)), 0);
	assert_int_equal(sample_compare(s(big, big - 1), s(1, 1)), 1);
	assert_int_equal(sample_compare(s(big - 1, big), s(big, big)), -1);
	assert_int_equal(sample_compare(s(1ull << 40, 100000000001ull), s(1ull << 40, 100000000000ull)), -1);
	assert_int_equal(sample_compare(s(0x100000001ull, 0x1ffffffffull), s(0x100000001ull, 0x1fffffffeull)), -1);
}

static void test_median(void **state)
{
	struct samples set = {0};
	struct sample m;

	(void)state;
	sample_add(&set, 10, 5);
	m = sample_median(&set);
	assert_int_equal(m.ns, 5);
	sample_add(&set, 10, 9);
	m = sample_median(&set); /* of two the slower */
	assert_int_equal(m.ns, 9);
	sample_add(&set, 10, 7);
	m = sample_median(&set);
	assert_int_equal(m.ns, 7);
	sample_add(&set, 1000, 0); /* a clock that stood still */
	sample_add(&set, 10, 1000);
	m = sample_median(&set);
	assert_int_equal(m.ns, 7);
	assert_int_equal(m.v, 10);
}

static void test_full(void **state)
{
	struct samples set = {0};

	(void)state;
	for (unsigned i = 0; i < SAMPLES_MAX + 5; i++)
		sample_add(&set, 1, i + 1);
	assert_int_equal(set.n, SAMPLES_MAX);
	assert_int_equal(sample_median(&set).ns, SAMPLES_MAX / 2 + 1);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_compare),
		cmocka_unit_test(test_median),
		cmocka_unit_test(test_full),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
