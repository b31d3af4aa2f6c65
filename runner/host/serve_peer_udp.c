/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * serve_peer_udp: the socket of the peer's UDP side; what is sent back is decided in peer_answer.c. On the loopback, without blocking: what does
 * not fit into a buffer is lost, as on any network, and net-udp counts it.
 */
#include <arpa/inet.h>
#include <netinet/in.h>
#include <stdio.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/uio.h>
#include <unistd.h>

#include "common/clock.h"
#include "common/err.h"
#include "host/peer_answer.h"
#include "host/serve.h"

#define BUFFER_BYTES (1 << 20)
#define AT_ONCE 64 /* datagrams, before TCP is looked after again */

int serve_peer_udp_open(unsigned port)
{
	struct sockaddr_in sin = {.sin_family = AF_INET, .sin_port = htons((uint16_t)port), .sin_addr.s_addr = htonl(INADDR_LOOPBACK)};
	int size = BUFFER_BYTES, fd = socket(AF_INET, SOCK_DGRAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);

	if (fd < 0 || bind(fd, (struct sockaddr *)&sin, sizeof sin)) {
		err_warn("no UDP on 127.0.0.1:%u, so net-udp will skip:", port);
		if (fd >= 0)
			close(fd);
		return -1;
	}
	setsockopt(fd, SOL_SOCKET, SO_RCVBUF, &size, sizeof size);
	setsockopt(fd, SOL_SOCKET, SO_SNDBUF, &size, sizeof size);
	return fd;
}

static void send_all(int fd, const struct peer_answer *p, struct peer_answer_out *out, struct sockaddr_in *to)
{
	unsigned char head[PEER_UDP_HEAD];

	for (unsigned i = 0; i < out->count; i++, out->head.seq++) {
		size_t body = out->head.type == PEER_UDP_DATA ? out->head.size - PEER_UDP_HEAD : 0;
		const unsigned char *noise = peer_udp_body(p->noise, out->head.seq);
		struct iovec part[2] = {{.iov_base = head, .iov_len = sizeof head}, {.iov_base = (void *)(uintptr_t)noise, .iov_len = body}};
		struct msghdr m = {.msg_name = to, .msg_namelen = sizeof *to, .msg_iov = part, .msg_iovlen = body ? 2 : 1};

		peer_udp_put(head, &out->head);
		sendmsg(fd, &m, MSG_NOSIGNAL);
	}
}

void serve_peer_udp(int fd)
{
	static struct peer_answer peer;
	static int ready;
	static unsigned char buf[PEER_UDP_SIZE_MAX + 1];

	if (!ready && peer_answer_init(&peer))
		err_die("getrandom:");
	ready = 1;
	for (int i = 0; i < AT_ONCE; i++) {
		struct sockaddr_in from;
		socklen_t len = sizeof from;
		ssize_t n = recvfrom(fd, buf, sizeof buf, MSG_DONTWAIT, (struct sockaddr *)&from, &len);

		if (n < 0)
			return; /* an ICMP error of somebody who has gone is one too */
		if (len != sizeof from || from.sin_family != AF_INET)
			continue;
		struct peer_answer_to who = {from.sin_addr.s_addr, from.sin_port, (uint32_t)(clock_now_ms() / 1000)};
		struct peer_answer_out out = peer_answer(&peer, &who, buf, (size_t)n);
		send_all(fd, &peer, &out, &from);
	}
}
