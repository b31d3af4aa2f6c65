/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * proc: children, each the leader of a process group, so that it and all it started end together.
 *
 * Why an exec failed comes back through a pipe that a successful exec closes. Waiting is polling, 1 ms growing to 20: there is no signal
 * handler to race with and no system call that Linux 2.4 lacks. The trap: what a child starts may leave its group (setsid); such a
 * one is not ended here.
 */
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "common/clock.h"
#include "common/io.h"
#include "common/proc.h"

#define EXEC_MS 10000 /* a file system that does not answer must not hang the parent */
#define DEAD_MS 5000  /* after SIGKILL; longer means a process in D state */
#define POLL_MAX_MS 20
#define FD_ABOVE 10 /* copies of what becomes 0..3 are kept from here on */

static void reset_signals(void)
{
	struct sigaction sa;
	sigset_t none;

	memset(&sa, 0, sizeof(sa));
	sa.sa_handler = SIG_DFL;
	for (int sig = 1; sig < NSIG; sig++)
		sigaction(sig, &sa, NULL); /* KILL, STOP and the C library's own refuse: fine */
	sigemptyset(&none);
	sigprocmask(SIG_SETMASK, &none, NULL);
}

/* Copies first, all of them above the targets: a given fd may itself be one of 0..3. */
static int map_fds(const int fd[4])
{
	int copy[4];

	for (int i = 0; i < 4; i++) {
		int from = fd[i];

		copy[i] = -1;
		if (from < 0 && i == 3)
			continue;
		if (from < 0)
			from = open("/dev/null", O_RDWR);
		if (from < 0)
			return -errno;
		copy[i] = fcntl(from, F_DUPFD, FD_ABOVE);
		if (copy[i] < 0)
			return -errno;
		if (fd[i] < 0 && from > 3)
			close(from);
	}
	for (int i = 0; i < 4; i++) {
		if (copy[i] < 0) {
			close(i);
			continue;
		}
		if (dup2(copy[i], i) < 0)
			return -errno;
		close(copy[i]);
	}
	return 0;
}

/* What our own caller left open is not to be held by a server that outlives us: the caller may wait for its end of file. */
static void close_others_on_exec(void)
{
	for (int fd = 4; fd < 1024; fd++)
		io_set_cloexec(fd);
}

/* A Ctrl-C that reached the caller's group while we were still in it was not meant for a server: ignoring a signal drops what is pending. */
static void drop_pending(void)
{
	static const int stop[] = {SIGINT, SIGTERM, SIGHUP, SIGQUIT};

	for (size_t i = 0; i < sizeof(stop) / sizeof(stop[0]); i++)
		signal(stop[i], SIG_IGN);
}

static int exec_program(const struct proc *p)
{
	char *const *argv = (char *const *)(uintptr_t)p->argv; /* exec does not write to them, it only says so */
	char *const *env = p->env ? (char *const *)(uintptr_t)p->env : environ;

	if (strchr(argv[0], '/'))
		execve(argv[0], argv, env);
	else
		execvpe(argv[0], argv, env);
	return -errno;
}

int proc_oom_adj(int score_adj)
{
	int adj = score_adj < 0 ? score_adj * 17 / 1000 : score_adj * 15 / 1000;

	return adj || !score_adj ? adj : score_adj < 0 ? -1 : 1;
}

static int write_number(const char *path, int v)
{
	char text[16];
	int fd = open(path, O_WRONLY), err = 0, n = snprintf(text, sizeof(text), "%d", v);

	if (fd < 0)
		return -errno;
	if (write(fd, text, (size_t)n) < 0)
		err = -errno;
	close(fd);
	return err;
}

int proc_set_oom(int score_adj)
{
	int err = write_number("/proc/self/oom_score_adj", score_adj);

	return err == -ENOENT ? write_number("/proc/self/oom_adj", proc_oom_adj(score_adj)) : err;
}

static void __attribute__((noreturn)) run_child(const struct proc *p, int report)
{
	int err = 0, fd = fcntl(report, F_DUPFD, FD_ABOVE + 8); /* out of the way of 0..3 */

	if (fd < 0)
		_exit(127);
	io_set_cloexec(fd);
	if (p->new_session ? setsid() < 0 : setpgid(0, 0) < 0)
		err = -errno;
	if (p->oom_score_adj)
		proc_set_oom(p->oom_score_adj);
	if (!err)
		err = map_fds(p->fd);
	if (!err && p->dir && chdir(p->dir))
		err = -errno;
	if (!err) {
		if (p->new_session) {
			close_others_on_exec();
			drop_pending();
		}
		reset_signals();
		if (p->pidfile)
			err = proc_pidfile_write(p->pidfile, getpid());
		if (!err)
			err = exec_program(p);
	}
	signal(SIGPIPE, SIG_IGN); /* the parent may have given up */
	while (write(fd, &err, sizeof(err)) < 0 && errno == EINTR)
		;
	_exit(err == -ENOENT ? 127 : 126);
}

/* What the child says of its exec: 0 or -errno. */
static int read_report(int fd)
{
	struct pollfd pfd = {.fd = fd, .events = POLLIN};
	uint64_t start = clock_now_ms();
	ssize_t n;
	int err = 0;

	for (;;) {
		uint64_t gone = clock_now_ms() - start;

		if (gone >= EXEC_MS)
			return -ETIMEDOUT;
		if (poll(&pfd, 1, (int)(EXEC_MS - gone)) > 0)
			break;
	}
	do
		n = read(fd, &err, sizeof(err));
	while (n < 0 && errno == EINTR);
	if (n < 0)
		return -errno;
	return n == (ssize_t)sizeof(err) ? err : 0;
}

