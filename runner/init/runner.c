/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * runner: start and supervise. All signals are blocked from the first instruction; SIGCHLD comes by signalfd where the
 * kernel has it, else the children are looked at ten times a second. Trap: waitpid(-1) also reaps what is no child of
 * ours by birth; only the runner's own pid ends the loop.
 */
#include "init/runner.h"
#include "common/clock.h"
#include "common/io.h"
#include "init/bootline.h"
#include "init/log.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <sys/signalfd.h>
#include <sys/wait.h>
#include <unistd.h>

#define KILL_GRACE_MS 2000

static char *const runner_env[] = {"PATH=/bin:/sbin:/usr/bin:/usr/sbin", "HOME=/", "TMPDIR=/tmp", "TERM=dumb", NULL};

static _Noreturn void become_runner(int promise_fd, const char *next)
{
	char *argv[] = {RUNNER_PATH, next ? "--next" : NULL, (char *)(uintptr_t)next, NULL};
	sigset_t none;

	setsid();
	sigemptyset(&none);
	sigprocmask(SIG_SETMASK, &none, NULL);
	if (promise_fd == RUNNER_PROMISE_FD)
		fcntl(promise_fd, F_SETFD, 0);
	else
		dup2(promise_fd, RUNNER_PROMISE_FD);
	execve(RUNNER_PATH, argv, runner_env);
	_exit(errno == ENOENT ? 127 : 126);
}

/* Reaps all there is; 1 when the runner was among it. */
static int reap(pid_t runner, int *status)
{
	int s, ended = 0;

	for (;;) {
		pid_t pid = waitpid(-1, &s, WNOHANG);

		if (pid < 0 && errno == EINTR)
			continue;
		if (pid <= 0)
			return ended;
		if (pid == runner) {
			*status = s;
			ended = 1;
		}
	}
}

static void drain_signals(int sigfd)
{
	struct signalfd_siginfo si;

	while (sigfd >= 0 && read(sigfd, &si, sizeof si) == (ssize_t)sizeof si)
		;
}

/* Ends everything but ourselves: TERM, two seconds, KILL. What is in D state stays; nobody waits for it. */
static int end_all(pid_t runner, struct watchdog *w)
{
	int status = 0;
	uint64_t until = clock_now_ms() + KILL_GRACE_MS;

	kill(-1, SIGTERM);
	while (clock_now_ms() < until && !reap(runner, &status)) {
		watchdog_pet(w, clock_now_ms());
		clock_sleep_ms(20);
	}
	kill(-1, SIGKILL);
	clock_sleep_ms(50);
	reap(runner, &status);
	return status;
}

static void read_promises(struct runner *r, int fd)
{
	char buf[256];
	ssize_t n;

	while ((n = read(fd, buf, sizeof buf)) > 0)
		promise_feed(&r->promise, buf, (size_t)n, clock_now_ms());
}

/* The watchdog's driver is a module as a rule, so it is opened behind them. */
static void hear_modules(struct modules *m, struct watchdog *w, int wanted)
{
	if (wanted)
		modules_start(m);
	if (!modules_poll(m))
		return;
	watchdog_open(w);
	bootline_write_modules(m, w);
}

/* 1: the runner has ended, 0: its promise has. */
static int watch(struct runner *r, struct watchdog *w, struct modules *m, pid_t pid, int promise_fd, int sigfd, int *status)
{
	struct pollfd p[3] = {{.fd = promise_fd, .events = POLLIN}, {.fd = sigfd, .events = POLLIN}, {.events = POLLIN}};

	for (;;) {
		hear_modules(m, w, r->promise.modules);
		uint64_t now = clock_now_ms(), wait = watchdog_pet(w, now);

		if (now >= r->promise.until_ms)
			return 0;
		if (wait > r->promise.until_ms - now)
			wait = r->promise.until_ms - now;
		if (sigfd < 0 && wait > 100)
			wait = 100;
		p[2].fd = m->started ? m->fd : -1;
		if (p[2].fd >= 0 && wait > 1000)
			wait = 1000; /* its child may hang */
		p[0].revents = p[1].revents = 0;
		poll(p, 3, (int)wait + 1);
		drain_signals(sigfd);
		read_promises(r, promise_fd);
		if (p[0].revents & (POLLHUP | POLLERR))
			p[0].fd = -1; /* closed, or about to end: SIGCHLD will tell */
		if (reap(pid, status))
			return 1;
	}
}

static int judge(struct runner *r, int status)
{
	if (WIFEXITED(status)) {
		r->code = WEXITSTATUS(status);
		snprintf(r->why, sizeof r->why, "exit-%d", r->code);
	} else {
		r->code = -1;
		snprintf(r->why, sizeof r->why, "signal-%d", WTERMSIG(status));
	}
	return r->code;
}

int runner_run(struct runner *r, struct watchdog *w, struct modules *m, const char *next)
{
	int p[2] = {-1, -1}, status = 0;
	sigset_t all;

	r->code = -1;
	if (next) /* one that died before it asked for them */
		modules_start(m);
	promise_init(&r->promise, clock_now_ms());
	/* Without a pipe there are no promises, and the first one's time must do for all: better than no runner. */
	if (pipe(p) == 0) {
		io_set_cloexec(p[0]);
		io_set_cloexec(p[1]);
		io_set_nonblock(p[0], 1);
		io_set_nonblock(p[1], 1);
	}
	sigfillset(&all);
	int sigfd = signalfd(-1, &all, SFD_CLOEXEC | SFD_NONBLOCK);
	pid_t pid = fork();
	if (pid == 0)
		become_runner(p[1], next);
	if (p[1] >= 0)
		close(p[1]);
	if (pid < 0) {
		snprintf(r->why, sizeof r->why, "fork-%d", errno);
	} else if (watch(r, w, m, pid, p[0], sigfd, &status)) {
		judge(r, status);
	} else {
		log_line("the runner broke its promise");
		end_all(pid, w);
		snprintf(r->why, sizeof r->why, "promise");
	}
	if (p[0] >= 0)
		close(p[0]);
	if (sigfd >= 0)
		close(sigfd);
	return r->code;
}
