/* SPDX-License-Identifier: GPL-2.0-or-later */
/* proc: children start with what they were given, end in time with all that they started. */
#include "proc_fixture.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <sys/wait.h>


static int run(const char *const *argv, uint64_t timeout_ms, struct proc *p)
{
	int err;

	*p = (struct proc){.argv = argv, .fd = {-1, -1, -1, -1}};
	err = proc_start(p);
	return err ? err : proc_wait(p, timeout_ms, 200);
}

static void test_exit_status(void **state)
{
	struct proc p;

	(void)state;
	assert_int_equal(run(SH("exit 7"), 5000, &p), 0);
	assert_true(WIFEXITED(p.status));
	assert_int_equal(WEXITSTATUS(p.status), 7);
	assert_int_equal(p.timed_out, 0);
	assert_true(p.usage.ru_maxrss > 0);
	assert_int_equal(proc_poll(&p), 1); /* again, and no harm */
	assert_int_equal(proc_wait(&p, 0, 0), 0);
	assert_int_equal(run(SH("kill -9 $$"), 5000, &p), 0);
	assert_true(WIFSIGNALED(p.status));
	assert_int_equal(run((const char *const[]){"true", NULL}, 5000, &p), 0); /* by PATH */
	assert_int_equal(p.status, 0);
}

static void test_start_errors(void **state)
{
	struct proc p;
	static const char *const script[] = {NULL, NULL};
	const char *argv[2] = {NULL, NULL};

	(void)state;
	assert_int_equal(run((const char *const[]){"/nonexistent/x", NULL}, 5000, &p), -ENOENT);
	assert_int_equal(p.pid, 0);
	assert_int_equal(proc_poll(&p), -ECHILD);
	assert_int_equal(run((const char *const[]){"no-such-program-here", NULL}, 5000, &p), -ENOENT);
	assert_int_equal(io_write_file(unit_path(&dir, "plain"), "x", 1, 0644), 0);
	argv[0] = unit_path(&dir, "plain");
	assert_int_equal(run(argv, 5000, &p), -EACCES);
	assert_int_equal(io_write_file(unit_path(&dir, "junk"), "\x01\x02", 2, 0755), 0);
	argv[0] = unit_path(&dir, "junk");
	assert_int_equal(run(argv, 5000, &p), -ENOEXEC);
	assert_int_equal(run(script, 5000, &p), -EINVAL);
	p = (struct proc){.argv = SH("true"), .dir = "/nonexistent", .fd = {-1, -1, -1, -1}};
	assert_int_equal(proc_start(&p), -ENOENT);
	p = (struct proc){.argv = SH("true"), .fd = {999, -1, -1, -1}};
	assert_int_equal(proc_start(&p), -EBADF);
	assert_int_equal(waitpid(-1, NULL, WNOHANG), -1); /* no corpse was left */
	assert_int_equal(errno, ECHILD);
}

static void test_env_and_dir(void **state)
{
	const char *const env[] = {"KD_X=seen", "PATH=/bin:/usr/bin", NULL};
	char buf[512], want[512];
	int fd[2];
	struct proc p;

	(void)state;
	assert_int_equal(pipe(fd), 0);
	io_set_cloexec(fd[0]);
	p = (struct proc){.argv = SH("echo $KD_X $HOME; pwd -P"), .env = env, .dir = dir.path, .fd = {-1, fd[1], -1, -1}};
	assert_int_equal(proc_start(&p), 0);
	close(fd[1]);
	assert_int_equal(proc_wait(&p, 5000, 100), 0);
	buf[read(fd[0], buf, sizeof(buf) - 1)] = 0;
	close(fd[0]);
	snprintf(want, sizeof(want), "seen\n%s\n", dir.path);
	assert_string_equal(buf, want);
}

/* A file whose text says which it is, opened at a given fd of this process. */
static void open_at(int at, const char *name)
{
	int fd;

	assert_int_equal(io_write_file(unit_path(&dir, name), name, strlen(name), 0644), 0);
	fd = open(unit_path(&dir, name), O_RDONLY);
	assert_true(fd >= 0);
	if (fd != at) {
		assert_int_equal(dup2(fd, at), at);
		close(fd);
	}
}

/*
 * In a child of the test, whose own 0..3 are then free to play with: 0 to 3 hold files a to d; the program gets them as `map`
 * says, and writes what it finds on each to `out`.
 */
