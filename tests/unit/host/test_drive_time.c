/* SPDX-License-Identifier: GPL-2.0-or-later */
/* drive_time: silent, no-progress and deadline are three verdicts; who is asked before the power is cut; what follows a power cycle. */
#include "drive_fixture.h"

static const char begin[] = "test=boot-time quiet_ms=5000 deadline_ms=600000";

static struct world *subject(void)
{
	struct world *w = malloc(sizeof(*w));

	start(w);
	come_up(w, 1, "a");
	return w;
}

static void end(struct world *w)
{
	stop(w);
	free(w);
}

/* For so long, each second, something comes; stops at the first power cycle. */
static void talk(struct world *w, unsigned seconds, void (*say)(struct world *w))
{
	for (unsigned i = 0; i < seconds && !w->cycles; i++) {
		drive_tick(&w->d, w->now += 1000);
		say(w);
	}
}

static void kernel_text(struct world *w) { drive_bytes(&w->d, w->now); }
static void same_bye(struct world *w) { hear(w, w->sent[w->seq - 1], 1); }

static void a_note(struct world *w)
{
	w->seq = 5; /* the fixture keeps few: the number is what a real box would count on */
	send(w, "note", "msg=x", 0);
}

static void test_silent(void **state)
{
	struct world *w = subject();

	(void)state;
	drive_tick(&w->d, w->now + 300000);
	assert_int_equal(w->cycles, 0);
	drive_tick(&w->d, w->now += 301000);
	assert_non_null(strstr(w->marks, "1 failed:silent;"));
	assert_string_equal(w->kept, "1 silent;");
	assert_int_equal(w->cycles, 1);
	end(w);
}

/* An announced silence holds for its phase, and not for the next one. */
static void test_announced(void **state)
{
	struct world *w = subject();

	(void)state;
	send(w, "begin", "test=boot-time quiet_ms=5000 deadline_ms=2000000", 0);
	send(w, "phase", "test=boot-time name=long quiet_ms=500000", 0);
	drive_tick(&w->d, w->now += 520000);
	assert_int_equal(w->cycles, 0);
	send(w, "phase", "test=boot-time name=short", 0);
	drive_tick(&w->d, w->now + 300000);
	assert_int_equal(w->cycles, 0);
	drive_tick(&w->d, w->now + 301000);
	assert_int_equal(w->cycles, 1);
	assert_non_null(strstr(w->marks, "1 failed:silent;"));
	end(w);
	w = subject();
	send(w, "begin", "test=boot-time quiet_ms=900000 deadline_ms=6000000", 0);
	send(w, "end", "test=boot-time status=pass records=2 ns=1 utime_us=1 stime_us=1", 0);
	drive_tick(&w->d, w->now + 301000);
	assert_int_equal(w->cycles, 1);
	end(w);
}

static void test_deadline(void **state)
{
	struct world *w = subject();

	(void)state;
	send(w, "begin", begin, 0);
	talk(w, 659, kernel_text);
	assert_int_equal(w->cycles, 0);
	talk(w, 3, kernel_text);
	assert_int_equal(w->cycles, 1);
	assert_non_null(strstr(w->marks, "1 failed:deadline;"));
	end(w);
}

static void test_no_progress(void **state)
{
	struct world *w = subject();

	(void)state;
	talk(w, 899, kernel_text);
	assert_int_equal(w->cycles, 0);
	talk(w, 3, kernel_text);
	assert_non_null(strstr(w->marks, "1 failed:no-progress;"));
	end(w);

	/* records without end are talk as well */
	w = subject();
	talk(w, 899, a_note);
	assert_int_equal(w->cycles, 0);
	talk(w, 3, a_note);
	assert_non_null(strstr(w->marks, "1 failed:no-progress;"));
	end(w);

	/* so is one question for ever, though it is answered: the boot is complete, and stays so */
	w = subject();
	tests(w, 0);
	bye(w);
	talk(w, 899, same_bye);
	assert_int_equal(w->cycles, 0);
	talk(w, 3, same_bye);
	assert_int_equal(w->cycles, 1);
	assert_non_null(strstr(w->marks, "1 complete;"));
	assert_null(strstr(w->marks, "failed"));
	end(w);
}

