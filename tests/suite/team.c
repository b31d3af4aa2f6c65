/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * team: fork, wait, kill.
 */
#include <errno.h>
#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

#include "team.h"

int team_add(struct team *t, int (*work)(void *data), void *data)
{
	pid_t pid;

	if (t->n == TEAM_MAX)
		return -EAGAIN;
	pid = fork();
	if (pid < 0)
		return -errno;
	if (!pid)
		_exit(work(data));
	t->pid[t->n++] = pid;
	return 0;
}

unsigned team_join(struct team *t)
{
	unsigned bad = 0;
	int status;

	for (unsigned i = 0; i < t->n; i++) {
		pid_t pid;

		do
			pid = waitpid(t->pid[i], &status, 0);
		while (pid < 0 && errno == EINTR);
		if (pid < 0 || !WIFEXITED(status) || WEXITSTATUS(status))
			bad++;
	}
	t->n = 0;
	return bad;
}

void team_end(struct team *t)
{
	for (unsigned i = 0; i < t->n; i++)
		kill(t->pid[i], SIGKILL);
	team_join(t);
}
