/* SPDX-License-Identifier: GPL-2.0-or-later */
/* drive: a paused sweep, and what pauses it by itself. */
#include "drive_fixture.h"

static int pause_it(void *ctx, const char *reason)
{
	struct world *w = ctx;

	journal_apply_control(w->journal, JOURNAL_HOLD, reason, 1);
	return 0;
}

/* A paused sweep finishes what runs, then every ask is answered with hold, and the same ask always with the same. */
static void test_paused(void **state)
{
	struct world *w = malloc(sizeof(*w));
	char addr[16];

	(void)state;
	start(w);
	go_from_home(w, 1);
	pause_it(w, "to look");
	assert_int_equal(drive_going(&w->d), 1);
	boot_as(w, 0x101);
	hello(w, "a", "unknown");
	send(w, "env", "nic=eth0 addr=10.0.2.15", 0);
	send(w, "env", "addr=no-address", 0);
	tests(w, 0);
	bye(w);
	assert_int_equal(w->answer.verb, COMMAND_OK);
	assert_int_equal(journal_state(w->journal, 1), JOURNAL_COMPLETE);
	assert_false(drive_is_held(&w->d));
	send(w, "ask", "", 0);
	assert_int_equal(w->answer.verb, COMMAND_HOLD);
	assert_true(drive_is_held(&w->d));
	assert_int_equal(drive_going(&w->d), 0);
	assert_non_null(strstr(w->said, "1 paused: the box is held here; 'kdyno sweep resume s' goes on"));
	drive_address(&w->d, addr, sizeof(addr));
	assert_string_equal(addr, "10.0.2.15");
	/* held for long, it is not taken for dead while it asks */
	w->d.plan->deaf_s = 10;
	w->now += DRIVE_HOLD_MS - 1000;
	drive_tick(&w->d, w->now);
	assert_int_equal(w->cycles, 0);
	journal_apply_control(w->journal, JOURNAL_RUN, NULL, 2);
	hear(w, w->sent[w->seq - 1], 1); /* its answer was lost */
	assert_int_equal(w->answer.verb, COMMAND_HOLD);
	send(w, "ask", "", 0);
	assert_int_equal(w->answer.verb, COMMAND_GO);
	assert_int_equal(w->answer.line, 2);
	assert_false(drive_is_held(&w->d));
	assert_int_equal(drive_going(&w->d), 2);
	stop(w);
	free(w);
}

/* The last boot is complete, and the sweep is paused: it has not ended before it is resumed. */
static void test_paused_at_the_end(void **state)
{
	struct world *w = malloc(sizeof(*w));

	(void)state;
	start(w);
	for (unsigned i = 1; i <= 3; i++)
		w->journal->try[i].state = JOURNAL_COMPLETE;
	pause_it(w, "");
	boot_as(w, HOME_TAG);
	hello(w, "home", "cold");
	bye(w);
	send(w, "ask", "", 0);
	assert_int_equal(w->answer.verb, COMMAND_HOLD);
	assert_false(w->d.ended);
	journal_apply_control(w->journal, JOURNAL_RUN, NULL, 2);
	send(w, "ask", "", 0);
	assert_int_equal(w->answer.verb, COMMAND_HOLD);
	assert_true(w->d.ended);
	stop(w);
	free(w);
}

static void fail_test(struct world *w, int hold)
{
	start(w);
	w->d.hold_on_failure = hold;
	w->d.ops.pause = pause_it;
	come_up(w, 1, "a");
	send(w, "begin", "test=boot-time quiet_ms=5000 deadline_ms=5000", 0);
	send(w, "end", "test=boot-time status=timeout records=2 ns=1 utime_us=1 stime_us=1", 0);
	bye(w);
	send(w, "ask", "", 0);
	assert_int_equal(w->answer.verb, hold ? COMMAND_HOLD : COMMAND_GO);
	assert_string_equal(w->journal->reason, hold ? "line 1: boot-time: timeout" : "");
	stop(w);
}

static void test_hold_on_failure(void **state)
{
	struct world *w = malloc(sizeof(*w));

	(void)state;
	fail_test(w, 0);
	fail_test(w, 1);
	start(w);
	w->d.hold_on_failure = 1;
	w->d.ops.pause = pause_it;
	come_up(w, 1, "a");
	drive_text(&w->d, "Kernel panic - not syncing: x", 29);
	assert_string_equal(w->journal->reason, "line 1: the try: panic");
	boot_as(w, HOME_TAG + 7);
	hello(w, "home", "unknown");
	bye(w);
	send(w, "ask", "", 0);
	assert_int_equal(w->answer.verb, COMMAND_HOLD);
	stop(w);
	free(w);
}

int main(void)
{
	const struct CMUnitTest tests[] = {cmocka_unit_test(test_paused), cmocka_unit_test(test_paused_at_the_end),
	                                   cmocka_unit_test(test_hold_on_failure)};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