/* A box that cannot fetch asks anew with a back-off, as long as it takes. */
static void test_waiting(void **state)
{
	struct world *w = malloc(sizeof(*w));

	(void)state;
	start(w);
	boot_as(w, HOME_TAG);
	hello(w, "home", "cold");
	bye(w);
	for (int i = 0; i < 200; i++) {
		send(w, "ask", "", 0);
		for (int k = 0; k < 60; k++)
			drive_tick(&w->d, w->now += 1000);
	}
	assert_int_equal(w->cycles, 0);
	assert_true(w->d.waiting_network);
	end(w);
}

/* Tests that begin and end for ever end with the sum of their deadlines. */
static void test_whole_boot(void **state)
{
	struct world *w = subject();
	uint32_t seq = 8;

	(void)state;
	for (int i = 0; i < 1200 && !w->cycles; i++) {
		drive_tick(&w->d, w->now += 1000);
		w->seq = seq++ % 380 + 8;
		if (w->d.cur.slots > w->seq) {
			free(w->d.cur.slot[w->seq].line);
			w->d.cur.slot[w->seq].line = NULL;
		}
		send(w, i % 2 ? "end" : "begin", "test=boot-time quiet_ms=1000", 0);
	}
	assert_in_range(w->now, 960000, 975000);
	assert_non_null(strstr(w->marks, "1 failed:no-progress;"));
	end(w);
}

/* A BREAK goes to a kernel that has said hello and has not jumped, on a board that wants it; what it says is waited for, within bounds. */
static void test_poke(void **state)
{
	struct world *w = subject();

	(void)state;
	w->sysrq = 1;
	drive_tick(&w->d, w->now += 301000);
	assert_int_equal(w->pokes, 1);
	assert_int_equal(w->cycles, 0);
	assert_null(strstr(w->marks, "failed"));
	for (int i = 0; i < 6; i++) {
		drive_tick(&w->d, w->now += 1000);
		kernel_text(w);
	}
	assert_int_equal(w->cycles, 0);
	drive_tick(&w->d, w->now += 2000);
	assert_int_equal(w->cycles, 0);
	drive_tick(&w->d, w->now += 1000);
	assert_int_equal(w->cycles, 1);
	assert_int_equal(w->pokes, 1);
	assert_non_null(strstr(w->marks, "1 failed:silent;"));
	/* nobody has said hello: what listens may be a boot loader */
	drive_tick(&w->d, w->now += 301000);
	assert_int_equal(w->cycles, 2);
	/* nor has what was jumped into */
	go_from_home(w, 2);
	drive_bytes(&w->d, w->now);
	drive_text(&w->d, "early", 5);
	drive_tick(&w->d, w->now += 301000);
	assert_non_null(strstr(w->marks, "2 failed:no-hello;"));
	assert_int_equal(w->pokes, 1);
	end(w);

	/* it talks for ever */
	w = subject();
	w->sysrq = 1;
	drive_tick(&w->d, w->now += 301000);
	talk(w, 19, kernel_text);
	assert_int_equal(w->cycles, 0);
	talk(w, 2, kernel_text);
	assert_int_equal(w->cycles, 1);
	end(w);

	/* it was not deaf after all */
	w = subject();
	w->sysrq = 1;
	drive_tick(&w->d, w->now += 301000);
	tests(w, 0);
	bye(w);
	drive_tick(&w->d, w->now += 30000);
	assert_int_equal(w->cycles, 0);
	assert_non_null(strstr(w->marks, "1 complete;"));
	end(w);
}

/* Where nothing can be cut, a start of which nothing is heard waits for what brings the box back. */
static void test_no_power(void **state)
{
	struct world *w = malloc(sizeof(*w));

	(void)state;
	start(w);
	w->d.no_power = 1;
	go_from_home(w, 1);
	drive_tick(&w->d, w->now += 151000);
	assert_int_equal(w->cycles, 0);
	assert_non_null(strstr(w->said, "it needs a hand"));
	assert_string_equal(w->marks + strlen(w->marks) - 8, "1 start;");
	boot_as(w, HOME_TAG);
	hello(w, "home", "watchdog");
	assert_non_null(strstr(w->marks, "1 failed:hang;"));
	/* one that was heard has its verdict at once */
	come_up(w, 2, "b");
	drive_tick(&w->d, w->now += 301000);
	assert_non_null(strstr(w->marks, "2 failed:silent;"));
	for (int i = 0; i < 10; i++)
		drive_tick(&w->d, w->now += 301000);
	assert_int_equal(w->cycles, 0);
	assert_true(w->d.lost);
	end(w);
}

