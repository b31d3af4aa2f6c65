/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * gun: ready pipe and go pipe.
 *
 * One byte for each worker goes in one write(2), at most a pipe's PIPE_BUF at a time: each reader takes one.
 */
#include <errno.h>
#include <string.h>
#include <unistd.h>

#include "common/io.h"
#include "gun.h"

#define BURST 512

static void shut(int *fd)
{
	if (*fd >= 0)
		close(*fd);
	*fd = -1;
}

int gun_init(struct gun *g)
{
	int err;

	g->go[0] = g->go[1] = -1;
	if (pipe(g->ready)) {
		g->ready[0] = g->ready[1] = -1;
		return -errno;
	}
	if (pipe(g->go)) {
		err = errno;
		g->go[0] = g->go[1] = -1;
		gun_close(g);
		return -err;
	}
	return 0;
}

/* One byte: 0, -EPIPE at end of file, -errno. */
static int take(int fd)
{
	char c;
	ssize_t n;

	do
		n = read(fd, &c, 1);
	while (n < 0 && errno == EINTR);
	if (n < 0)
		return -errno;
	return n ? 0 : -EPIPE;
}

int gun_worker_wait(struct gun *g)
{
	int err;

	shut(&g->ready[0]);
	shut(&g->go[1]);
	err = io_write_all(g->ready[1], "", 1);
	shut(&g->ready[1]);
	if (!err)
		err = take(g->go[0]);
	shut(&g->go[0]);
	return err;
}

int gun_wait_ready(struct gun *g, unsigned workers)
{
	int err = 0;

	shut(&g->ready[1]);
	while (workers-- && !err)
		err = take(g->ready[0]);
	return err;
}

int gun_fire(struct gun *g, unsigned workers)
{
	char bytes[BURST];
	int err = 0;

	memset(bytes, 0, sizeof(bytes));
	shut(&g->go[0]);
	while (workers && !err) {
		unsigned n = workers < BURST ? workers : BURST;

		err = io_write_all(g->go[1], bytes, n);
		workers -= n;
	}
	return err;
}

void gun_close(struct gun *g)
{
	for (int i = 0; i < 2; i++) {
		shut(&g->ready[i]);
		shut(&g->go[i]);
	}
}
