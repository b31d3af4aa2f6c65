/* SPDX-License-Identifier: GPL-2.0-or-later */
/* err: one harmless line, the right exit status, and the nearest word. */
#include "unit.h"

#include <errno.h>
#include <sys/wait.h>

#include "common/err.h"

static void clean(const char *in, const char *want)
{
	char out[256];

	assert_int_equal(err_clean(out, sizeof(out), in), strlen(want));
	assert_string_equal(out, want);
}

static void test_clean(void **state)
{
	char out[8];

	(void)state;
	clean("", "");
	clean("plain ~", "plain ~");
	clean("\x1b[31mred\x07\r\n\t\x7f", "\\x1b[31mred\\x07\\x0d\\x0a\\x09\\x7f");
	clean("\xc3\xa4\xe2\x82\xac\xf0\x9f\x98\x80", "\xc3\xa4\xe2\x82\xac\xf0\x9f\x98\x80"); /* two, three, four bytes */
	clean("\xc2\x9b"
	      "31m",
	      "\\xc2\\x9b31m");                   /* C1: CSI */
	clean("\xe2\x80\xae", "\\xe2\\x80\\xae"); /* right-to-left override */
	clean("\xe2\x81\xa6", "\\xe2\\x81\\xa6");
	clean("\xff\xfe", "\\xff\\xfe");
	clean("\xc3", "\\xc3");          /* cut off */
	clean("\xc0\x9b", "\\xc0\\x9b"); /* too long a form of ESC */
	clean("\xe0\x80\x9b", "\\xe0\\x80\\x9b");
	clean("\xed\xa0\x80", "\\xed\\xa0\\x80");                       /* a surrogate */
	clean("\xf4\x90\x80\x80", "\\xf4\\x90\\x80\\x80");              /* past the last one */
	assert_int_equal(err_clean(out, sizeof(out), "123456\x1b"), 6); /* nothing is cut in the middle */
	assert_string_equal(out, "123456");
	assert_int_equal(err_clean(out, sizeof(out), "123456789"), 7);
	assert_int_equal(err_clean(out, 1, "x"), 0);
	assert_int_equal(err_clean(out, 0, "x"), 0);
}

enum call { WARN, DIE, USAGE, CODE };

/* What a call writes to stderr, and the exit status. */
static int capture(enum call call, const char *fmt, const char *arg, char *out, size_t size)
{
	int fd[2], status;
	ssize_t n;
	pid_t pid;

	assert_int_equal(pipe(fd), 0);
	pid = fork();
	assert_true(pid >= 0);
	if (!pid) {
		dup2(fd[1], 2);
		errno = ENOENT;
#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wformat-nonliteral"
		if (call == WARN)
			err_warn(fmt, arg);
		else if (call == DIE)
			err_die(fmt, arg);
		else if (call == USAGE)
			err_usage(fmt, arg);
		else
			err_die_code(-EIO, fmt, arg);
#pragma GCC diagnostic pop
		_exit(0);
	}
	close(fd[1]);
	n = read(fd[0], out, size - 1);
	assert_true(n >= 0);
	out[n] = 0;
	close(fd[0]);
	assert_int_equal(waitpid(pid, &status, 0), pid);
	assert_true(WIFEXITED(status));
	return WEXITSTATUS(status);
}

static void test_messages(void **state)
{
	static char longer[5000], out[8192];

	(void)state;
	assert_int_equal(capture(WARN, "open %s:", "x", out, sizeof(out)), 0);
	assert_string_equal(out, "open x: No such file or directory\n");
	err_set_name("kdyno");
	assert_int_equal(capture(WARN, "no such %s", "thing", out, sizeof(out)), 0);
	assert_string_equal(out, "kdyno: no such thing\n");
	assert_int_equal(capture(DIE, "open %s:", "a\nb\x1b", out, sizeof(out)), EXIT_FAIL);
	assert_string_equal(out, "kdyno: open a\\x0ab\\x1b: No such file or directory\n");
	assert_int_equal(capture(USAGE, "what is %s", "it", out, sizeof(out)), EXIT_USAGE);
	assert_string_equal(out, "kdyno: what is it\n");
	assert_int_equal(capture(CODE, "read %s:", "y", out, sizeof(out)), EXIT_FAIL);
	assert_string_equal(out, "kdyno: read y: Input/output error\n");
	assert_int_equal(capture(WARN, "a colon in an argument is none: %s", "x:", out, sizeof(out)), 0);
	assert_string_equal(out, "kdyno: a colon in an argument is none: x:\n");
	memset(longer, 0x1b, sizeof(longer) - 1); /* cut, and still one line with its end */
	assert_int_equal(capture(WARN, "open %s:", longer, out, sizeof(out)), 0);
	assert_true(strlen(out) < 2100);
	assert_string_equal(out + strlen(out) - 26, "No such file or directory\n");
	err_set_name(NULL);
}

static void test_nearest(void **state)
{
	static const char *const list[] = {"kernel", "variant", "rounds", "run", "switch", NULL};
	char longer[200];

	(void)state;
	assert_string_equal(err_nearest("kernal", list), "kernel");
	assert_string_equal(err_nearest("variants", list), "variant");
	assert_string_equal(err_nearest("round", list), "rounds");
	assert_string_equal(err_nearest("ru", list), "run");
	assert_string_equal(err_nearest("swich", list), "switch");
	assert_string_equal(err_nearest("run", list), "run");
	assert_string_equal(err_nearest("rnu", list), "run"); /* two letters swapped are one edit */
	assert_string_equal(err_nearest("urn", list), "run");
	assert_string_equal(err_nearest("firts", (const char *const[]){"first", NULL}), "first");
	assert_null(err_nearest("ifrts", (const char *const[]){"first", NULL}));
	assert_null(err_nearest("bananas", list));
	assert_null(err_nearest("", list));
	assert_null(err_nearest("x", list));
	memset(longer, 'a', sizeof(longer));
	longer[sizeof(longer) - 1] = 0;
	assert_null(err_nearest(longer, list));
	assert_null(err_nearest("run", (const char *const[]){longer, NULL}));
	assert_null(err_nearest("run", (const char *const[]){NULL}));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_clean),
		cmocka_unit_test(test_messages),
		cmocka_unit_test(test_nearest),
	};

	return cmocka_run_group_tests_name("err", tests, NULL, NULL);
}
