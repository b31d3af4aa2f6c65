/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * mountd_ask: the call on its way. By UDP it is repeated each second, with the same xid, so that a reply to any of them will do; by TCP it is sent once,
 * behind a record mark (RFC 5531, section 11).
 */
#include "common/mountd.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#include "common/clock.h"
#include "common/io.h"

#define ASK_MS 10000
#define REPEAT_MS 1000
#define PORT_FIRST 1023 /* reserved ones, as bindresvport(3) takes them */
#define PORT_LAST 665
#define LAST_FRAGMENT 0x80000000u

static void bind_reserved(int fd)
{
	struct sockaddr_in own = {.sin_family = AF_INET};

	for (unsigned port = PORT_FIRST; port >= PORT_LAST; port--) {
		own.sin_port = htons((uint16_t)port);
		if (!bind(fd, (const struct sockaddr *)&own, sizeof own) || errno == EACCES)
			return;
	}
}

static int wait_for(int fd, short events, uint64_t until_ms)
{
	for (;;) {
		struct pollfd p = {.fd = fd, .events = events};
		uint64_t now = clock_now_ms();

		if (now >= until_ms)
			return -ETIMEDOUT;
		int n = poll(&p, 1, (int)(until_ms - now));
		if (n > 0)
			return 0;
		if (n < 0 && errno != EINTR)
			return -errno;
	}
}

static int ask_udp(int fd, const unsigned char *call, size_t len, uint32_t xid, unsigned version, struct mountd_fh *fh)
{
	uint64_t end = clock_now_ms() + ASK_MS;
	unsigned char reply[MOUNTD_REPLY_MAX];

	while (clock_now_ms() < end) {
		uint64_t again = clock_now_ms() + REPEAT_MS;

		if (send(fd, call, len, 0) < 0 && errno != ECONNREFUSED)
			return -errno;
		while (!wait_for(fd, POLLIN, again < end ? again : end)) {
			ssize_t n = recv(fd, reply, sizeof reply, 0);
			int err = n < 0 ? -errno : mountd_reply(reply, (size_t)n, xid, version, fh);

			if (err == -ECONNREFUSED) { /* it may be about to start */
				clock_sleep_ms(REPEAT_MS / 4);
				continue;
			}
			if (err != -EAGAIN && err != -EINTR && err != -EBADMSG) /* rubbish that anybody sent ends nothing */
				return err;
		}
	}
	return -ETIMEDOUT;
}

/* Exactly len bytes. */
static int read_whole(int fd, unsigned char *p, size_t len, uint64_t until_ms)
{
	while (len) {
		int err = wait_for(fd, POLLIN, until_ms);
		ssize_t n = err ? -1 : read(fd, p, len);

		if (err)
			return err;
		if (n < 0 && (errno == EINTR || errno == EAGAIN))
			continue;
		if (n <= 0)
			return n ? -errno : -ECONNRESET;
		p += n;
		len -= (size_t)n;
	}
	return 0;
}

static int read_record(int fd, unsigned char *out, size_t size, size_t *len, uint64_t until_ms)
{
	unsigned char mark[4];
	uint32_t m;

	*len = 0;
	do {
		int err = read_whole(fd, mark, sizeof mark, until_ms);

		if (err)
			return err;
		m = (uint32_t)mark[0] << 24 | (uint32_t)mark[1] << 16 | (uint32_t)mark[2] << 8 | mark[3];
		if ((m & ~LAST_FRAGMENT) > size - *len || m == 0)
			return -EMSGSIZE;
		err = read_whole(fd, out + *len, m & ~LAST_FRAGMENT, until_ms);
		if (err)
			return err;
		*len += m & ~LAST_FRAGMENT;
	} while (!(m & LAST_FRAGMENT));
	return 0;
}

static int ask_tcp(int fd, const unsigned char *call, size_t len, uint32_t xid, unsigned version, struct mountd_fh *fh)
{
	uint64_t end = clock_now_ms() + ASK_MS;
	unsigned char out[4 + MOUNTD_CALL_MAX], reply[MOUNTD_REPLY_MAX];
	size_t got;

	out[0] = 0x80;
	out[1] = 0;
	out[2] = (unsigned char)(len >> 8);
	out[3] = (unsigned char)len;
	memcpy(out + 4, call, len);
	ssize_t n = write(fd, out, len + 4); /* fresh: its buffer takes all */
	if (n != (ssize_t)(len + 4))
		return n < 0 ? -errno : -EIO;
	int err = read_record(fd, reply, sizeof reply, &got, end);
	if (!err)
		err = mountd_reply(reply, got, xid, version, fh);
	return err == -EAGAIN ? -EBADMSG : err;
}

static int connect_by(int fd, const struct sockaddr_in *server, uint64_t until_ms)
{
	int err = 0;
	socklen_t size = sizeof err;

	io_set_nonblock(fd, 1);
	if (!connect(fd, (const struct sockaddr *)server, sizeof *server))
		return 0;
	if (errno != EINPROGRESS)
		return -errno;
	int w = wait_for(fd, POLLOUT, until_ms);
	if (w)
		return w;
	return getsockopt(fd, SOL_SOCKET, SO_ERROR, &err, &size) ? -errno : -err;
}

int mountd_ask(const struct sockaddr_in *server, int udp, unsigned version, const char *path, struct mountd_fh *fh)
{
	unsigned char call[MOUNTD_CALL_MAX];
	uint32_t xid = (uint32_t)clock_now_ns() ^ (uint32_t)getpid() << 16;
	int len = mountd_call(call, xid, version, path), err;
	int fd = len < 0 ? -1 : socket(AF_INET, udp ? SOCK_DGRAM : SOCK_STREAM, 0);

	if (fd < 0)
		return len < 0 ? len : -errno;
	io_set_cloexec(fd);
	bind_reserved(fd);
	err = connect_by(fd, server, clock_now_ms() + ASK_MS);
	if (!err)
		err = (udp ? ask_udp : ask_tcp)(fd, call, (size_t)len, xid, version, fh);
	close(fd);
	return err;
}
