/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * sink_nfs: the runner's end. Requests are `sync <id>` and `journal <id> <line>`, replies `done <id>`, `failed <id> <errno>`,
 * `mounted <ms>`, `unmounted <errno>`. Requests are done in order, so one number says how far the child has come.
 */
#include "box/sink_nfs.h"
#include "common/clock.h"
#include "common/io.h"

#include <errno.h>
#include <inttypes.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static int nfs_put(struct sink *base, const char *line, size_t len)
{
	/* The file on tmpfs is what the child copies: putting costs nothing, and a timed section sees no NFS. */
	(void)line;
	base->sent_bytes += len + 1;
	return 0;
}

static int send_request(struct sink_nfs *s, const char *text, size_t len)
{
	if (s->pid <= 0)
		return -ENOTCONN;
	ssize_t n = write(s->cmd_fd, text, len);
	if (n == (ssize_t)len)
		return 0;
	return n < 0 && errno != EAGAIN ? -errno : -EAGAIN; /* requests are shorter than PIPE_BUF: whole or not at all */
}

static void take_reply(struct sink_nfs *s)
{
	unsigned id = 0;
	uint64_t ms = 0;
	int err = 0;

	if (sscanf(s->line, "done %u", &id) == 1) {
		s->answered = id;
		s->journal_err = 0;
	} else if (sscanf(s->line, "failed %u %d", &id, &err) == 2) {
		s->answered = id;
		s->journal_err = err > 0 ? -err : -EIO;
	} else if (sscanf(s->line, "mounted %" SCNu64, &ms) == 1) {
		s->mounted = 1;
		s->mounted_ms = ms;
	} else if (sscanf(s->line, "unmounted %d", &err) == 1) {
		s->mounted = err > 0 ? -err : -EIO;
	}
	if (s->answered == s->asked)
		s->late = 0;
}

void sink_nfs_poll(struct sink_nfs *s)
{
	char buf[256];
	ssize_t n;

	while (s->pid > 0 && (n = read(s->reply_fd, buf, sizeof buf)) != 0) {
		if (n < 0)
			return;
		for (ssize_t i = 0; i < n; i++) {
			if (buf[i] != '\n') {
				if (s->len < sizeof s->line - 1)
					s->line[s->len++] = buf[i];
				continue;
			}
			s->line[s->len] = 0;
			s->len = 0;
			take_reply(s);
		}
	}
	if (s->pid > 0) { /* end of file: the child has died */
		s->pid = 0;
		s->mounted = -ECHILD;
		s->answered = s->asked;
		s->journal_err = -ECHILD;
	}
}

int sink_nfs_wait(struct sink_nfs *s, unsigned id, uint64_t timeout_ms)
{
	uint64_t until = clock_now_ms() + timeout_ms;

	for (;;) {
		sink_nfs_poll(s);
		if (s->mounted < 0)
			return -ENOTCONN;
		if ((int)(s->answered - id) >= 0)
			return s->journal_err;
		uint64_t now = clock_now_ms();
		if (now >= until) {
			s->late = 1;
			return -ETIMEDOUT;
		}
		struct pollfd p = {.fd = s->reply_fd, .events = POLLIN};
		poll(&p, 1, (int)(until - now));
	}
}

long sink_nfs_push(struct sink_nfs *s)
{
	char text[32];
	unsigned id = s->asked + 1;

	sink_nfs_poll(s);
	if (s->mounted != 1)
		return -ENOTCONN;
	int n = snprintf(text, sizeof text, "sync %u\n", id);
	if (send_request(s, text, (size_t)n) < 0)
		return -EAGAIN;
	s->asked = id;
	return (long)id;
}

static int nfs_flush(struct sink *base, uint64_t timeout_ms)
{
	struct sink_nfs *s = (struct sink_nfs *)base;
	long id = sink_nfs_push(s);

	/* After one deadline missed nothing waits again before the child has caught up. */
	return id < 0 ? (int)id : sink_nfs_wait(s, (unsigned)id, s->late ? 0 : timeout_ms);
}

long sink_nfs_journal_start(struct sink_nfs *s, const char *line, size_t len)
{
	char text[1024];
	unsigned id = s->asked + 1;

	sink_nfs_poll(s);
	if (s->mounted != 1)
		return -ENOTCONN;
	int n = snprintf(text, sizeof text, "journal %u ", id);
	if (!len || line[len - 1] != '\n' || (size_t)n + len > sizeof text)
		return -EINVAL;
	memcpy(text + n, line, len);
	int err = send_request(s, text, (size_t)n + len);
	if (err)
		return err;
	s->asked = id;
	return (long)id;
}

int sink_nfs_journal(struct sink_nfs *s, const char *line, size_t len, uint64_t timeout_ms)
{
	long id = sink_nfs_journal_start(s, line, len);

	return id < 0 ? (int)id : sink_nfs_wait(s, (unsigned)id, timeout_ms);
}

void sink_nfs_net_up(struct sink_nfs *s) { send_request(s, "net\n", 4); }

static const struct sink_ops nfs_ops = {"nfs", nfs_put, nfs_flush};

int sink_nfs_open(struct sink_nfs *s, const struct job *j, const char *records_path, const int *close_fds, size_t n)
{
	int cmd[2], reply[2];

	s->base.ops = &nfs_ops;
	s->pid = 0;
	s->cmd_fd = s->reply_fd = -1;
	s->mounted = -ENOENT;
	if (!j->net.nfs[0])
		return -ENOENT;
	int err = io_pipes(cmd, reply);
	if (err)
		return err;
	pid_t pid = fork();
	if (pid == 0) {
		for (size_t i = 0; i < n; i++)
			if (close_fds[i] >= 0)
				close(close_fds[i]);
		close(cmd[1]);
		close(reply[0]);
		signal(SIGPIPE, SIG_DFL);
		_exit(nfs_child_run(j, records_path, cmd[0], reply[1]));
	}
	close(cmd[0]);
	close(reply[1]);
	if (pid < 0) {
		close(cmd[1]);
		close(reply[0]);
		return -EAGAIN;
	}
	io_set_nonblock(cmd[1], 1);
	io_set_nonblock(reply[0], 1);
	s->pid = pid;
	s->cmd_fd = cmd[1];
	s->reply_fd = reply[0];
	s->mounted = 0;
	return 0;
}
