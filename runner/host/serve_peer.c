/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * serve_peer: the other end of net-tcp (docs/test-programs.md): `kd-peer send BYTES` and `kd-peer recv BYTES`, a process a
 * connection; and of net-udp, on the same port number, by this process itself (serve_peer_udp.c). The data is a block of 64 KiB of xorshift noise,
 * repeated: nothing on the way can compress it. Trap: a receiver that spins for ever at end of file is an old fault of such
 * programs; here end of file ends the process.
 */
#include <arpa/inet.h>
#include <errno.h>
#include <inttypes.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/time.h>
#include <sys/wait.h>
#include <unistd.h>

#include "common/err.h"
#include "common/io.h"
#include "host/serve.h"

#define BLOCK 65536
#define BYTES_MAX (UINT64_C(1) << 40)
#define CLIENTS_MAX 16
#define IDLE_S 120
#define LINE_S 10   /* for the first line; who says nothing holds a place no longer */
#define REAP_MS 100 /* how soon one that is done makes room, where there are as many as may be */

static void fill(unsigned char *block)
{
	uint64_t x = UINT64_C(0x9e3779b97f4a7c15);

	for (size_t i = 0; i < BLOCK; i += 8) {
		x ^= x << 13;
		x ^= x >> 7;
		x ^= x << 17;
		memcpy(block + i, &x, 8);
	}
}

/* The client's line, a byte at a time, so that not one byte of data is taken. 0 or -errno. */
static int read_line(int fd, char *line, size_t size)
{
	for (size_t n = 0; n + 1 < size; n++) {
		ssize_t r = read(fd, line + n, 1);

		if (r != 1)
			return r < 0 ? -errno : -EPIPE;
		if (line[n] == '\n') {
			line[n] = 0;
			return 0;
		}
	}
	return -EMSGSIZE;
}

static int send_bytes(int fd, const unsigned char *block, uint64_t bytes)
{
	int err = 0;

	while (!err && bytes) {
		size_t n = bytes < BLOCK ? (size_t)bytes : BLOCK;

		err = io_write_all(fd, block, n);
		bytes -= n;
	}
	return err;
}

static int recv_bytes(int fd, uint64_t bytes)
{
	unsigned char buf[BLOCK];
	uint64_t left = bytes;
	char answer[48];
	int n;

	while (left) {
		ssize_t r = read(fd, buf, left < BLOCK ? (size_t)left : BLOCK);

		if (r <= 0)
			return r < 0 ? -errno : -EPIPE;
		left -= (uint64_t)r;
	}
	n = snprintf(answer, sizeof(answer), "ok %" PRIu64 "\n", bytes);
	return io_write_all(fd, answer, (size_t)n);
}

static int talk(int fd, const unsigned char *block)
{
	struct timeval idle = {.tv_sec = IDLE_S};
	char line[64], verb[5], end;
	uint64_t bytes;
	int err, one = 1;

	setsockopt(fd, SOL_SOCKET, SO_RCVTIMEO, &idle, sizeof(idle));
	setsockopt(fd, SOL_SOCKET, SO_SNDTIMEO, &idle, sizeof(idle));
	setsockopt(fd, IPPROTO_TCP, TCP_NODELAY, &one, sizeof(one));
	alarm(LINE_S); /* which ends this process */
	err = read_line(fd, line, sizeof(line));
	alarm(0);
	if (err)
		return err;
	if (sscanf(line, "kd-peer %4[a-z] %19" SCNu64 "%c", verb, &bytes, &end) != 2 || bytes > BYTES_MAX)
		return -EINVAL;
	if (!strcmp(verb, "send"))
		return send_bytes(fd, block, bytes);
	return !strcmp(verb, "recv") ? recv_bytes(fd, bytes) : -EINVAL;
}

static int listen_on(unsigned port)
{
	struct sockaddr_in sin = {.sin_family = AF_INET, .sin_port = htons((uint16_t)port), .sin_addr.s_addr = htonl(INADDR_LOOPBACK)};
	int one = 1, fd = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);

	if (fd < 0)
		err_die("socket:");
	setsockopt(fd, SOL_SOCKET, SO_REUSEADDR, &one, sizeof(one));
	if (bind(fd, (struct sockaddr *)&sin, sizeof(sin)) || listen(fd, 16))
		err_die("cannot listen on 127.0.0.1:%u (peer):", port);
	return fd;
}

static void reap(unsigned *clients)
{
	while (*clients && waitpid(-1, NULL, WNOHANG) > 0)
		--*clients;
}

/* One connection, if there is one. */
static void take(int listener, const unsigned char *block, unsigned *clients)
{
	int fd = accept4(listener, NULL, NULL, SOCK_CLOEXEC);
	pid_t pid;

	if (fd < 0 && errno != EINTR && errno != ECONNABORTED && errno != EMFILE && errno != ENFILE && errno != EAGAIN)
		err_die("accept:");
	if (fd < 0)
		return;
	pid = fork();
	if (!pid) {
		prctl(PR_SET_PDEATHSIG, SIGKILL);
		close(listener);
		_exit(talk(fd, block) ? EXIT_FAIL : EXIT_OK);
	}
	*clients += pid > 0;
	close(fd);
}

int serve_peer(unsigned port)
{
	static unsigned char block[BLOCK];
	struct pollfd p[2] = {{.fd = listen_on(port), .events = POLLIN}, {.fd = serve_peer_udp_open(port), .events = POLLIN}};
	unsigned clients = 0;

	fill(block);
	signal(SIGPIPE, SIG_IGN);
	io_set_nonblock(p[0].fd, 1);
	for (;;) {
		int full = clients >= CLIENTS_MAX;

		p[0].events = full ? 0 : POLLIN;
		if (poll(p, 2, clients ? REAP_MS : -1) < 0 && errno != EINTR)
			err_die("poll:");
		reap(&clients);
		if (p[1].revents)
			serve_peer_udp(p[1].fd);
		if (!full && p[0].revents)
			take(p[0].fd, block, &clients);
	}
}