static void check_map(const int map[4], const char *want)
{
	char script[1024], buf[64];
	int status;
	pid_t pid;

	snprintf(script, sizeof(script),
	         "exec 9>%s/out; cat <&0 >&9; cat <&1 >&9; cat <&2 >&9; if ( : <&3 ) 2>/dev/null; then cat <&3 >&9; else printf closed >&9; fi",
	         dir.path);
	pid = fork();
	assert_true(pid >= 0);
	if (!pid) {
		struct proc p = {.argv = SH(script), .fd = {map[0], map[1], map[2], map[3]}};

		for (int i = 0; i < 4; i++) {
			char name[2] = {(char)('a' + i), 0};

			open_at(i, name);
		}
		_exit(proc_start(&p) || proc_wait(&p, 5000, 100) || p.status);
	}
	assert_int_equal(waitpid(pid, &status, 0), pid);
	assert_int_equal(status, 0);
	assert_true(io_read_small(unit_path(&dir, "out"), buf, sizeof(buf)) >= 0);
	assert_string_equal(buf, want);
}

static void test_fds_overlap(void **state)
{
	(void)state;
	check_map((const int[]){0, 1, 2, 3}, "abcd");
	check_map((const int[]){3, 2, 1, 0}, "dcba");
	check_map((const int[]){1, 2, 3, 0}, "bcda");
	check_map((const int[]){-1, 0, -1, -1}, "aclosed");
	check_map((const int[]){-1, -1, -1, 2}, "c");
}

/* With 0, 1 and 2 closed, pipes and /dev/null land there; the child must still get what it was promised. */
static void test_fds_when_stdio_is_closed(void **state)
{
	char buf[64];
	int status;
	pid_t pid = fork();

	(void)state;
	assert_true(pid >= 0);
	if (!pid) {
		char script[512];
		struct proc p = {.argv = SH(script), .fd = {-1, -1, -1, -1}};

		snprintf(script, sizeof(script), "exec 9>%s/out; cat; echo x; cd /proc/$$/fd; ( readlink 0 1 2 >&9 ); ! ( readlink 3 >&9 )",
		         dir.path);
		for (int i = 0; i < 4; i++)
			close(i);
		_exit(proc_start(&p) || proc_wait(&p, 5000, 100) || p.status);
	}
	assert_int_equal(waitpid(pid, &status, 0), pid);
	assert_int_equal(status, 0);
	assert_true(io_read_small(unit_path(&dir, "out"), buf, sizeof(buf)) >= 0);
	assert_string_equal(buf, "/dev/null\n/dev/null\n/dev/null\n");
}

static void ignore(int sig) { (void)sig; }

/* Blocked, ignored and handled signals of the parent are not the child's. */
static void test_signals_are_reset(void **state)
{
	sigset_t set, before;
	char out[2048];
	size_t len;
	int status;
	const char *line;

	(void)state;
	signal(SIGUSR1, SIG_IGN);
	signal(SIGUSR2, ignore);
	sigemptyset(&set);
	sigaddset(&set, SIGTERM);
	sigprocmask(SIG_BLOCK, &set, &before);
	assert_int_equal(proc_output((const char *const[]){"cat", "/proc/self/status", NULL}, 5000, out, sizeof(out), &len, &status), 0);
	sigprocmask(SIG_SETMASK, &before, NULL);
	signal(SIGUSR1, SIG_DFL);
	signal(SIGUSR2, SIG_DFL);
	for (const char *const *key = (const char *const[]){"SigBlk:\t", "SigIgn:\t", NULL}; *key; key++) {
		line = strstr(out, *key);
		assert_non_null(line);
		assert_int_equal(strtoull(line + 8, NULL, 16) & 0x7fffffff, 0); /* the C library's own above 31 aside */
	}
}

/* A server that outlives us must not hold open what our caller waits to see closed. */
static void test_servers_inherit_nothing(void **state)
{
	struct proc p = {.argv = SH("if ( : <&5 ) 2>/dev/null; then exit 1; fi"), .fd = {-1, -1, -1, -1}};

	(void)state;
	assert_int_equal(dup2(0, 5), 5); /* not close-on-exec, as from a careless parent */
	p.new_session = 1;
	assert_int_equal(proc_start(&p), 0);
	assert_int_equal(proc_wait(&p, 5000, 0), 0);
	assert_int_equal(p.status, 0);
	close(5);
}

static void test_groups(void **state)
{
	struct proc p = {.argv = SH("sleep 60"), .fd = {-1, -1, -1, -1}};

	(void)state;
	assert_int_equal(proc_start(&p), 0);
	assert_int_equal(getpgid(p.pid), p.pid);
	assert_int_equal(getsid(p.pid), getsid(0));
	assert_int_equal(proc_poll(&p), 0);
	proc_kill(&p, SIGKILL);
	assert_int_equal(proc_wait(&p, 5000, 0), 0);
	assert_int_equal(WTERMSIG(p.status), SIGKILL);
	p.new_session = 1;
	assert_int_equal(proc_start(&p), 0);
	assert_int_equal(getsid(p.pid), p.pid);
	proc_kill(&p, SIGTERM);
	assert_int_equal(proc_wait(&p, 5000, 0), 0);
	assert_int_equal(WTERMSIG(p.status), SIGTERM);
}

