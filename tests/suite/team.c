/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * team: fork, wait, kill. PR_SET_PDEATHSIG is of Linux 2.1.57; a parent that died before the child could ask for it is seen by its pid.
 */
#include <errno.h>
#include <signal.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include "team.h"

int team_add(struct team *t, int (*work)(void *data), void *data)
{
	pid_t parent = getpid(), pid;

	if (t->n == TEAM_MAX)
		return -EAGAIN;
	pid = fork();
	if (pid < 0)
		return -errno;
	if (!pid) {
		prctl(PR_SET_PDEATHSIG, SIGKILL, 0, 0, 0);
		_exit(getppid() == parent ? work(data) : 1);
	}
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
