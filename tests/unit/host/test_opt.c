/* SPDX-License-Identifier: GPL-2.0-or-later */
/* opt: options of a subcommand: what is filled, what is left, what ends the command with 2. */
#include "../common/unit.h"

#include <fcntl.h>
#include <sys/wait.h>

#include "host/cmd.h"

static int flag;
static const char *text;
static uint64_t number;
static char *list;

static const struct opt opts[] = {
	{"flag", OPT_FLAG, NULL, "a flag", &flag},
	{"text", OPT_STR, "T", "a text", &text},
	{"number", OPT_U64, "N", "a number", &number},
	{"list", OPT_LIST, "A,B", "a list", &list},
	{0},
};
static const struct cmd cmd = {.name = "x y", .args = "WORD", .summary = "for the test", .opts = opts};

static int parse(const char *line, char **argv)
{
	static char copy[256];
	int argc = 0;
	char *save;
	snprintf(copy, sizeof copy, "%s", line);
	for (char *w = strtok_r(copy, " ", &save); w; w = strtok_r(NULL, " ", &save))
		argv[argc++] = w;
	argv[argc] = NULL;
	flag = 0, text = NULL, number = 0;
	free(list);
	list = NULL;
	return opt_parse(&cmd, argc, argv);
}

static void test_taken(void **state)
{
	char *argv[32];
	(void)state;
	assert_int_equal(parse("a --flag b --text=t --number 7 --list p,q --list r c", argv), 3);
	assert_string_equal(argv[0], "a");
	assert_string_equal(argv[2], "c");
	assert_null(argv[3]);
	assert_int_equal(flag, 1);
	assert_string_equal(text, "t");
	assert_int_equal(number, 7);
	assert_string_equal(list, "p,q,r");
	assert_int_equal(parse("--text -- -- --flag -", argv), 2);
	assert_string_equal(text, "--");
	assert_string_equal(argv[0], "--flag");
	assert_string_equal(argv[1], "-");
	assert_int_equal(flag, 0);
	assert_int_equal(parse("--text=", argv), 0);
	assert_string_equal(text, "");
	assert_int_equal(parse("", argv), 0);
	free(list);
	list = NULL;
}

/* Behind a box, what follows is another program's. */
static void test_rest(void **state)
{
	static const struct cmd rest = {.name = "x", .opts = opts, .rest = 1};
	char text_of[] = "--flag", box[] = "box",
	     *argv[] = {text_of, box, (char[]){"ls"}, (char[]){"-l"}, (char[]){"--text"}, (char[]){"--help"}, NULL};
	(void)state;
	flag = 0;
	assert_int_equal(opt_parse(&rest, 6, argv), 5);
	assert_int_equal(flag, 1);
	assert_string_equal(argv[0], "box");
	assert_string_equal(argv[2], "-l");
	assert_string_equal(argv[4], "--help");
}

static void test_lab(void **state)
{
	char *argv[32], cwd[512], want[600];
	(void)state;
	unsetenv("KDYNO_LAB");
	assert_non_null(getcwd(cwd, sizeof cwd));
	snprintf(want, sizeof want, "%s/lab", cwd);
	assert_string_equal(cmd_lab(), want);
	assert_int_equal(parse("a --lab /x/y b", argv), 2);
	assert_string_equal(cmd_lab(), "/x/y");
	assert_int_equal(parse("--lab=./z", argv), 0);
	snprintf(want, sizeof want, "%s/z", cwd);
	assert_string_equal(cmd_lab(), want);
}

/* Exit status of a parse that ends the process, its stderr in says. */
static int ends(const char *line, char says[512])
{
	int fd[2], status;
	assert_int_equal(pipe(fd), 0);
	fflush(NULL);
	pid_t pid = fork();
	if (!pid) {
		char *argv[32];
		dup2(fd[1], 1);
		dup2(fd[1], 2);
		close(fd[0]);
		parse(line, argv);
		_exit(99);
	}
	close(fd[1]);
	size_t n = 0;
	for (ssize_t r; n < 511 && (r = read(fd[0], says + n, 511 - n)) > 0;)
		n += (size_t)r;
	says[n] = 0;
	close(fd[0]);
	assert_int_equal(waitpid(pid, &status, 0), pid);
	return WEXITSTATUS(status);
}

static void test_refused(void **state)
{
	static const struct {
		const char *line, *says;
	} bad[] = {
		{"--flog", "did you mean --flag"}, {"--text", "wants a value"},      {"--number x", "a number was expected"},
		{"--number -1", "a number"},       {"--number=", "a number"},        {"--number 99999999999999999999", "a number"},
		{"--flag --flag", "stands twice"}, {"--flag=1", "takes no value"},   {"--text a --text b", "stands twice"},
		{"-f", "unknown option -f"},       {"--zzzzzzzzz=1", "--zzzzzzzzz"}, {"--lab", "wants a value"},
	};
	char says[512];
	(void)state;
	for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
		assert_int_equal(ends(bad[i].line, says), 2);
		if (!strstr(says, bad[i].says))
			fail_msg("%s: '%s' does not say '%s'", bad[i].line, says, bad[i].says);
		assert_ptr_equal(strchr(says, '\n'), says + strlen(says) - 1); /* one line */
	}
	assert_int_equal(ends("--help", says), 0);
	assert_non_null(strstr(says, "usage: kdyno x y WORD"));
	assert_non_null(strstr(says, "--number N"));
	assert_non_null(strstr(says, "--lab DIR"));
}

int main(void)
{
	const struct CMUnitTest tests[] = {cmocka_unit_test(test_taken), cmocka_unit_test(test_rest), cmocka_unit_test(test_lab),
	                                   cmocka_unit_test(test_refused)};
	return cmocka_run_group_tests_name("opt", tests, NULL, NULL);
}
