/* SPDX-License-Identifier: GPL-2.0-or-later */
/* drive_try, drive_time: what becomes of a try that goes wrong, and when the power is cut. */
#include "drive_fixture.h"

static void test_differ(void **state)
{
	struct world *w = malloc(sizeof(*w));
	struct kv_out o;
	char buf[256];

	(void)state;
	start(w);
	come_up(w, 1, "a");
	tests(w, 0);
	kv_out_init(&o, buf, sizeof(buf));
	record_open(&o, 0x101, 4, 1, "metric");
	kv_out_raw(&o, "test=boot-time name=init v=2");
	assert_true(record_close(&o) > 0);
	w->nfs = strdup(buf);
	bye(w);
	assert_int_equal(w->answer.verb, COMMAND_OK);
	assert_int_equal(journal_state(w->journal, 1), JOURNAL_VOID);
	assert_non_null(strstr(w->marks, "1 void;+4=1;"));
	stop(w);
	free(w);
}

static void test_wrong_kernel(void **state)
{
	struct world *w = malloc(sizeof(*w));

	(void)state;
	start(w);
	come_up(w, 1, "b");
	tests(w, 0);
	bye(w);
	assert_int_equal(w->answer.verb, COMMAND_OK);
	assert_non_null(strstr(w->marks, "1 failed:wrong-kernel;1 void;+4=1;"));
	assert_int_equal(w->stored, 0);
	stop(w);
	free(w);
}

/* One of the voids of its own making is replaced (rounds=1), however many detours and restarts there were. */
static void test_replaced(void **state)
{
	static const char *const why[] = {"stopped", "off-path", "after-power-cycle", "differ", "digest"};
	struct world *w = malloc(sizeof(*w));
	struct drive_ops ops;

	(void)state;
	start(w);
	for (unsigned i = 0; i < 5; i++) {
		size_t lines = w->plan.tries;

		drive_mark(&w->d, 1, JOURNAL_START, NULL, NULL);
		if (i < 3) {
			struct journal_entry e = {.line = i ? (unsigned)lines : 1, .tag = 0x101, .state = JOURNAL_VOID, .why = why[i]};

			journal_apply(w->journal, &e, 0);
			drive_mend(&w->d);
		} else {
			drive_void(&w->d, (unsigned)lines, why[i]);
		}
		assert_int_equal(w->plan.tries, lines + (i < 4)); /* the last one is the second of its kind */
		ops = w->d.ops;
		drive_free(&w->d);
		drive_init(&w->d, &ops, &w->plan, w->journal, w->now);
		drive_mend(&w->d);
		assert_int_equal(w->plan.tries, lines + (i < 4)); /* anew, it is the same */
	}
	assert_non_null(strstr(w->said, "not replaced: 1 boots were already"));
	stop(w);
	free(w);
}

static int op_append_full(void *ctx, unsigned of, const char *why)
{
	(void)ctx;
	(void)of;
	(void)why;
	return -7; /* E2BIG */
}

/* No room for another line: that boot is given up, once that is said, and the sweep goes on with the others. */
static void test_full_schedule(void **state)
{
	struct world *w = malloc(sizeof(*w));
	char *said;

	(void)state;
	start(w);
	w->d.ops.append_try = op_append_full;
	go_from_home(w, 1);
	drive_fail(&w->d, 1, "panic", "x");
	assert_int_equal(w->d.err, 0);
	said = strstr(w->said, "the schedule has its 4096 lines");
	assert_non_null(said);
	go_from_home(w, 2);
	drive_fail(&w->d, 2, "panic", "x");
	assert_int_equal(w->d.err, 0);
	assert_null(strstr(said + 1, "the schedule has its"));
	go_from_home(w, 3);
	assert_int_equal(w->plan.tries, 3);
	stop(w);
	free(w);
}

static void test_panic(void **state)
{
	struct world *w = malloc(sizeof(*w));
	static const char text[] = "[    9.1] Kernel panic - not syncing: sysrq";

	(void)state;
	start(w);
	come_up(w, 1, "a");
	drive_text(&w->d, text, strlen(text));
	assert_non_null(strstr(w->marks, "1 failed:panic;+4=1;"));
	/* the firmware brings home back */
	go_from_home(w, 2);
	assert_int_equal(w->cycles, 0);
	/* and this one never comes back; but a firmware may say nothing for as long as deaf_s */
	boot_as(w, 0x102);
	hello(w, "b", "unknown");
	drive_text(&w->d, text, strlen(text));
	drive_tick(&w->d, w->now + 299000);
	assert_int_equal(w->cycles, 0);
	drive_tick(&w->d, w->now + 301000);
	assert_int_equal(w->cycles, 1);
	assert_null(strstr(w->marks, "silent"));
	stop(w);
	free(w);
}

