/* SPDX-License-Identifier: GPL-2.0-or-later */
/* trace: what killed a kernel, from logs as kernels write them, torn ones too. */
#include "unit.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "common/kv.h"
#include "common/trace.h"

static struct trace t;
static char why[TRACE_WHY_MAX];

static void feed(const char *text)
{
	trace_init(&t);
	trace_feed_text(&t, text, strlen(text));
	trace_why(&t, why, sizeof(why));
}

static void test_panic(void **state)
{
	(void)state;
	feed("[   14.861774] sysrq: Trigger a crash\r\n"
	     "[   14.862881] Kernel panic - not syncing: sysrq triggered crash\r\n"
	     "[   14.863341] CPU: 1 UID: 0 PID: 166 Comm: fault Kdump: loaded Not tainted 6.12.117 #1\r\n"
	     "[   14.863938] Call Trace:\r\n[   14.865517]  <TASK>\r\n[   14.865752]  panic+0x344/0x3a0\r\n[   14.866140]  ? _printk+0x64/0x80\r\n"
	     "[   14.866263]  sysrq_handle_crash+0x1a/0x20\r\n[   14.866355]  __handle_sysrq+0xa7/0x1a0\r\n"
	     "[   14.866418]  write_sysrq_trigger+0x59/0x80\r\n[   14.866483]  proc_reg_write+0x5a/0xa0\r\n[   14.866546]  vfs_write+0xf8/0x450\r\n"
	     "[   14.871472]  </TASK>\r\n[   14.9] ---[ end Kernel panic - not syncing: sysrq triggered crash ]---\r\n");
	assert_int_equal(t.panicked, 1);
	assert_int_equal(t.done, 1);
	assert_string_equal(trace_name(&t), "panic");
	assert_string_equal(why, "sysrq triggered crash: sysrq_handle_crash < __handle_sysrq < write_sysrq_trigger < proc_reg_write");
}

static void test_oops(void **state)
{
	static const char text[] =
		"<1>[   20.1][  T166] BUG: kernel NULL pointer dereference, address: 0000000000000010\n"
		"<1>[   20.1][  T166] #PF: supervisor write access in kernel mode\n"
		"<4>[   20.1][  T166] Oops: 0002 [#1] PREEMPT SMP NOPTI\n"
		"<4>[   20.1][  T166] RIP: 0010:break_it+0x5/0x10 [kdfault]\n"
		"<4>[   20.1][  T166] Call Trace:\n<4>[   20.1][  T166]  <TASK>\n<4>[   20.1][  T166]  ? __die+0x23/0x70\n"
		"<4>[   20.1][  T166]  do_one_initcall+0x59/0x320\n<4>[   20.1][  T166]  </TASK>\n"
		"<0>[   20.2][  T166] Kernel panic - not syncing: Fatal exception\n<0>[   20.2][  T166] Kernel Offset: 0x1000000\n";

	(void)state;
	feed(text);
	assert_string_equal(trace_name(&t), "oops");
	assert_string_equal(why, "BUG: kernel NULL pointer dereference, address: 0000000000000010 at break_it+0x5/0x10 [kdfault]: do_one_initcall");
	/* an oops that was survived is not what killed it */
	feed("BUG: kernel NULL pointer dereference\nRIP: 0010:a+0x1/0x2\nCall Trace:\n b+0x1/0x2\n </TASK>\n"
	     "Kernel panic - not syncing: Attempted to kill init! exitcode=0x0000000b\nCall Trace:\n dump_stack+0x1/0x2\n do_exit+0x1/0x2\n");
	assert_string_equal(trace_name(&t), "panic");
	assert_string_equal(why, "Attempted to kill init! exitcode=0x0000000b: do_exit");
	/* nothing is left of it but the panic */
	feed("Kernel panic - not syncing: Fatal exception in interrupt\n");
	assert_string_equal(trace_name(&t), "oops");
	assert_string_equal(why, "Fatal exception in interrupt");
	/* every beginning and every end of it */
	for (size_t i = 0; i < sizeof(text); i++) {
		trace_init(&t);
		trace_feed_text(&t, text, i);
		trace_why(&t, why, sizeof(why));
		trace_init(&t);
		trace_feed_text(&t, text + i, strlen(text + i));
		trace_why(&t, why, sizeof(why));
	}
}

static void test_nothing(void **state)
{
	(void)state;
	feed("");
	assert_int_equal(t.panicked, 0);
	assert_string_equal(why, "");
	feed("all is well\n[    1.0] Call Trace: no\n");
	assert_int_equal(t.panicked, 0);
	feed("Kernel panic - not syncing\n");
	assert_int_equal(t.panicked, 1);
	assert_string_equal(why, "");
	feed("\x1b[31mKernel panic - not syncing: \x1b[2J\xff\x07 red\n");
	assert_string_equal(why, "?[2J?? red");
}

/* Whatever comes, it is bounded and can be printed. */
static void test_random(void **state)
{
	static const char *const bits[] = {"BUG: ",    "RIP: 0010:", "Call Trace:", " x+0x1/0x2", "Kernel panic - not syncing: ",
	                                   "[  1.2] ", "<4>",        "Oops: ",      "\n",         "\x01\xff",
	                                   "</TASK>",  "end "};
	char text[4096];

	(void)state;
	srand(1);
	for (int round = 0; round < 2000; round++) {
		size_t n = 0;

		while (n < sizeof(text) - 40) {
			const char *b = bits[(size_t)rand() % (sizeof(bits) / sizeof(bits[0]))];

			memcpy(text + n, b, strlen(b));
			n += strlen(b);
			if (rand() % 300 == 0)
				break;
		}
		trace_init(&t);
		trace_feed_text(&t, text, n);
		trace_why(&t, why, sizeof(why));
		assert_true(strlen(why) < sizeof(why));
		for (size_t i = 0; why[i]; i++)
			assert_true(why[i] >= ' ' && why[i] <= '~');
	}
}

static void test_tail(void **state)
{
	static const char text[] = "one\ntwo two\nthree\n";
	char out[256];

	(void)state;
	assert_int_equal(trace_tail(text, strlen(text), 1000), 0);
	assert_int_equal(trace_tail(text, strlen(text), 0), strlen(text));
	assert_int_equal(trace_tail("", 0, 10), 0);
	assert_string_equal(text + trace_tail(text, strlen(text), 8), "three\n"); /* five letters and an escaped newline */
	assert_int_equal(trace_tail(text, strlen(text), 7), strlen(text));
	assert_string_equal(text + trace_tail(text, strlen(text), 20), "two two\nthree\n"); /* 6 letters, blank and newline escaped */
	assert_string_equal(text + trace_tail(text, strlen(text), 19), "three\n");
	for (size_t max = 0; max < 60; max++) {
		size_t at = trace_tail(text, strlen(text), max);
		long n = kv_escape(out, sizeof(out), text + at, strlen(text) - at);

		assert_true(n >= 0 && (size_t)n <= max);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_panic),  cmocka_unit_test(test_oops), cmocka_unit_test(test_nothing),
		cmocka_unit_test(test_random), cmocka_unit_test(test_tail),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
