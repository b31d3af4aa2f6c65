/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * spawn: fork, execve, wait4.
 *
 * A probe is due at fixed times and its latency runs from there, so that one that starts late counts as late; times that were missed
 * while the one before was under way are counted, not caught up with: a slow box would never come out of that.
 */
#include <errno.h>
#include <sys/wait.h>
#include <unistd.h>

#include "common/clock.h"
#include "spawn.h"
#include "timer.h"

static int reap(pid_t pid)
{
	int status;
	pid_t got;

	do
		got = waitpid(pid, &status, 0);
	while (got < 0 && errno == EINTR);
	if (got < 0)
		return -errno;
	return WIFEXITED(status) && !WEXITSTATUS(status) ? 0 : -ECHILD;
}

int spawn_fork(void)
{
	pid_t pid = fork();

	if (pid < 0)
		return -errno;
	if (!pid)
		_exit(0);
	return reap(pid);
}

int spawn_exec(void)
{
	static char name[] = SPAWN_NAME;
	char *argv[] = {name, NULL}, *env[] = {NULL};
	pid_t pid = fork();

	if (pid < 0)
		return -errno;
	if (!pid) {
		execve("/proc/self/exe", argv, env);
		_exit(127);
	}
	return reap(pid);
}

void spawn_probe_run(struct spawn_probe *p)
{
	uint64_t due = p->start_ns, left = p->count;

	do {
		uint64_t end;

		timer_sleep_until(due);
		if (spawn_exec())
			p->failed++;
		end = clock_now_ns();
		hist_add(&p->hist, end - due);
		for (due += p->period_ns; due < end; due += p->period_ns)
			p->missed++;
	} while (!p->count || --left);
}
