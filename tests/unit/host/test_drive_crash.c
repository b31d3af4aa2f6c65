/* SPDX-License-Identifier: GPL-2.0-or-later */
/* drive_crash: what killed a kernel, by its console and by the crash kernel that comes up after it. */
#include "drive_fixture.h"

#define CRASH_TAG 0x90000001u

static struct world w;

static void text(const char *s)
{
	while (*s) {
		size_t n = strcspn(s, "\n");

		drive_bytes(&w.d, w.now);
		drive_text(&w.d, s, n);
		s += n + (s[n] != 0);
	}
}

static void crash_hello(const char *of)
{
	char pairs[200];

	boot_as(&w, CRASH_TAG);
	sprintf(pairs, "box=box1 sweep=s role=crash%s%s start=crash reset=unknown line=0 quiet_ms=5000", *of ? " of=" : "", of);
	send(&w, "hello", pairs, 0);
	if (*of) {
		sprintf(pairs, "of=%s name=panic", of);
		send(&w, "fail", pairs, 0);
	}
}

/* The dead kernel's log in two parts. */
static void dmesg(const char *log, int lost)
{
	size_t half = strlen(log) / 2;
	char data[150], pairs[200];

	for (int i = 0; i < 2; i++) {
		kv_escape(data, sizeof(data), log + (i ? half : 0), i ? strlen(log) - half : half);
		sprintf(pairs, "name=dmesg part=%d/2 data=%s", i + 1, data);
		send(&w, "text", pairs, i == lost);
	}
}

/* Into line 1, and it has said hello. */
static void in_line_1(void)
{
	start(&w);
	come_up(&w, 1, "a");
	w.marks[0] = 0;
}

static const char log_of_oops[] = "BUG: bad at 10\nRIP: 0010:f+0x1/0x2\nKernel panic - not syncing: Fatal exception\n";

static void test_dmesg_names_it(void **state)
{
	(void)state;
	in_line_1();
	crash_hello("00000101");
	assert_string_equal(w.marks, "stored 1;");
	dmesg(log_of_oops, -1);
	bye(&w);
	assert_int_equal(w.answer.verb, COMMAND_OK);
	assert_string_equal(w.marks, "stored 1;stored 0;1 failed:oops;+4=1;");
	assert_string_equal(w.why, "BUG: bad at 10 at f+0x1/0x2");
	/* and on: the next boot is reached from here, and counts */
	send(&w, "ask", "", 0);
	assert_int_equal(w.answer.line, 2);
	jump(&w);
	w.start = "crash";
	boot_as(&w, 0x102);
	hello(&w, "b", "unknown");
	tests(&w, 0);
	bye(&w);
	assert_int_equal(journal_state(w.journal, 2), JOURNAL_COMPLETE);
	assert_int_equal(w.cycles, 0);
	stop(&w);
}

/* Its hello alone will do: whatever comes next, or nothing. */
static void test_hello_alone(void **state)
{
	(void)state;
	in_line_1();
	crash_hello("00000101");
	boot_as(&w, HOME_TAG + 0x500);
	hello(&w, "home", "unknown");
	assert_non_null(strstr(w.marks, "1 failed:panic;+4=1;"));
	stop(&w);

	in_line_1();
	crash_hello("00000101");
	dmesg(log_of_oops, -1);
	drive_tick(&w.d, w.now += 301000);
	assert_non_null(strstr(w.marks, "1 failed:oops;+4=1;"));
	assert_int_equal(w.cycles, 1);
	stop(&w);

	in_line_1();
	crash_hello("00000101");
	drive_stop(&w.d);
	assert_non_null(strstr(w.marks, "1 failed:panic;"));
	stop(&w);

	in_line_1();
	crash_hello(""); /* of whom it does not say */
	assert_non_null(strstr(w.marks, "1 failed:panic;+4=1;"));
	stop(&w);
}

/* A part that was lost is asked for; what never comes leaves a panic without a reason. */
static void test_lost(void **state)
{
	(void)state;
	in_line_1();
	crash_hello("00000101");
	dmesg(log_of_oops, 1);
	bye(&w);
	assert_int_equal(w.answer.verb, COMMAND_AGAIN);
	assert_string_equal(w.answer.what, "3");
	assert_null(strstr(w.marks, "failed"));
	hear(&w, w.sent[3], 1);
	hear(&w, w.sent[4], 1); /* bye again */
	assert_int_equal(w.answer.verb, COMMAND_OK);
	assert_non_null(strstr(w.marks, "1 failed:oops;"));
	stop(&w);

	in_line_1();
	crash_hello("00000101");
	dmesg(log_of_oops, 1);
	bye(&w);
	for (int i = 0; i < 100 && w.answer.verb == COMMAND_AGAIN; i++)
		hear(&w, w.sent[4], 1);
	assert_int_equal(w.answer.verb, COMMAND_OK);
	assert_non_null(strstr(w.marks, "1 failed:panic;"));
	stop(&w);
}

