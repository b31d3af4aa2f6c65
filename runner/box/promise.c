/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * promise: short lines, one write(2) each, non-blocking: a full pipe means that PID 1 has plenty to read already.
 */
#include "box/promise.h"
#include "common/io.h"

#include <fcntl.h>
#include <inttypes.h>
#include <stdio.h>
#include <sys/stat.h>
#include <unistd.h>

#define PROMISE_FD 3
#define PROMISE_FD_ABOVE 20

void promise_open(struct promise *p)
{
	struct stat st;

	p->fd = -1;
	if (fstat(PROMISE_FD, &st) < 0 || !S_ISFIFO(st.st_mode))
		return;
	p->fd = fcntl(PROMISE_FD, F_DUPFD, PROMISE_FD_ABOVE);
	close(PROMISE_FD);
	if (p->fd < 0)
		return;
	io_set_cloexec(p->fd);
	io_set_nonblock(p->fd, 1);
}

void promise_close(struct promise *p)
{
	if (p->fd >= 0)
		close(p->fd);
	p->fd = -1;
}

static void say(const struct promise *p, const char *word, uint64_t v)
{
	char line[40];
	int n = snprintf(line, sizeof line, "%s %" PRIu64 "\n", word, v);

	if (p->fd >= 0 && n > 0 && write(p->fd, line, (size_t)n) < 0)
		return; /* PID 1 is gone: then so is the machine */
}

void promise_say(const struct promise *p, uint64_t ms) { say(p, "promise", ms); }

void promise_modules(const struct promise *p)
{
	if (p->fd >= 0 && write(p->fd, "modules\n", 8) < 0)
		return;
}

void promise_watch(const struct promise *p, unsigned s) { say(p, "watch", s); }

void promise_jump(const struct promise *p, unsigned jump_s) { say(p, "jump", jump_s); }
