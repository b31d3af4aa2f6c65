/* SPDX-License-Identifier: GPL-2.0-or-later */
/* flight: what has come of what is under way. */
#include "../common/unit.h"

#include "../../suite/flight.h"

static void test_order(void **state)
{
	struct flight f;

	(void)state;
	flight_begin(&f, 100);
	f.next = 110;
	assert_int_equal(flight_take(&f, 100), 1);
	assert_int_equal(flight_take(&f, 102), 1);
	assert_int_equal(flight_under_way(&f), 7);
	assert_int_equal(flight_take(&f, 101), 1); /* late, but it has come */
	assert_int_equal(f.reordered, 1);
	assert_int_equal(flight_take(&f, 101), 0);
	assert_int_equal(flight_take(&f, 102), 0);
	assert_int_equal(f.dup, 2);
	assert_int_equal(f.reordered, 1);
	assert_int_equal(flight_take(&f, 99), 0);  /* of an earlier flight */
	assert_int_equal(flight_take(&f, 110), 0); /* never sent */
	assert_int_equal(flight_take(&f, UINT64_MAX), 0);
	assert_int_equal(f.late, 3);
	assert_int_equal(f.got, 3);
	assert_int_equal(flight_lost(&f), 7);
}

static void test_stall(void **state)
{
	struct flight f;

	(void)state;
	flight_begin(&f, 0);
	f.next = 8;
	flight_take(&f, 0);
	flight_stall(&f);
	assert_int_equal(flight_under_way(&f), 0);
	assert_int_equal(f.stalls, 1);
	assert_int_equal(flight_take(&f, 3), 1); /* after all */
	assert_int_equal(flight_lost(&f), 6);
}

/* The ring forgets what it has passed, and nothing else. */
static void test_span(void **state)
{
	struct flight f;

	(void)state;
	flight_begin(&f, 5);
	f.next = 3 * FLIGHT_SPAN;
	for (uint64_t i = 5; i < 2 * FLIGHT_SPAN; i += 2)
		assert_int_equal(flight_take(&f, i), 1);
	for (uint64_t i = f.high - FLIGHT_SPAN; i < f.high; i++)
		assert_int_equal(flight_take(&f, i), i % 2 == 0);
	assert_int_equal(flight_take(&f, f.high - FLIGHT_SPAN - 1), 0);
	assert_int_equal(f.late, 1);
	assert_int_equal(flight_take(&f, 3 * FLIGHT_SPAN - 1), 1); /* a leap of the whole ring */
	assert_int_equal(flight_take(&f, 3 * FLIGHT_SPAN - 2), 1);
	assert_int_equal(flight_take(&f, 3 * FLIGHT_SPAN - 2), 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_order),
		cmocka_unit_test(test_stall),
		cmocka_unit_test(test_span),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
