/* SPDX-License-Identifier: GPL-2.0-or-later */
/* switch=firmware: the boot entry is the line's from before the answer to its jump to the first sign of its kernel, and else home's. */
#include "drive_fixture.h"

static void start_firmware(struct world *w)
{
	start(w);
	w->plan.sw = PLAN_FIRMWARE;
	w->start = "firmware";
}

static void text(struct world *w, const char *s)
{
	drive_bytes(&w->d, w->now);
	drive_text(&w->d, s, strlen(s));
}

static void test_clean(void **state)
{
	struct world w;

	(void)state;
	start_firmware(&w);
	go_from_home(&w, 1);
	/* on disk before the start is marked, and that before the answer */
	assert_string_equal(w.marks, "stored 0;1 go;entry 1;1 start;");
	send(&w, "jump", "line=1 tag=00000101 quiet_ms=5000", 0); /* repeated: written once */
	w.marks[0] = 0;
	boot_as(&w, 0x101);
	hello(&w, "a", "unknown");
	assert_string_equal(w.marks, "entry 0;1 hello;");
	tests(&w, 0);
	bye(&w);
	send(&w, "ask", "", 0);
	jump(&w);
	assert_non_null(strstr(w.marks, "1 complete;2 go;entry 2;2 start;"));
	boot_as(&w, 0x102);
	hello(&w, "b", "unknown");
	tests(&w, 0);
	bye(&w);
	assert_int_equal(journal_state(w.journal, 2), JOURNAL_COMPLETE); /* on its path */
	stop(&w);
}

static void test_chain_writes_none(void **state)
{
	struct world w;

	(void)state;
	start(&w);
	go_from_home(&w, 1);
	assert_null(strstr(w.marks, "entry"));
	stop(&w);
}

/* No answer where the entry could not be written: a box that resets now would come home. */
static void test_disk_full(void **state)
{
	struct world w;

	(void)state;
	start_firmware(&w);
	boot_as(&w, HOME_TAG);
	hello(&w, "home", "cold");
	bye(&w);
	send(&w, "ask", "", 0);
	assert_int_equal(w.answer.verb, COMMAND_GO);
	w.disk_full = 1;
	send(&w, "jump", "line=1 tag=00000101 quiet_ms=5000", 0);
	assert_false(w.answered);
	assert_int_equal(w.d.err, -28);
	assert_int_equal(journal_state(w.journal, 1), JOURNAL_GO);
	stop(&w);
}

/* What the last kernel prints on its way out is no sign of the next; a younger stamp is. */
static void test_signs(void **state)
{
	struct world w;

	(void)state;
	start_firmware(&w);
	w.now = 50000;
	go_from_home(&w, 1);
	w.marks[0] = 0;
	text(&w, "[   50.200000] reboot: Restarting system");
	text(&w, "SeaBIOS (version 1.16)");
	text(&w, "[ 12] x");
	text(&w, "[  a.123456] x");
	text(&w, "[");
	assert_string_equal(w.marks, "");
	assert_int_equal(w.d.text_since_jump, 0);
	text(&w, "[    0.512000] x86/cpu: something new");
	assert_string_equal(w.marks, "entry 0;");
	assert_true(w.d.text_since_jump > 0);
	stop(&w);
}

/* Never printed: home's entry stands before the power is cut; not-run twice, then no-hello. Each time another line follows. */
static void test_never_prints(void **state)
{
	struct world w;
	char last[80];

	(void)state;
	start_firmware(&w);
	for (unsigned i = 0; i < 3; i++) {
		unsigned line = journal_next(w.journal, &w.plan);

		go_from_home(&w, line);
		snprintf(last, sizeof(last), "[%5u.200000] reboot: Restarting system", (unsigned)(w.now / 1000));
		text(&w, last);
		w.now += 121000;
		w.marks[0] = 0;
		drive_tick(&w.d, w.now);
		assert_int_equal(w.cycles, i + 1);
		assert_non_null(strstr(w.marks, "entry 0;"));
		if (line == 1)
			assert_int_equal(journal_state(w.journal, line), JOURNAL_NOT_RUN);
	}
	stop(&w);
}

/* A triple fault brings home back, which looks like success: the line is not-run, twice, and then failed. */
static void test_home_comes_back(void **state)
{
	struct world w;

	(void)state;
	start_firmware(&w);
	for (unsigned i = 0; i < 3; i++) {
		const struct plan_try *t;
		unsigned line = 0;

		/* only boot 1's lines */
		for (size_t k = 0; k < w.plan.tries && !line; k++)
			if (w.plan.try[k].boot == 1 && journal_state(w.journal, w.plan.try[k].line) < JOURNAL_START)
				line = w.plan.try[k].line;
		assert_true(line > 0);
		t = plan_try_by_line(&w.plan, line);
		boot_as(&w, HOME_TAG + i);
		hello(&w, "home", "cold");
		bye(&w);
		w.answer = (struct command){.tag = w.tag, .verb = COMMAND_GO, .line = line, .next_tag = t->tag};
		jump(&w);
		boot_as(&w, HOME_TAG + 0x50 + i);
		hello(&w, "home", "cold");
		assert_int_equal(journal_state(w.journal, line), i < 2 ? JOURNAL_NOT_RUN : JOURNAL_FAILED);
		assert_int_equal(w.d.entry_line, 0);
		if (i == 2)
			assert_string_equal(w.journal->try[line].name, "no-hello");
	}
	stop(&w);
}

/* kill -9 between the mark and the entry, or the answer: what is replayed is under way, and its entry is written anew. */
static void test_restart(void **state)
{
	struct world w;

	(void)state;
	start_firmware(&w);
	boot_as(&w, HOME_TAG);
	hello(&w, "home", "cold");
	bye(&w);
	send(&w, "ask", "", 0);
	send(&w, "jump", "line=1 tag=00000101 quiet_ms=5000", 1);
	w.marks[0] = 0;
	hear(&w, w.sent[w.seq - 1], 0); /* of the past: the mark, and nothing else */
	assert_string_equal(w.marks, "1 start;");
	drive_live(&w.d, 0);
	assert_string_equal(w.marks, "1 start;entry 1;");
	boot_as(&w, 0x101);
	hello(&w, "a", "unknown");
	assert_non_null(strstr(w.marks, "entry 0;"));
	w.marks[0] = 0;
	drive_live(&w.d, 0); /* a subject runs: home's */
	assert_string_equal(w.marks, "entry 0;");
	drive_live(&w.d, 1); /* found without power */
	assert_non_null(strstr(w.marks, "entry 0;"));
	stop(&w);
}

int main(void)
{
	const struct CMUnitTest list[] = {
		cmocka_unit_test(test_clean),   cmocka_unit_test(test_chain_writes_none), cmocka_unit_test(test_disk_full),
		cmocka_unit_test(test_signs),   cmocka_unit_test(test_never_prints),      cmocka_unit_test(test_home_comes_back),
		cmocka_unit_test(test_restart),
	};

	return cmocka_run_group_tests(list, NULL, NULL);
}
