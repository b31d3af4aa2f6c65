/* SPDX-License-Identifier: GPL-2.0-or-later */
/* mem_room (how much can be had) and chase (a ring through pages is one cycle through all of them). */
#include "../common/unit.h"

#include "../../suite/chase.h"
#include "../../suite/mem_room.h"

static void test_room(void **state)
{
	(void)state;
	assert_int_equal(mem_room_parse("MemTotal: 900 kB\nMemFree:  100 kB\nMemAvailable:    300 kB\nBuffers: 1 kB\nCached: 2 kB\n"), 300);
	assert_int_equal(mem_room_parse("        total:    used:\nMem: 1 2 3\nMemTotal: 900 kB\nMemFree: 100 kB\nMemShared: 0 kB\nBuffers: 20 "
	                                "kB\nCached: 3 kB\n"),
	                 123);
	assert_int_equal(mem_room_parse("MemAvailable: 0 kB\nMemFree: 100 kB\n"), 0);
	assert_int_equal(mem_room_parse("xMemFree: 100 kB\nSwapCached: 7 kB\n"), 0);
	assert_int_equal(mem_room_parse(""), 0);
	assert_int_equal(mem_room_parse("MemFree"), 0);
}

static size_t length_of(void **first)
{
	size_t n = 0;
	void **at = first;

	do {
		at = (void **)*at;
		n++;
	} while (at != first);
	return n;
}

static void test_ring(void **state)
{
	static const size_t sizes[] = {1, 2, 3, 16, 100, 1024};
	const size_t page = 4096;

	(void)state;
	for (size_t i = 0; i < sizeof(sizes) / sizeof(*sizes); i++) {
		char *base = calloc(sizes[i], page);
		void **first = chase_lay(base, sizes[i], page);
		size_t other = 0;

		assert_int_equal(length_of(first), sizes[i]);
		assert_ptr_equal(chase_run(first, 3 * sizes[i]), first);
		assert_ptr_equal(chase_run(first, 0), first);
		assert_ptr_equal(chase_run(first, 13), chase_run(chase_run(first, 6), 7));
		for (size_t j = 0; j + 1 < sizes[i]; j++) /* not page after page */
			other += (size_t)((char *)chase_run(first, j + 1) - base) / page != j + 1;
		assert_true(sizes[i] < 16 || other > sizes[i] / 2);
		free(base);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_room),
		cmocka_unit_test(test_ring),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