/* The first boot after a power cycle is discarded and run again; that says nothing of the switch. */
static void test_after_power(void **state)
{
	struct world *w = malloc(sizeof(*w));

	(void)state;
	start(w);
	come_up(w, 1, "a");
	bye(w);
	send(w, "ask", "", 0);
	jump(w);
	drive_tick(&w->d, w->now += 151000);
	assert_int_equal(w->cycles, 1);
	w->start = "via-home";
	come_up(w, 3, "a");
	bye(w);
	assert_non_null(strstr(w->marks, "3 hello;3 void;+5=3;"));
	assert_int_equal(w->d.off_path, 0);
	assert_int_equal(w->journal->try[3].void_bounded, 0);
	/* the next came by the path */
	w->start = "chain";
	send(w, "ask", "", 0);
	assert_int_equal(w->answer.line, 4);
	jump(w);
	boot_as(w, 0x104);
	hello(w, "b", "unknown");
	bye(w);
	assert_non_null(strstr(w->marks, "4 complete;"));
	end(w);
}

/* Off its path with nothing failed before: `rounds` of them, then the switch is broken. */
static void test_strays(void **state)
{
	struct world *w = malloc(sizeof(*w));

	(void)state;
	start(w);
	come_up(w, 1, "a");
	bye(w);
	w->start = "via-home";
	for (unsigned line = 2; line <= 3; line++) {
		const struct plan_try *t = plan_try_by_line(w->d.plan, line);

		assert_false(w->d.ended);
		send(w, "ask", "", 0);
		assert_int_equal(w->answer.line, line);
		jump(w);
		boot_as(w, t->tag);
		hello(w, w->d.plan->subject[t->subject].kernel, "unknown");
		bye(w);
	}
	assert_true(w->d.ended);
	assert_non_null(strstr(w->said, "switch-broken"));
	end(w);
}

/* A box that says for ever that it is about to jump has a limit too. */
static void test_repeated_jump(void **state)
{
	struct world *w = malloc(sizeof(*w));

	(void)state;
	start(w);
	go_from_home(w, 1);
	for (unsigned s = 0; s < 60; s++) {
		hear(w, w->sent[w->seq - 1], 1);
		drive_tick(&w->d, w->now += 1000);
	}
	assert_int_equal(w->cycles, 0);
	for (unsigned s = 0; s < 1000 && !w->cycles; s++) {
		hear(w, w->sent[w->seq - 1], 1);
		drive_tick(&w->d, w->now += 1000);
	}
	assert_int_equal(w->cycles, 1);
	end(w);
}

/* The journal cannot take the step: it is not taken, and nothing goes on. */
static void test_full_disk(void **state)
{
	struct world *w = malloc(sizeof(*w));

	(void)state;
	start(w);
	w->disk_full = 1;
	drive_tick(&w->d, w->now += 301000);
	assert_int_equal(w->cycles, 0);
	assert_int_equal(w->d.err, -28);
	end(w);
}

int main(void)
{
	const struct CMUnitTest all[] = {
		cmocka_unit_test(test_silent),      cmocka_unit_test(test_announced),   cmocka_unit_test(test_deadline),
		cmocka_unit_test(test_no_progress), cmocka_unit_test(test_waiting),     cmocka_unit_test(test_poke),
		cmocka_unit_test(test_no_power),    cmocka_unit_test(test_after_power), cmocka_unit_test(test_whole_boot),
		cmocka_unit_test(test_strays),      cmocka_unit_test(test_full_disk),   cmocka_unit_test(test_repeated_jump),
	};

	return cmocka_run_group_tests(all, NULL, NULL);
}
