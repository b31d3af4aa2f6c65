/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * box: hears the children. What follows from news is done here, in one place: a network that is up is told to the NFS child.
 */
#include "box/box.h"

#include <poll.h>

void box_pump(struct box *b, uint64_t timeout_ms)
{
	struct pollfd p[2];
	nfds_t n = 0;

	if (b->net.fd >= 0)
		p[n++] = (struct pollfd){ .fd = b->net.fd, .events = POLLIN };
	if (b->nfs.pid > 0)
		p[n++] = (struct pollfd){ .fd = b->nfs.reply_fd, .events = POLLIN };
	if (timeout_ms)
		poll(p, n, (int)timeout_ms);
	enum net_state before = b->net.state;
	net_poll(&b->net);
	if (before != NET_UP && b->net.state == NET_UP)
		sink_nfs_net_up(&b->nfs);
	sink_nfs_poll(&b->nfs);
}