static void test_silence(void **state)
{
	struct world *w = malloc(sizeof(*w));

	(void)state;
	start(w);
	go_from_home(w, 1);
	drive_tick(&w->d, w->now + 100000);
	assert_int_equal(w->cycles, 0);
	drive_tick(&w->d, w->now += 130000);
	assert_int_equal(w->cycles, 1);
	assert_non_null(strstr(w->marks, "1 not-run;+4=1;"));
	come_up(w, 2, "b");
	drive_tick(&w->d, w->now + 290000);
	assert_int_equal(w->cycles, 1);
	drive_tick(&w->d, w->now += 301000);
	assert_int_equal(w->cycles, 2);
	assert_non_null(strstr(w->marks, "2 failed:silent;+5=2;"));
	/* box-lost: five in a row, then one an hour */
	for (int i = 0; i < 40; i++)
		drive_tick(&w->d, w->now += 301000);
	assert_true(w->d.lost);
	assert_in_range(w->cycles, 6, 10);
	stop(w);
	free(w);
}

static void test_hang_and_limits(void **state)
{
	struct world *w = malloc(sizeof(*w));

	(void)state;
	start(w);
	go_from_home(w, 1);
	for (unsigned i = 0; i < 3; i++) {
		boot_as(w, 0x101);
		if (i)
			boot_as(w, w->answer.next_tag);
		/* the subject says hello, then the watchdog brings home back */
		boot_as(w, w->d.plan->try[w->d.jump_line - 1].tag);
		hello(w, w->d.plan->subject[w->d.plan->try[w->d.jump_line - 1].subject].kernel, "unknown");
		boot_as(w, HOME_TAG + i + 1);
		hello(w, "home", "watchdog");
		bye(w);
		send(w, "ask", "", 0);
		if (w->answer.verb != COMMAND_GO)
			break;
		jump(w);
	}
	assert_non_null(strstr(w->marks, "1 failed:hang;+4=1;"));
	stop(w);
	free(w);
}

/* Home is back after the jump into line 1, `reset` said in its hello; heard: bytes came in between. */
static void back_from_jump(struct world *w, const char *reset, int heard)
{
	start(w);
	w->guard = "watchdog";
	go_from_home(w, 1);
	if (heard)
		drive_text(&w->d, "[    0.1] x", 11);
	boot_as(w, HOME_TAG);
	hello(w, "home", reset);
}

/* A guarded jump that hangs: the watchdog is given its time and home's, and what it ended is a hang, whatever was heard. */
static void test_guarded_jump(void **state)
{
	struct world *w = malloc(sizeof(*w));

	(void)state;
	for (int heard = 0; heard < 2; heard++) {
		back_from_jump(w, "watchdog", heard);
		assert_non_null(strstr(w->marks, "1 start;1 failed:hang;+4=1;"));
		assert_int_equal(w->journal->try[1].guard, JOURNAL_GUARD_WATCHDOG);
		stop(w);
	}
	back_from_jump(w, "cold", 0);
	assert_non_null(strstr(w->marks, "1 start;1 not-run;+4=1;"));
	stop(w);
	back_from_jump(w, "unknown", 0);
	assert_non_null(strstr(w->marks, "1 start;1 failed:no-hello;+4=1;"));
	stop(w);
	/* nobody comes back: the power is cut when the watchdog's time and the box's are both over */
	start(w);
	w->guard = "watchdog";
	go_from_home(w, 1);
	drive_tick(&w->d, w->now + 400000);
	assert_int_equal(w->cycles, 0);
	drive_tick(&w->d, w->now += 421000);
	assert_int_equal(w->cycles, 1);
	/* and without a guard that is not waited for */
	w->guard = "station";
	go_from_home(w, 2);
	assert_int_equal(w->journal->try[2].guard, JOURNAL_GUARD_STATION);
	drive_tick(&w->d, w->now += 121000);
	assert_int_equal(w->cycles, 2);
	stop(w);
	free(w);
}

