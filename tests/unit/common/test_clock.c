/* SPDX-License-Identifier: GPL-2.0-or-later */
/* clock: it goes forward, units agree with each other, and a sleep is as long as it says. */
#include "unit.h"

#include <signal.h>
#include <sys/time.h>
#include <time.h>

#include "common/clock.h"

static void test_forward(void **state)
{
	uint64_t before = clock_now_ns();

	(void)state;
	for (int i = 0; i < 10000; i++) {
		uint64_t now = clock_now_ns();

		assert_true(now >= before);
		before = now;
	}
	assert_int_equal(clock_is_degraded(), 0);
}

static void test_units(void **state)
{
	uint64_t ns = clock_now_ns(), ms = clock_now_ms();

	(void)state;
	assert_true(ms >= ns / 1000000 && ms - ns / 1000000 < 1000);
	ns = clock_boot_ns();
	ms = clock_boot_ms();
	assert_true(ms >= ns / 1000000 && ms - ns / 1000000 < 1000);
	assert_true(clock_unix_ms() / 1000 + 1 >= (uint64_t)time(NULL));
	assert_true(clock_unix_ms() / 1000 <= (uint64_t)time(NULL));
}

static void handle(int sig) { (void)sig; }

/* Also where a signal comes in between. */
static void test_sleep(void **state)
{
	struct sigaction sa = {.sa_handler = handle}, old;
	struct itimerval tick = {{0, 7000}, {0, 7000}}, none = {{0, 0}, {0, 0}};
	uint64_t start = clock_now_ns();

	(void)state;
	clock_sleep_ms(0);
	sigaction(SIGALRM, &sa, &old);
	setitimer(ITIMER_REAL, &tick, NULL);
	clock_sleep_ms(50);
	setitimer(ITIMER_REAL, &none, NULL);
	sigaction(SIGALRM, &old, NULL);
	assert_true(clock_now_ns() - start >= 50000000);
	assert_true(clock_now_ns() - start < 5000000000u);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_forward),
		cmocka_unit_test(test_units),
		cmocka_unit_test(test_sleep),
	};

	return cmocka_run_group_tests_name("clock", tests, NULL, NULL);
}
