/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * net: the runner's end, and the child's loop. Reports are lines: `up <pairs>` or `down <pairs>`.
 */
#include "box/net.h"
#include "common/clock.h"
#include "common/io.h"

#include <errno.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#define RETRY_FIRST_MS 5000
#define RETRY_MAX_MS 60000

static _Noreturn void run_child(const char *ip, int out)
{
	char report[200], line[256];
	unsigned wait_ms = RETRY_FIRST_MS;

	for (;;) {
		const char *why = "?";
		int err = net_bring_up(ip, report, sizeof report, &why);
		int n = err ? snprintf(line, sizeof line, "down net_why=%s net_errno=%d\n", why, -err)
		            : snprintf(line, sizeof line, "up %s\n", report);

		if (write(out, line, (size_t)n) < 0)
			_exit(1);
		if (!err)
			_exit(0);
		clock_sleep_ms(wait_ms);
		wait_ms = wait_ms * 2 < RETRY_MAX_MS ? wait_ms * 2 : RETRY_MAX_MS;
	}
}

int net_start(struct net *n, const char *ip, const int *close_fds, size_t nfds)
{
	int p[2];

	*n = (struct net){.fd = -1};
	int err = io_pipe(p);
	if (err)
		return err;
	pid_t pid = fork();
	if (pid == 0) {
		for (size_t i = 0; i < nfds; i++)
			if (close_fds[i] >= 0)
				close(close_fds[i]);
		close(p[0]);
		signal(SIGPIPE, SIG_DFL);
		run_child(ip, p[1]);
	}
	close(p[1]);
	if (pid < 0) {
		close(p[0]);
		return -EAGAIN;
	}
	io_set_nonblock(p[0], 1);
	n->pid = pid;
	n->fd = p[0];
	n->state = NET_STARTING;
	return 0;
}

static void take_report(struct net *n)
{
	n->tries++;
	if (!strncmp(n->line, "up ", 3)) {
		n->state = NET_UP;
		snprintf(n->report, sizeof n->report, "%s", n->line + 3);
	} else if (!strncmp(n->line, "down ", 5)) {
		n->state = NET_FAILED;
		snprintf(n->report, sizeof n->report, "%s", n->line + 5);
	}
}

void net_poll(struct net *n)
{
	char buf[256];
	ssize_t got;

	while (n->fd >= 0 && (got = read(n->fd, buf, sizeof buf)) != 0) {
		if (got < 0)
			return;
		for (ssize_t i = 0; i < got; i++) {
			if (buf[i] != '\n') {
				if (n->len < sizeof n->line - 1)
					n->line[n->len++] = buf[i];
				continue;
			}
			n->line[n->len] = 0;
			n->len = 0;
			take_report(n);
		}
	}
	if (n->fd >= 0) {
		close(n->fd);
		n->fd = -1;
		waitpid(n->pid, NULL, WNOHANG); /* what is not yet gone stays a zombie until we are */
		if (n->state != NET_UP)
			n->state = NET_FAILED;
	}
}
