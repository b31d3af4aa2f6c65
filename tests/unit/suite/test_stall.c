/* SPDX-License-Identifier: GPL-2.0-or-later */
/* stall: requests out and no reply for the limit is one; an idle mount, a slow one, one that lost a reply before, and a new one are none. */
#include "../common/unit.h"

#include "../../suite/stall.h"

#define S 1000000000ull

static void test_stall(void **state)
{
	struct stall s = {.limit_ns = 15 * S};

	(void)state;
	assert_int_equal(stall_look(&s, 1 * S, 10, 10, 3), 0);
	assert_int_equal(stall_look(&s, 4 * S, 20, 19, 3), 0);
	for (uint64_t t = 7; t < 19; t += 3)
		assert_int_equal(stall_look(&s, t * S, 21, 19, 3), 0);
	assert_int_equal(s.n, 0);
	assert_int_equal(stall_look(&s, 19 * S, 21, 19, 3), 1); /* 15 s after the last reply was seen */
	assert_int_equal(stall_look(&s, 22 * S, 21, 19, 3), 0); /* the same one */
	assert_int_equal(stall_look(&s, 64 * S, 22, 19, 4), 0); /* sent again */
	assert_int_equal(stall_look(&s, 67 * S, 30, 29, 4), 0); /* over */
	assert_int_equal(s.n, 1);
	assert_int_equal(s.at_ns, 4 * S);
	assert_int_equal(s.longest_ns, 63 * S);
	/* a shorter one does not take its place */
	for (uint64_t t = 70; t <= 90; t += 3)
		stall_look(&s, t * S, 30, 28, 4);
	assert_int_equal(s.n, 2);
	assert_int_equal(s.at_ns, 4 * S);
}

static void test_none(void **state)
{
	struct stall s = {.limit_ns = 15 * S};

	(void)state;
	for (uint64_t t = 0; t < 300; t += 3) /* nothing is asked */
		assert_int_equal(stall_look(&s, t * S, 50, 50, 0), 0);
	for (uint64_t t = 300; t < 600; t += 3) /* slow: a reply each 12 s */
		assert_int_equal(stall_look(&s, t * S, 51 + t / 12, 50 + t / 12, 0), 0);
	for (uint64_t t = 600; t < 900; t += 3) /* two replies were lost, and asked for again: idle since */
		assert_int_equal(stall_look(&s, t * S, 202, 200, 2), 0);
	for (uint64_t t = 900; t < 1000; t += 3) /* another mount each time */
		assert_int_equal(stall_look(&s, t * S, 5, (1000 - t) / 3, 2), 0);
	assert_int_equal(s.n, 0);
}

static void test_log(void **state)
{
	(void)state;
	assert_int_equal(stall_count_log(""), 0);
	assert_int_equal(stall_count_log("<5>[   60.1] nfs: server 10.0.2.2 not responding, still trying\n<5>[   70.1] nfs: server 10.0.2.2 OK\n"
	                                 "nfs: server 10.0.2.2 not responding, still trying"),
	                 2);
	/* the mount for results is soft */
	assert_int_equal(stall_count_log("<5>nfs: server 10.0.2.2 not responding, timed out\n"), 0);
	assert_int_equal(stall_count_log("nfs: server a\nlockd: server b not responding, still trying\n"), 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {cmocka_unit_test(test_stall), cmocka_unit_test(test_none), cmocka_unit_test(test_log)};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