/* After hello, home is back though nobody cut the power: a name of its own, unless a watchdog, a panic or a lost runner explains it. */
static void test_reset(void **state)
{
	static const struct {
		const char *reset, *text, *mark;
	} row[] = {
		{"cold", "", "1 hello;stored 1;1 failed:reset;"},
		{"unknown", "", "1 hello;stored 1;1 failed:reset;"},
		{"watchdog", "", "1 hello;stored 1;1 failed:hang;"},
		{"cold", "kd-init: no runner left (signal-11): reset", "1 hello;stored 1;1 failed:runner;"},
		{"unknown", "[   99.123456] softdog: Initiating system reboot", "1 hello;stored 1;1 failed:hang;"},
		{"unknown", "[   99.123456] softdog: initialized", "1 hello;stored 1;1 failed:reset;"},
		{"watchdog", "Kernel panic - not syncing: x", "1 hello;stored 1;1 failed:panic;"},
	};
	struct world *w = malloc(sizeof(*w));

	(void)state;
	for (size_t i = 0; i < sizeof(row) / sizeof(*row); i++) {
		start(w);
		come_up(w, 1, "a");
		drive_text(&w->d, row[i].text, strlen(row[i].text));
		boot_as(w, HOME_TAG);
		hello(w, "home", row[i].reset);
		assert_non_null(strstr(w->marks, row[i].mark));
		assert_null(w->d.told);
		stop(w);
	}
	/* another subject speaks: the box has not been through its firmware */
	start(w);
	come_up(w, 1, "a");
	boot_as(w, 0x102);
	hello(w, "b", "unknown");
	assert_non_null(strstr(w->marks, "1 hello;stored 1;1 failed:runner;"));
	stop(w);
	free(w);
}

/* After home came back, the next boot is not like the others; six such in a row end the sweep. */
static void test_off_path(void **state)
{
	struct world *w = malloc(sizeof(*w));
	unsigned line = 1;

	(void)state;
	start(w);
	w->start = "via-home";
	go_from_home(w, 1);
	for (int i = 0; i < 6 && !w->d.ended; i++) {
		const struct plan_try *t = plan_try_by_line(w->d.plan, line);

		boot_as(w, t->tag);
		hello(w, w->d.plan->subject[t->subject].kernel, "unknown");
		bye(w);
		assert_int_equal(w->answer.verb, COMMAND_OK);
		send(w, "ask", "", 0);
		if (w->answer.verb != COMMAND_GO)
			break;
		line = w->answer.line;
		jump(w);
	}
	/* the first of a schedule is discarded, and may */
	assert_non_null(strstr(w->marks, "1 complete;"));
	assert_non_null(strstr(w->marks, "2 hello;2 void;+4=2;"));
	assert_int_equal(w->stored, 1);
	stop(w);
	free(w);
}

/* Ctrl-C is not held against the subject; a failure that nobody appended a line for gets one. */
static void test_stop_and_mend(void **state)
{
	struct world *w = malloc(sizeof(*w));
	struct journal_entry failed = {.line = 3, .state = JOURNAL_FAILED, .name = "hang"};

	(void)state;
	start(w);
	come_up(w, 1, "a");
	drive_stop(&w->d);
	assert_non_null(strstr(w->marks, "1 void;+4=1;"));
	assert_false(journal_quarantined(w->journal, &w->plan, 0));
	drive_stop(&w->d);
	assert_int_equal(w->plan.tries, 4);
	/* the box alone had line 3 fail */
	journal_apply(w->journal, &failed, 1);
	drive_live(&w->d, 1);
	assert_non_null(strstr(w->marks, "+5=3;"));
	drive_live(&w->d, 1);
	assert_int_equal(w->plan.tries, 5);
	stop(w);
	free(w);
}