/* Its hello is lost on the line, and comes when it is asked for. */
static void test_lost_hello(void **state)
{
	(void)state;
	in_line_1();
	boot_as(&w, CRASH_TAG);
	send(&w, "hello", "box=box1 sweep=s role=crash of=00000101 start=crash reset=unknown line=0 quiet_ms=5000", 1);
	dmesg(log_of_oops, -1);
	bye(&w);
	assert_int_equal(w.answer.verb, COMMAND_AGAIN);
	hear(&w, w.sent[0], 1);
	hear(&w, w.sent[3], 1);
	assert_int_equal(w.answer.verb, COMMAND_OK);
	assert_string_equal(w.journal->try[1].name, "oops");
	stop(&w);
}

/* The console has said it before; the dmesg is marked where it says more, and no second line is appended. */
static void test_console_first(void **state)
{
	(void)state;
	in_line_1();
	text("[ 9.1] Kernel panic - not syncing: sysrq\n");
	assert_string_equal(w.marks, "stored 1;1 failed:panic;+4=1;");
	assert_string_equal(w.why, "sysrq");
	crash_hello("00000101");
	dmesg("Kernel panic - not syncing: sysrq\nCall Trace:\n f+0x1/0x2\n </TASK>\n", -1);
	bye(&w);
	assert_string_equal(w.marks, "stored 1;1 failed:panic;+4=1;stored 1;stored 0;1 failed:panic;");
	assert_string_equal(w.why, "sysrq: f");
	stop(&w);

	in_line_1();
	text("BUG: bad\r\nCall Trace:\r\n f+0x1/0x2\r\n </TASK>\r\n[ 9.1] Kernel panic - not syncing: Fatal exception\r\n");
	assert_string_equal(w.marks, "stored 1;1 failed:oops;+4=1;");
	assert_string_equal(w.why, "BUG: bad: f");
	crash_hello("00000101");
	dmesg("BUG: bad\nCall Trace:\n f+0x1/0x2\n </TASK>\nKernel panic - not syncing: Fatal exception\n", -1);
	bye(&w);
	assert_string_equal(w.marks, "stored 1;1 failed:oops;+4=1;stored 1;stored 0;");
	stop(&w);

	/* without a crash kernel, the trace that follows is marked too */
	in_line_1();
	text("Kernel panic - not syncing: sysrq\nCall Trace:\n f+0x1/0x2\n </TASK>\nmore\n");
	assert_string_equal(w.marks, "stored 1;1 failed:panic;+4=1;1 failed:panic;");
	assert_string_equal(w.why, "sysrq: f");
	stop(&w);
}

/* Panicked between bye and the jump: the boot is complete, the line that was to follow is tried again. */
static void test_after_bye(void **state)
{
	(void)state;
	in_line_1();
	tests(&w, 0);
	bye(&w);
	send(&w, "ask", "", 0);
	jump(&w);
	w.marks[0] = 0;
	crash_hello("00000101");
	assert_non_null(strstr(w.marks, "2 failed:jump;+4=2;"));
	dmesg(log_of_oops, -1);
	bye(&w);
	assert_int_equal(journal_state(w.journal, 1), JOURNAL_COMPLETE);
	send(&w, "ask", "", 0);
	assert_int_equal(w.answer.line, 3);
	stop(&w);
}

/* A station that was not there hears of it when it replays what was said. */
static void test_replay(void **state)
{
	(void)state;
	for (int gone = 0; gone < 2; gone++) {
		char sent[4][RECORD_MAX + 1];

		in_line_1();
		boot_as(&w, CRASH_TAG);
		send(&w, "hello", "box=box1 sweep=s role=crash of=00000101 start=crash reset=unknown line=0 quiet_ms=5000", 1);
		send(&w, "text", "name=dmesg part=1/1 data=Kernel%20panic%20-%20not%20syncing:%20x", 1);
		memcpy(sent, w.sent, sizeof(sent));
		hear(&w, sent[0], 0);
		hear(&w, sent[1], 0);
		if (gone) { /* home has come since */
			boot_as(&w, HOME_TAG + 0x700);
			send(&w, "hello", "box=box1 sweep=s role=home start=firmware reset=unknown line=0", 1);
			hear(&w, w.sent[0], 0);
			drive_live(&w.d, 0);
		} else {
			drive_live(&w.d, 0);
			assert_null(strstr(w.marks, "failed"));
			send(&w, "ask", "", 0);
		}
		assert_non_null(strstr(w.marks, "1 failed:panic;"));
		assert_string_equal(w.why, gone ? "" : "x"); /* its records would be on NFS */
		stop(&w);
	}
}

int main(void)
{
	const struct CMUnitTest tests_of_crash[] = {
		cmocka_unit_test(test_dmesg_names_it), cmocka_unit_test(test_hello_alone),   cmocka_unit_test(test_lost),
		cmocka_unit_test(test_lost_hello),     cmocka_unit_test(test_console_first), cmocka_unit_test(test_after_bye),
		cmocka_unit_test(test_replay),
	};

	return cmocka_run_group_tests_name("drive_crash", tests_of_crash, NULL, NULL);
}
