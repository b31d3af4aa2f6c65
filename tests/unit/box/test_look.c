/* SPDX-License-Identifier: GPL-2.0-or-later */
/* look: the session of a process, whatever it calls itself. */
#include "../common/unit.h"

#include <errno.h>

#include "box/look.h"

static void test_stat(void **state)
{
	static const struct {
		const char *text;
		char state;
		long session;
	} yes[] = {
		{"77 (sh) S 1 77 70 1025 77 4194304 1", 'S', 70},
		{"78 (a) R 9 9 9) S 1 78 55 0 -1 4194304", 'S', 55},
		{"79 () Z 1 79 0 0", 'Z', 0},
		{"80 (x (y)) D 2 0 12\n", 'D', 12},
	};
	static const char *const no[] = {"", "77", "77 (sh", "77 (sh)", "77 (sh) S 1 77", "77 (sh) S 1 77 x 0", "77 (sh) S one 77 70 0"};
	long session;
	char s;

	(void)state;
	for (size_t i = 0; i < sizeof yes / sizeof *yes; i++) {
		assert_int_equal(look_parse_stat(yes[i].text, &s, &session), 0);
		assert_int_equal(s, yes[i].state);
		assert_int_equal(session, yes[i].session);
	}
	for (size_t i = 0; i < sizeof no / sizeof *no; i++)
		assert_int_equal(look_parse_stat(no[i], &s, &session), -EINVAL);
}

int main(void)
{
	const struct CMUnitTest tests[] = {cmocka_unit_test(test_stat)};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
