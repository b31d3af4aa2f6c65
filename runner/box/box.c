/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * box: hears the children and PID 1. What follows from news is done here, in one place: the NFS child is told to mount when the
 * network is up and the modules are in.
 */
#include "box/box.h"
#include "common/clock.h"

#include <poll.h>
#include <unistd.h>

#define MODULES_PATH "/run/kd/modules"
#define MODULES_LOOK_MS 5

static int modules_are_in(struct box *b)
{
	if (!b->modules_done)
		b->modules_done = access(MODULES_PATH, F_OK) == 0;
	return b->modules_done;
}

void box_pump(struct box *b, uint64_t timeout_ms)
{
	struct pollfd p[2];
	nfds_t n = 0;

	if (b->net.fd >= 0)
		p[n++] = (struct pollfd){.fd = b->net.fd, .events = POLLIN};
	if (b->nfs.pid > 0)
		p[n++] = (struct pollfd){.fd = b->nfs.reply_fd, .events = POLLIN};
	if (!modules_are_in(b) && timeout_ms > MODULES_LOOK_MS)
		timeout_ms = MODULES_LOOK_MS; /* a file, not an event */
	if (timeout_ms)
		poll(p, n, (int)timeout_ms);
	net_poll(&b->net);
	if (!b->net_told && b->net.state == NET_UP && modules_are_in(b)) {
		b->net_told = 1;
		sink_nfs_net_up(&b->nfs);
	}
	sink_nfs_poll(&b->nfs);
}

void box_wait_modules(struct box *b, uint64_t timeout_ms)
{
	uint64_t until = clock_now_ms() + timeout_ms;

	while (!modules_are_in(b) && clock_now_ms() < until)
		box_pump(b, MODULES_LOOK_MS);
}
