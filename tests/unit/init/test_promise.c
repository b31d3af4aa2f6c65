/* SPDX-License-Identifier: GPL-2.0-or-later */
/* promise: the runner's lines to PID 1, in whatever pieces they come. */
#include "../common/unit.h"

#include "init/promise.h"

static struct promise p;

static void feed(const char *s)
{
	for (; *s; s++)
		promise_feed(&p, s, 1, 1000);
}

static void test_lines(void **state)
{
	(void)state;
	promise_init(&p, 1000);
	assert_int_equal(p.until_ms, 1000 + PROMISE_FIRST_MS);
	feed("promise 5000\njump 120\nwatch 90\nmodules\n");
	assert_int_equal(p.until_ms, 6000);
	assert_int_equal(p.jump_s, 120);
	assert_int_equal(p.watch_s, 90);
	assert_int_equal(p.modules, 1);
	promise_init(&p, 2000); /* another runner: what was asked for stands, its word does not */
	assert_int_equal(p.modules, 1);
	assert_int_equal(p.until_ms, 2000 + PROMISE_FIRST_MS);
}

static void test_bad_lines(void **state)
{
	static const char *const bad[] = {"watch\n",
	                                  "watch \n",
	                                  "watch x\n",
	                                  "watch 3601\n",
	                                  "watch -1\n",
	                                  "watch 99999999999999999999\n",
	                                  "Watch 5\n",
	                                  "watch 5 6\n",
	                                  "watch 000000000000000000000000000000005\n",
	                                  "\n"};

	(void)state;
	for (size_t i = 0; i < sizeof(bad) / sizeof(bad[0]); i++) {
		p = (struct promise){0};
		feed(bad[i]);
		assert_int_equal(p.watch_s, 0);
		feed("watch 5\n"); /* the next one is heard */
		assert_int_equal(p.watch_s, 5);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {cmocka_unit_test(test_lines), cmocka_unit_test(test_bad_lines)};

	return cmocka_run_group_tests_name("promise", tests, NULL, NULL);
}
