/* SPDX-License-Identifier: GPL-2.0-or-later */
/* proc_pidfile: a pid file names the process it was written for and no later one, and ends no other. */
#include "proc_fixture.h"

#include <errno.h>
#include <signal.h>
#include <sys/wait.h>

static void test_pidfile(void **state)
{
	struct proc p = {.argv = SH("sleep 60"), .fd = {-1, -1, -1, -1}, .new_session = 1};
	char path[512], buf[64], *end;
	unsigned long long start;

	(void)state;
	snprintf(path, sizeof(path), "%s/server.pid", dir.path);
	assert_int_equal(proc_pidfile_check(path), 0);
	assert_int_equal(proc_pidfile_stop(path, 100), 0); /* nothing to stop */
	assert_int_equal(proc_start(&p), 0);
	assert_int_equal(proc_pidfile_write(path, p.pid), 0);
	assert_int_equal(proc_pidfile_check(path), p.pid);
	/* The same pid with another start time is another process: it is none, and gets no signal. */
	assert_true(io_read_small(path, buf, sizeof(buf)) > 0);
	start = strtoull(strchr(buf, ' '), &end, 10);
	assert_string_equal(end, "\n");
	snprintf(buf, sizeof(buf), "%d %llu\n", (int)p.pid, start - 1);
	assert_int_equal(io_write_file(path, buf, strlen(buf), 0644), 0);
	assert_int_equal(proc_pidfile_check(path), 0);
	assert_int_equal(proc_pidfile_stop(path, 100), 0);
	assert_int_equal(access(path, F_OK), -1);
	assert_int_equal(proc_poll(&p), 0);
	/* And the real one is ended. */
	assert_int_equal(proc_pidfile_write(path, p.pid), 0);
	assert_int_equal(proc_pidfile_stop(path, 2000), 0);
	assert_int_equal(access(path, F_OK), -1);
	assert_int_equal(proc_wait(&p, 2000, 0), 0);
	assert_int_equal(p.timed_out, 0);
	assert_int_equal(WTERMSIG(p.status), SIGTERM);
	assert_int_equal(proc_pidfile_write(path, p.pid), -ESRCH);
	assert_int_equal(proc_pidfile_write(path, 1), -EINVAL);
	assert_int_equal(proc_pidfile_write(path, -5), -EINVAL);
}

static void test_pidfile_corpse(void **state)
{
	struct proc p = {.argv = SH("sleep 60"), .fd = {-1, -1, -1, -1}};
	char path[512];

	(void)state;
	snprintf(path, sizeof(path), "%s/server.pid", dir.path);
	assert_int_equal(proc_start(&p), 0);
	assert_int_equal(proc_pidfile_write(path, p.pid), 0);
	proc_kill(&p, SIGKILL);
	for (int i = 0; i < 200 && still_runs(p.pid); i++)
		clock_sleep_ms(10);
	assert_int_equal(proc_pidfile_check(path), 0); /* a zombie does not run */
	assert_int_equal(proc_wait(&p, 2000, 0), 0);
	assert_int_equal(proc_pidfile_check(path), 0);
}

static void test_pidfile_kill(void **state)
{
	struct proc p = {.argv = SH("trap '' TERM; echo $$ >ready; sleep 60; sleep 60"), .dir = dir.path, .fd = {-1, -1, -1, -1}};
	char path[512];

	(void)state;
	snprintf(path, sizeof(path), "%s/server.pid", dir.path);
	assert_int_equal(proc_start(&p), 0);
	assert_int_equal(read_pid("ready"), p.pid);
	assert_int_equal(proc_pidfile_write(path, p.pid), 0);
	assert_int_equal(proc_pidfile_stop(path, 100), 0);
	assert_int_equal(proc_wait(&p, 2000, 0), 0);
	assert_int_equal(WTERMSIG(p.status), SIGKILL);
}

static void test_pidfile_refused(void **state)
{
	static const char *const bad[] = {"", "\n", "12\n", "x 1\n", "1 1\n", "0 1\n", "-1 1\n", "99 1", "99 1 2\n", "9999999999 1\n", "99 x\n"};

	(void)state;
	for (size_t i = 0; i < sizeof(bad) / sizeof(bad[0]); i++) {
		assert_int_equal(io_write_file(unit_path(&dir, "p"), bad[i], strlen(bad[i]), 0644), 0);
		if (proc_pidfile_check(unit_path(&dir, "p")) != -EINVAL)
			fail_msg("taken: %s", bad[i]);
		assert_int_equal(proc_pidfile_stop(unit_path(&dir, "p"), 0), -EINVAL);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup_teardown(test_pidfile, setup, teardown),
		cmocka_unit_test_setup_teardown(test_pidfile_corpse, setup, teardown),
		cmocka_unit_test_setup_teardown(test_pidfile_kill, setup, teardown),
		cmocka_unit_test_setup_teardown(test_pidfile_refused, setup, teardown),
	};

	return cmocka_run_group_tests_name("proc_pidfile", tests, NULL, NULL);
}
