/* SPDX-License-Identifier: GPL-2.0-or-later */
/* power: which commands are run, in which order, how often; the commands leave marks in a file. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

#include "common/clock.h"
#include "host/power.h"

struct world {
	struct power p;
	struct board b;
	char steps[200], failures[400];
	int full;
};

static int on_step(void *ctx, const char *how)
{
	struct world *w = ctx;

	if (w->full)
		return -28;
	sprintf(w->steps + strlen(w->steps), "%s;", how);
	return 0;
}

static void on_failed(void *ctx, const char *command, const char *why)
{
	struct world *w = ctx;

	sprintf(w->failures + strlen(w->failures), "%s: %s;", command, why);
}

static void open_world(struct world *w)
{
	memset(w, 0, sizeof(*w));
	w->b = (struct board){.console = BOARD_CONSOLE_TTY, .power_enabled = 1, .power_timeout_s = 3600, .power_retries = 1, .power_off_s = 600};
	w->p = (struct power){.board = &w->b, .step = on_step, .failed = on_failed, .ctx = w};
}

/* To the end; each turn takes an hour where it waits for the clock, none where it waits for a command. */
static enum power_end run(struct world *w, int by_clock)
{
	uint64_t now = 1000, began = clock_now_ms();
	enum power_end end = POWER_BUSY;

	assert_int_equal(power_start(&w->p, now), 0);
	assert_int_equal(power_start(&w->p, now), -16);
	while (end == POWER_BUSY) {
		assert_true(clock_now_ms() - began < 20000);
		end = power_tick(&w->p, now);
		if (w->p.at == POWER_PAUSE || by_clock)
			now += 3600000;
		else
			clock_sleep_ms(1);
	}
	assert_int_equal(w->p.at, POWER_IDLE);
	return end;
}

static void test_cycle(void **state)
{
	struct world w;
	char cycle[] = "true", bad[] = "exit 3";

	(void)state;
	open_world(&w);
	w.b.power_cycle = cycle;
	assert_int_equal(run(&w, 0), POWER_DONE);
	assert_string_equal(w.steps, "cycle;");
	open_world(&w);
	w.b.power_cycle = bad;
	assert_int_equal(run(&w, 0), POWER_FAILED);
	assert_string_equal(w.steps, "cycle;cycle;");
	assert_string_equal(w.failures, "exit 3: exit 3;exit 3: exit 3;");
}

static void test_off_and_on(void **state)
{
	struct world w;
	char yes[] = "true", no[] = "kill -9 $$";

	(void)state;
	open_world(&w);
	w.b.power_off = w.b.power_on = yes;
	assert_int_equal(run(&w, 0), POWER_DONE);
	assert_string_equal(w.steps, "off;on;");
	/* where cycle fails each time */
	open_world(&w);
	w.b.power_off = w.b.power_on = yes;
	w.b.power_cycle = no;
	assert_int_equal(run(&w, 0), POWER_DONE);
	assert_string_equal(w.steps, "cycle;cycle;off;on;");
	assert_string_equal(w.failures, "kill -9 $$: signal 9;kill -9 $$: signal 9;");
	/* off fails: it may be off all the same */
	open_world(&w);
	w.b.power_off = no;
	w.b.power_on = yes;
	assert_int_equal(run(&w, 0), POWER_DONE);
	assert_string_equal(w.steps, "off;off;on;");
}

/* A command that never ends is ended. */
static void test_timeout(void **state)
{
	struct world w;
	char hangs[] = "sleep 1000";

	(void)state;
	open_world(&w);
	w.b.power_cycle = hangs;
	assert_int_equal(run(&w, 1), POWER_FAILED);
	assert_string_equal(w.failures, "sleep 1000: no end within 3600 s;sleep 1000: no end within 3600 s;");
	w.b.power_timeout_s = 1;
	assert_int_equal(power_start(&w.p, 0), 0);
	power_stop(&w.p);
	assert_int_equal(w.p.proc.ended, 1);
	assert_int_equal(power_tick(&w.p, 0), POWER_DONE);
}

/* A stop leaves nothing without power: a cycle comes to its end, and behind off comes on, whether off still runs or is over. */
static void test_stop(void **state)
{
	struct world w;
	char mark[] = "/tmp/kdyno-power.XXXXXX", cycle[96], on[96], off[] = "true", slow_off[] = "sleep 0.2";

	(void)state;
	close(mkstemp(mark));
	unlink(mark);
	snprintf(cycle, sizeof(cycle), "sleep 0.2; touch %s", mark);
	snprintf(on, sizeof(on), "touch %s", mark);
	open_world(&w);
	w.b.power_cycle = cycle;
	assert_int_equal(power_start(&w.p, 0), 0);
	power_stop(&w.p);
	assert_int_equal(unlink(mark), 0);
	for (int slow = 0; slow < 2; slow++) {
		open_world(&w);
		w.b.power_off = slow ? slow_off : off;
		w.b.power_on = on;
		assert_int_equal(power_start(&w.p, 0), 0);
		while (!slow && w.p.at == POWER_OFF)
			power_tick(&w.p, 0);
		power_stop(&w.p);
		assert_string_equal(w.steps, "off;on;");
		assert_int_equal(unlink(mark), 0);
		assert_int_equal(power_tick(&w.p, 0), POWER_DONE);
	}
	open_world(&w);
	power_stop(&w.p);
	assert_string_equal(w.steps, "");
}

static void test_told_before(void **state)
{
	struct world w;
	char marks[] = "false", cycle[] = "true";

	(void)state;
	open_world(&w);
	w.b.power_cycle = cycle;
	w.full = 1;
	assert_int_equal(power_start(&w.p, 0), -28);
	assert_int_equal(w.p.at, POWER_IDLE);
	w.full = 0;
	w.b.power_cycle = marks;
	assert_int_equal(power_start(&w.p, 0), 0);
	w.full = 1;
	while (w.p.at == POWER_CYCLE)
		power_tick(&w.p, 0);
	assert_int_equal(power_tick(&w.p, 1 << 30), POWER_STOPPED);
}

static void test_there(void **state)
{
	struct world w;
	char c[] = "true";

	(void)state;
	open_world(&w);
	assert_false(power_is_there(&w.b));
	w.b.power_on = c;
	assert_false(power_is_there(&w.b));
	w.b.power_off = c;
	assert_true(power_is_there(&w.b));
	w.b.power_enabled = 0;
	assert_false(power_is_there(&w.b));
	w.b.console = BOARD_CONSOLE_QEMU;
	assert_false(power_is_there(&w.b));
	w.b.power_enabled = 1;
	w.b.power_on = NULL;
	assert_true(power_is_there(&w.b));
}

int main(void)
{
	const struct CMUnitTest all[] = {
		cmocka_unit_test(test_cycle), cmocka_unit_test(test_off_and_on),  cmocka_unit_test(test_timeout),
		cmocka_unit_test(test_stop),  cmocka_unit_test(test_told_before), cmocka_unit_test(test_there),
	};

	return cmocka_run_group_tests(all, NULL, NULL);
}
