/* SPDX-License-Identifier: GPL-2.0-or-later */
/* leftover: what a test leaves is found by its score and ended, wherever it has gone; nothing else is touched. */
#include "../common/unit.h"

#include <dirent.h>
#include <sched.h>
#include <signal.h>
#include <stdlib.h>
#include <sys/mount.h>
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

static void test_session(void **state)
{
	long session = 0;

	(void)state;
	assert_int_equal(leftover_parse_session("77 (sh) S 1 77 70 1025 77 4194304 1", &session), 0);
	assert_int_equal(session, 70);
	assert_int_equal(leftover_parse_session("78 (a) R 9 9 9) S 1 78 55 0 -1", &session), 0);
	assert_int_equal(session, 55);
	assert_int_equal(leftover_parse_session("79 () Z 1 79 0 0", &session), 0);
	assert_int_equal(session, 0);
	assert_int_equal(leftover_parse_session("", &session), -1);
	assert_int_equal(leftover_parse_session("77 (sh)", &session), -1);
	assert_int_equal(leftover_parse_session("77 (sh) S 1 77", &session), -1);
	assert_int_equal(leftover_parse_session("77 (sh) S one 77 70 0", &session), -1);
}

/*
 * The runner, in a pid namespace where there is nobody else: its own child lives, and none of those that have gone elsewhere. 0, or the step
 * that failed.
 */
static int end_strangers(void)
{
	int fd[2];
	pid_t pid[8], own, parent;
	unsigned found = 0;
	char self[16];
	ssize_t n = readlink("/proc/self", self, sizeof(self) - 1);

	self[n > 0 ? n : 0] = 0;
	if (setsid() < 0 || getppid() != 1 || atoi(self) != getpid() || io_pipe(fd))
		return 1; /* not where it may kill */
	own = fork();
	if (!own)
		for (;;)
			pause();
	parent = fork();
	if (!parent) {
		setsid();
		leave_some(fd[1], 8);
	}
	for (unsigned i = 0; i < 8; i++)
		if (read(fd[0], &pid[i], sizeof(pid[i])) != (ssize_t)sizeof(pid[i]))
			return 2;
	if (alive(pid, 8) != 8)
		return 3;
	if (leftover_kill_strangers((long)getsid(0), 10000, &found, who, sizeof(who)) || found < 8)
		return 4;
	if (alive(pid, 8))
		return 5;
	if (alive(&own, 1) != 1)
		return 6;
	return leftover_kill_strangers((long)getsid(0), 1000, &found, who, sizeof(who)) || found ? 7 : 0;
}

static _Noreturn void be_pid_1(void)
{
	int status = 1 << 8;
	pid_t runner, pid;

	if (mount("none", "/", NULL, MS_REC | MS_PRIVATE, NULL) || mount("proc", "/proc", "proc", 0, NULL))
		_exit(99);
	runner = fork();
	if (!runner)
		_exit(end_strangers());
	while ((pid = waitpid(-1, &status, 0)) > 0 && pid != runner)
		;
	_exit(WEXITSTATUS(status));
}

static void test_strangers(void **state)
{
	int status;
	pid_t child = fork();

	(void)state;
	if (!child) {
		pid_t init;

		if (unshare(CLONE_NEWPID | CLONE_NEWNS))
			_exit(99);
		init = fork();
		if (!init)
			be_pid_1();
		_exit(waitpid(init, &status, 0) == init ? WEXITSTATUS(status) : 98);
	}
	assert_int_equal(waitpid(child, &status, 0), child);
	if (WEXITSTATUS(status) == 99)
		skip(); /* no namespaces here */
	assert_int_equal(WEXITSTATUS(status), 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_stat),      cmocka_unit_test(test_old_scale), cmocka_unit_test(test_escaped),
		cmocka_unit_test(test_runs_away), cmocka_unit_test(test_session),   cmocka_unit_test(test_strangers),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
