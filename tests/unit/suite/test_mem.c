/* SPDX-License-Identifier: GPL-2.0-or-later */
/* chase (a ring through pages is one cycle through all of them). */
#include "../common/unit.h"

#include "../../suite/chase.h"

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
		cmocka_unit_test(test_ring),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