/* What there is of a try that fails is filed before the mark, and once, however many names its failure gets. */
static void test_failed_is_filed(void **state)
{
	struct world *w = malloc(sizeof(*w));
	static const char text[] = "Kernel panic - not syncing: x";

	(void)state;
	start(w);
	come_up(w, 1, "a");
	tests(w, 1);
	drive_text(&w->d, text, strlen(text));
	assert_non_null(strstr(w->marks, "1 hello;stored 1;1 failed:panic;"));
	boot_as(w, HOME_TAG);
	hello(w, "home", "watchdog");
	send(w, "fail", "of=00000101 name=hang", 0);
	assert_non_null(strstr(w->marks, "1 failed:hang;"));
	assert_int_equal(w->stored, 1);
	/* silent */
	come_up(w, 2, "b");
	drive_tick(&w->d, w->now += 301000);
	assert_non_null(strstr(w->marks, "2 hello;stored 2;2 failed:silent;"));
	/* nothing came: nothing is filed */
	go_from_home(w, 3);
	drive_text(&w->d, "early console", 13);
	drive_tick(&w->d, w->now += 301000);
	assert_non_null(strstr(w->marks, "3 start;3 failed:no-hello;"));
	assert_int_equal(w->stored, 2);
	stop(w);
	free(w);
}

/* The disk is full: then it has not failed yet, and is filed by the next run. */
static void test_failed_with_full_disk(void **state)
{
	struct world *w = malloc(sizeof(*w));

	(void)state;
	start(w);
	come_up(w, 1, "a");
	w->disk_full = 1;
	drive_tick(&w->d, w->now += 301000);
	assert_int_equal(w->d.err, -28);
	assert_int_equal(journal_state(w->journal, 1), JOURNAL_HELLO);
	assert_int_equal(w->cycles, 0);
	stop(w);
	free(w);
}

/* A boot that the switch reached is no sign of a broken one, whatever becomes of it. */
static void test_switch_that_works(void **state)
{
	struct world *w = malloc(sizeof(*w));

	(void)state;
	for (int works = 0; works < 2; works++) {
		start(w);
		come_up(w, 1, "a");
		bye(w);
		send(w, "ask", "", 0);
		jump(w);
		w->d.off_path = DRIVE_OFF_PATH_MAX - 1;
		w->start = works ? "chain" : "via-home";
		boot_as(w, 0x102);
		hello(w, "b", "unknown");
		assert_int_equal(w->d.off_path, works ? 0 : DRIVE_OFF_PATH_MAX - 1);
		stop(w);
	}
	free(w);
}

/* One subject that falls over again and again makes the others come off their path, and is no broken switch; when all of them do, it is one. */
static void test_culprits(void **state)
{
	struct world *w = malloc(sizeof(*w));

	(void)state;
	for (int both = 0; both < 2; both++) {
		start(w);
		w->d.culprits = both ? 3 : 2; /* b, or a and b */
		w->d.off_path = DRIVE_OFF_PATH_MAX - 1;
		w->start = "via-home";
		go_from_home(w, 1); /* discarded, and complete */
		boot_as(w, 0x101);
		hello(w, "a", "unknown");
		bye(w);
		assert_int_equal(w->d.off_path, 0);
		send(w, "ask", "", 0);
		jump(w); /* line 2, of b */
		boot_as(w, HOME_TAG);
		hello(w, "home", "cold");
		assert_int_equal(journal_state(w->journal, 2), JOURNAL_NOT_RUN);
		assert_int_equal(w->d.culprits, 2);
		w->d.culprits = both ? 3 : 2;
		w->d.off_path = DRIVE_OFF_PATH_MAX - 1;
		come_up(w, 3, "a");
		bye(w);
		assert_int_equal(journal_state(w->journal, 3), JOURNAL_VOID);
		assert_int_equal(w->d.ended, both);
		assert_int_equal(strstr(w->said, "switch-broken") != NULL, both);
		stop(w);
	}
	free(w);
}

int main(void)
{
	const struct CMUnitTest all[] = {
		cmocka_unit_test(test_differ),          cmocka_unit_test(test_wrong_kernel),
		cmocka_unit_test(test_failed_is_filed), cmocka_unit_test(test_failed_with_full_disk),
		cmocka_unit_test(test_panic),           cmocka_unit_test(test_silence),
		cmocka_unit_test(test_hang_and_limits), cmocka_unit_test(test_off_path),
		cmocka_unit_test(test_culprits),        cmocka_unit_test(test_switch_that_works),
		cmocka_unit_test(test_stop_and_mend),   cmocka_unit_test(test_guarded_jump),
		cmocka_unit_test(test_reset),           cmocka_unit_test(test_replaced),
		cmocka_unit_test(test_full_schedule),
	};

	return cmocka_run_group_tests(all, NULL, NULL);
}