/* A child that dies of TERM, one that ignores it, and a grandchild that ignores it. */
static void test_timeout_ends_the_group(void **state)
{
	static const char *const traps[] = {"", "trap '' TERM;"};
	char script[1024];

	(void)state;
	for (int i = 0; i < 2; i++) {
		struct proc p = {.argv = SH(script), .fd = {-1, -1, -1, -1}};
		uint64_t start;
		pid_t grandchild;

		snprintf(script, sizeof(script), "sh -c 'trap \"\" TERM; echo $$ >%s/pid%d; sleep 60' & %s wait; wait; sleep 60", dir.path, i,
		         traps[i]);
		assert_int_equal(proc_start(&p), 0);
		snprintf(script, sizeof(script), "pid%d", i);
		grandchild = read_pid(script);
		assert_true(grandchild > 1);
		start = clock_now_ms();
		assert_int_equal(proc_wait(&p, 100, 300), 0);
		assert_true(clock_now_ms() - start < 3000);
		assert_true(clock_now_ms() - start >= 100);
		assert_int_equal(p.timed_out, 1);
		assert_true(WIFSIGNALED(p.status));
		for (int n = 0; n < 100 && still_runs(grandchild); n++)
			clock_sleep_ms(10);
		assert_false(still_runs(grandchild));
	}
}

static void test_grace_is_granted(void **state)
{
	struct proc p = {.argv = SH("trap 'exit 9' TERM; echo x >&3; while :; do sleep 0.05; done"), .fd = {-1, -1, -1, -1}};
	int fd[2];
	char c;

	(void)state;
	assert_int_equal(pipe(fd), 0);
	p.fd[3] = fd[1];
	assert_int_equal(proc_start(&p), 0);
	assert_int_equal(read(fd[0], &c, 1), 1); /* the trap is set */
	assert_int_equal(proc_wait(&p, 0, 10000), 0);
	assert_int_equal(p.timed_out, 1);
	assert_true(WIFEXITED(p.status));
	assert_int_equal(WEXITSTATUS(p.status), 9);
	close(fd[0]);
	close(fd[1]);
}

static void test_output(void **state)
{
	char out[16];
	size_t len;
	int status;

	(void)state;
	assert_int_equal(proc_output(SH("echo hello; echo no >&2; exit 3"), 5000, out, sizeof(out), &len, &status), 0);
	assert_string_equal(out, "hello\n");
	assert_int_equal(len, 6);
	assert_int_equal(status, 3);
	assert_int_equal(proc_output(SH("printf 123456789012345"), 5000, out, sizeof(out), &len, &status), 0);
	assert_int_equal(len, 15);
	assert_int_equal(proc_output(SH("printf 1234567890123456"), 5000, out, sizeof(out), &len, NULL), -EFBIG);
	assert_string_equal(out, "123456789012345");
	assert_int_equal(proc_output(SH("yes"), 5000, out, sizeof(out), NULL, NULL), -EFBIG);
	assert_int_equal(proc_output(SH("echo a; sleep 60"), 200, out, sizeof(out), &len, &status), -ETIMEDOUT);
	assert_string_equal(out, "a\n");
	assert_int_equal(proc_output(SH("exec >&-; sleep 60"), 200, out, sizeof(out), &len, &status), -ETIMEDOUT);
	assert_int_equal(status, 128 + SIGTERM);
	assert_int_equal(proc_output(SH("kill -9 $$"), 5000, out, sizeof(out), &len, &status), 0);
	assert_int_equal(status, 128 + SIGKILL);
	assert_int_equal(proc_output((const char *const[]){"/none", NULL}, 5000, out, sizeof(out), &len, &status), -ENOENT);
	assert_int_equal(len, 0);
	assert_int_equal(proc_output(SH("true"), 5000, out, 0, &len, &status), -EINVAL);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup_teardown(test_exit_status, setup, teardown),
		cmocka_unit_test_setup_teardown(test_start_errors, setup, teardown),
		cmocka_unit_test_setup_teardown(test_env_and_dir, setup, teardown),
		cmocka_unit_test_setup_teardown(test_fds_overlap, setup, teardown),
		cmocka_unit_test_setup_teardown(test_fds_when_stdio_is_closed, setup, teardown),
		cmocka_unit_test_setup_teardown(test_signals_are_reset, setup, teardown),
		cmocka_unit_test_setup_teardown(test_servers_inherit_nothing, setup, teardown),
		cmocka_unit_test_setup_teardown(test_groups, setup, teardown),
		cmocka_unit_test_setup_teardown(test_timeout_ends_the_group, setup, teardown),
		cmocka_unit_test_setup_teardown(test_grace_is_granted, setup, teardown),
		cmocka_unit_test_setup_teardown(test_output, setup, teardown),
	};

	return cmocka_run_group_tests_name("proc", tests, NULL, NULL);
}