int proc_start(struct proc *p)
{
	sigset_t all, before;
	int report[2], err;

	p->pid = 0;
	p->status = 0;
	p->timed_out = 0;
	p->ended = 0;
	memset(&p->usage, 0, sizeof(p->usage));
	if (!p->argv || !p->argv[0] || !*p->argv[0])
		return -EINVAL;
	err = io_pipe(report);
	if (err)
		return err;
	sigfillset(&all); /* no handler of the parent may run in the child */
	sigprocmask(SIG_SETMASK, &all, &before);
	p->pid = fork();
	err = -errno;
	if (!p->pid)
		run_child(p, report[1]);
	sigprocmask(SIG_SETMASK, &before, NULL);
	close(report[1]);
	if (p->pid > 0) {
		err = read_report(report[0]);
		if (err) {
			kill(p->pid, SIGKILL);
			while (waitpid(p->pid, NULL, err == -ETIMEDOUT ? WNOHANG : 0) < 0 && errno == EINTR)
				;
		}
	}
	close(report[0]);
	if (err)
		p->pid = 0;
	return err;
}

int proc_poll(struct proc *p)
{
	pid_t pid;

	if (p->pid <= 0)
		return -ECHILD;
	if (p->ended) /* its pid may be another's by now */
		return 1;
	do
		pid = wait4(p->pid, &p->status, WNOHANG, &p->usage);
	while (pid < 0 && errno == EINTR);
	if (pid < 0)
		return -errno;
	p->ended = pid == p->pid;
	return p->ended;
}

void proc_kill(struct proc *p, int sig)
{
	if (p->pid > 1) /* kill(-1) would be everybody */
		kill(-p->pid, sig);
}

/* Until the child has ended, 1; or the time is over, 0; or -errno. With `group`, until nobody is left in its group either. */
static int wait_until(struct proc *p, uint64_t timeout_ms, int group)
{
	uint64_t start = clock_now_ms();
	unsigned nap = 1;

	for (;;) {
		uint64_t gone;
		int r = proc_poll(p);

		if (r < 0)
			return r;
		if (r && (!group || (kill(-p->pid, 0) && errno == ESRCH)))
			return 1;
		gone = clock_now_ms() - start;
		if (gone >= timeout_ms)
			return 0;
		if (nap > timeout_ms - gone)
			nap = (unsigned)(timeout_ms - gone);
		clock_sleep_ms(nap);
		nap = nap * 2 < POLL_MAX_MS ? nap * 2 : POLL_MAX_MS;
	}
}

/* TERM, and after the grace KILL, to the whole group. */
static int end_group(struct proc *p, uint64_t grace_ms)
{
	int r;

	proc_kill(p, SIGTERM);
	proc_kill(p, SIGCONT); /* a stopped process would not hear it */
	r = wait_until(p, grace_ms, 1);
	if (r)
		return r < 0 ? r : 0;
	proc_kill(p, SIGKILL);
	r = wait_until(p, DEAD_MS, 0);
	if (r < 0)
		return r;
	return r ? 0 : -ETIMEDOUT;
}

int proc_wait(struct proc *p, uint64_t timeout_ms, uint64_t grace_ms)
{
	int r = wait_until(p, timeout_ms, 0);

	if (r)
		return r < 0 ? r : 0;
	p->timed_out = 1;
	return end_group(p, grace_ms);
}

/* Reads until end of file, 0; or the buffer is full, -EFBIG; or the time is over, -ETIMEDOUT. */
static int read_output(int fd, uint64_t timeout_ms, char *out, size_t size, size_t *len)
{
	uint64_t start = clock_now_ms();

	for (;;) {
		struct pollfd pfd = {.fd = fd, .events = POLLIN};
		uint64_t gone = clock_now_ms() - start;
		uint64_t left = gone < timeout_ms ? timeout_ms - gone : 0;
		char more;
		ssize_t n;

		if (!left)
			return -ETIMEDOUT;
		if (poll(&pfd, 1, left < 1000 ? (int)left : 1000) <= 0)
			continue;
		/* With the buffer full, one byte more tells whether that was all. */
		n = *len < size - 1 ? read(fd, out + *len, size - 1 - *len) : read(fd, &more, 1);
		if (n < 0 && errno == EINTR)
			continue;
		if (n <= 0)
			return n ? -errno : 0;
		if (*len == size - 1)
			return -EFBIG;
		*len += (size_t)n;
	}
}

int proc_output(const char *const *argv, uint64_t timeout_ms, char *out, size_t size, size_t *len, int *status)
{
	struct proc p = {.argv = argv, .fd = {-1, -1, -1, -1}};
	uint64_t start = clock_now_ms(), gone;
	int fd[2], err, end;
	size_t n = 0;

	if (!size)
		return -EINVAL;
	out[0] = 0;
	err = io_pipe(fd);
	if (err)
		return err;
	p.fd[1] = fd[1];
	err = proc_start(&p);
	close(fd[1]);
	if (!err) {
		err = read_output(fd[0], timeout_ms, out, size, &n);
		gone = clock_now_ms() - start;
		end = err ? end_group(&p, 1000) : proc_wait(&p, gone < timeout_ms ? timeout_ms - gone : 0, 1000);
		if (!err)
			err = end ? end : p.timed_out ? -ETIMEDOUT : 0;
	}
	close(fd[0]);
	out[n] = 0;
	if (len)
		*len = n;
	if (status)
		*status = WIFEXITED(p.status) ? WEXITSTATUS(p.status) : 128 + WTERMSIG(p.status);
	return err;
}
