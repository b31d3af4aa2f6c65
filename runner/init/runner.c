/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * runner: start and supervise. All signals are blocked from the first instruction; SIGCHLD comes by signalfd where the
 * kernel has it, else the children are looked at ten times a second. Trap: waitpid(-1) also reaps what is no child of
 * ours by birth; only the runner's own pid ends the loop.
 */
#include "init/runner.h"
#include "common/clock.h"
#include "common/io.h"
#include "common/proc.h"
#include "init/bootline.h"
#include "init/log.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/signalfd.h>
#include <sys/wait.h>
#include <unistd.h>

#define KILL_GRACE_MS 2000
#define MODULES_GRACE_MS 10000 /* who is loading them has not been caught by whatever ended the runner */

static char *const runner_env[] = {"PATH=/bin:/sbin:/usr/bin:/usr/sbin", "HOME=/", "TMPDIR=/tmp", "TERM=dumb", NULL};

static _Noreturn void become_runner(int promise_fd, const char *next)
{
	char *argv[] = {RUNNER_PATH, next ? "--next" : NULL, (char *)(uintptr_t)next, NULL};
	sigset_t none;

	setsid();
	proc_set_oom(-1000); /* memory may run short in a test: then that is to go, and not who reports it */
	sigemptyset(&none);
	sigprocmask(SIG_SETMASK, &none, NULL);
	if (promise_fd == RUNNER_PROMISE_FD)
		fcntl(promise_fd, F_SETFD, 0);
	else
		dup2(promise_fd, RUNNER_PROMISE_FD);
	execve(RUNNER_PATH, argv, runner_env);
	_exit(errno == ENOENT ? 127 : 126);
}

/* Reaps all there is; 1 when the runner was among it; -1 when we have no child at all. */
static int reap(pid_t runner, int *status)
{
	int s, ended = 0;

	for (;;) {
		pid_t pid = waitpid(-1, &s, WNOHANG);

		if (pid < 0 && errno == EINTR)
			continue;
		if (pid < 0 && errno == ECHILD)
			return ended ? ended : -1;
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

/* Until we have no child any more, 1, or the time is over, 0. */
static int wait_for_none(struct watchdog *w, uint64_t ms)
{
	uint64_t until = clock_now_ms() + ms;
	int status;

	while (reap(0, &status) >= 0) {
		if (clock_now_ms() >= until)
			return 0;
		watchdog_pet(w, clock_now_ms());
		clock_sleep_ms(20);
	}
	return 1;
}

/*
 * Ends everything but ourselves: TERM, two seconds, KILL, two seconds. 1 if something is left that not even KILL ends: it hangs in the kernel
 * (D state), holds what it holds, and this kernel is good for nothing any more.
 */
static int end_all(struct watchdog *w, struct modules *m)
{
	uint64_t until = clock_now_ms() + MODULES_GRACE_MS;

	while (m->started && !m->done_ns && clock_now_ms() < until) {
		hear_modules(m, w, 0);
		watchdog_pet(w, clock_now_ms());
		clock_sleep_ms(20);
	}
	kill(-1, SIGTERM);
	if (wait_for_none(w, KILL_GRACE_MS))
		return 0;
	kill(-1, SIGKILL);
	return !wait_for_none(w, KILL_GRACE_MS);
}

static void read_promises(struct runner *r, int fd)
{
	char buf[256];
	ssize_t n;

	while ((n = read(fd, buf, sizeof buf)) > 0)
		promise_feed(&r->promise, buf, (size_t)n, clock_now_ms());
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
		if (r->promise.watch_s) {
			watchdog_lengthen(w, r->promise.watch_s);
			r->promise.watch_s = 0;
		}
		if (p[0].revents & (POLLHUP | POLLERR))
			p[0].fd = -1; /* closed, or about to end: SIGCHLD will tell */
		if (reap(pid, status) > 0)
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

/* Its tests and helpers run on without it, and would beside the next one. `stuck-` before why: some do in spite of all. */
static void clear_up(struct runner *r, struct watchdog *w, struct modules *m)
{
	char why[sizeof r->why];

	if (!end_all(w, m))
		return;
	memcpy(why, r->why, sizeof why);
	snprintf(r->why, sizeof r->why, RUNNER_STUCK "%.*s", (int)(sizeof r->why - sizeof RUNNER_STUCK), why);
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
		if (r->code != RUNNER_JUMP && r->code != RUNNER_RESET)
			clear_up(r, w, m);
	} else {
		log_line("the runner broke its promise");
		snprintf(r->why, sizeof r->why, "promise");
		clear_up(r, w, m);
	}
	if (p[0] >= 0)
		close(p[0]);
	if (sigfd >= 0)
		close(sigfd);
	return r->code;
}
