/* SPDX-License-Identifier: GPL-2.0-or-later */
/* leftover: what a test leaves is found by its score and ended, wherever it has gone; nothing else is touched. */
#include "../common/unit.h"

#include <dirent.h>
#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

#include "box/leftover.h"
#include "common/clock.h"
#include "common/io.h"
#include "common/proc.h"

static char who[120];

static void test_stat(void **state)
{
	char name[16], st = 0;

	(void)state;
	assert_int_equal(leftover_parse_stat("12 (sh) S 1 2", name, sizeof(name), &st), 0);
	assert_string_equal(name, "sh");
	assert_int_equal(st, 'S');
	assert_int_equal(leftover_parse_stat("12 (a) R (b) D 1", name, sizeof(name), &st), 0);
	assert_string_equal(name, "a) R (b");
	assert_int_equal(st, 'D');
	assert_int_equal(leftover_parse_stat("12 (a long name that is cut) Z", name, sizeof(name), &st), 0);
	assert_int_equal(st, 'Z');
	assert_int_equal(leftover_parse_stat("12 (sh)", name, sizeof(name), &st), -1);
	assert_int_equal(leftover_parse_stat("12 sh S", name, sizeof(name), &st), -1);
	assert_int_equal(leftover_parse_stat(")(", name, sizeof(name), &st), -1);
	assert_int_equal(leftover_parse_stat("", name, sizeof(name), &st), -1);
}

static void test_old_scale(void **state)
{
	(void)state;
	assert_int_equal(proc_oom_adj(-1000), -17);
	assert_int_equal(proc_oom_adj(1000), 15);
	assert_int_equal(proc_oom_adj(0), 0);
	assert_int_equal(proc_oom_adj(1), 1);
	assert_int_equal(proc_oom_adj(-1), -1);
	assert_int_equal(proc_oom_adj(LEFTOVER_SCORE), 9);
}

/* A score that no process of this machine has now: what is killed here must be ours. 0: there is none. */
static int free_score(void)
{
	for (int score = 901; score < 990; score++) {
		DIR *d = opendir("/proc");
		const struct dirent *e;
		char path[300], text[16];
		int taken = 0;

		while (d && (e = readdir(d))) {
			snprintf(path, sizeof(path), "/proc/%s/oom_score_adj", e->d_name);
			if (io_read_small(path, text, sizeof(text)) > 0)
				taken |= atoi(text) == score;
		}
		if (d)
			closedir(d);
		if (d && !taken)
			return score;
	}
	return 0;
}

/* What is alive and has written its pid to the pipe. */
static unsigned alive(const pid_t *pid, unsigned n)
{
	unsigned left = 0;
	char path[64], text[300], *close;

	for (unsigned i = 0; i < n; i++) {
		snprintf(path, sizeof(path), "/proc/%d/stat", (int)pid[i]);
		if (io_read_small(path, text, sizeof(text)) <= 0 || !(close = strrchr(text, ')')))
			continue;
		left += close[2] != 'Z';
	}
	return left;
}

/* Each in a session of its own, deaf to TERM, its parent gone. */
static void leave_some(int fd, unsigned n)
{
	signal(SIGTERM, SIG_IGN);
	for (unsigned i = 0; i < n; i++)
		if (!fork()) {
			pid_t pid;

			setsid();
			if (fork())
				_exit(0);
			pid = getpid();
			if (write(fd, &pid, sizeof(pid)) != (ssize_t)sizeof(pid))
				_exit(1);
			for (;;)
				pause();
		}
	_exit(0);
}

static void test_escaped(void **state)
{
	int fd[2], score = free_score(), status;
	pid_t pid[8], child;

	(void)state;
	if (!score)
		skip();
	assert_int_equal(leftover_kill(score, 1000, who, sizeof(who)), 0);
	assert_int_equal(io_pipe(fd), 0);
	child = fork();
	if (!child) {
		if (proc_set_oom(score))
			_exit(9);
		leave_some(fd[1], 8);
	}
	assert_int_equal(waitpid(child, &status, 0), child);
	if (WEXITSTATUS(status) == 9)
		skip(); /* not here */
	for (unsigned i = 0; i < 8; i++)
		assert_int_equal(read(fd[0], &pid[i], sizeof(pid[i])), sizeof(pid[i]));
	assert_int_equal(alive(pid, 8), 8);
	assert_int_equal(leftover_kill(score, 10000, who, sizeof(who)), 0);
	assert_int_equal(alive(pid, 8), 0);
	close(fd[0]);
	close(fd[1]);
}

/* Each forks the next and ends: killing what one sees is never enough. Bounded, should it live: it ends by itself after some thousand. */
static void run_away(void)
{
	for (int i = 0; i < 3000; i++) {
		if (fork())
			_exit(0);
		setsid();
		usleep(2000);
	}
	_exit(0);
}

static void test_runs_away(void **state)
{
	int score = free_score(), status;
	pid_t child;

	(void)state;
	if (!score)
		skip();
	child = fork();
	if (!child) {
		if (proc_set_oom(score))
			_exit(9);
		run_away();
	}
	assert_int_equal(waitpid(child, &status, 0), child);
	if (WEXITSTATUS(status) == 9)
		skip();
	assert_int_equal(leftover_kill(score, 10000, who, sizeof(who)), 0);
	assert_int_equal(leftover_kill(score, 0, who, sizeof(who)), 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_stat),
		cmocka_unit_test(test_old_scale),
		cmocka_unit_test(test_escaped),
		cmocka_unit_test(test_runs_away),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
