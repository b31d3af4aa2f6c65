/* SPDX-License-Identifier: GPL-2.0-or-later */
/* cpus: /proc/stat of old and new kernels, in the forms that proc(5) and the kernels' fs/proc give it. */
#include "unit.h"

#include "common/cpus.h"

static void test_parse(void **state)
{
	(void)state;
	/* 2.2 on one CPU: no line of it */
	assert_int_equal(
		cpus_parse("cpu  1200 3 456 78900\ndisk 12 0 0 0\npage 1 2\nswap 1 0\nintr 1234 1 2 3\nctxt 12\nbtime 900000000\nprocesses 99\n"), 0);
	/* 2.2 on two */
	assert_int_equal(cpus_parse("cpu  2 3 4 5\ncpu0 1 2 2 2\ncpu1 1 1 2 3\ndisk 0 0 0 0\n"), 2);
	/* 2.4 on one */
	assert_int_equal(cpus_parse("cpu  2 3 4 5\ncpu0 2 3 4 5\npage 12 0\nswap 1 0\nintr 99 98 1\ndisk_io: (3,0):(1,1,2,0,0) \nctxt 3\n"), 1);
	/* of today, one taken off-line */
	assert_int_equal(cpus_parse("cpu  1 2 3 4 5 6 7 8 9 0\ncpu0 1 2 3 4 5 6 7 8 9 0\ncpu2 1 2 3 4 5 6 7 8 9 0\nintr 1\n"), 2);
	assert_int_equal(cpus_parse(""), 0);
	assert_int_equal(cpus_parse("cpu"), 0);
	assert_int_equal(cpus_parse("cpu0"), 1); /* torn */
}

static void test_online(void **state)
{
	(void)state;
	assert_true(cpus_online() >= 1);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_parse),
		cmocka_unit_test(test_online),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
