/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * address: parse, ask the environment, connect, and which own address is used.
 */
#include <arpa/inet.h>
#include <errno.h>
#include <netinet/in.h>
#include <poll.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#include "address.h"
#include "common/io.h"
#include "fact.h"

static const char *parse_port(const char *s, uint16_t *port)
{
	unsigned long v;
	char *end;

	if (*s < '0' || *s > '9')
		return NULL;
	v = strtoul(s, &end, 10);
	if (!v || v > 65535)
		return NULL;
	*port = (uint16_t)v;
	return end;
}

int address_parse(const char *text, struct address *out)
{
	size_t len = strcspn(text, ":");
	struct in_addr in;

	memset(out, 0, sizeof(*out));
	if (text[len] != ':' || len >= sizeof(out->ip))
		return -EINVAL;
	memcpy(out->ip, text, len);
	if (inet_pton(AF_INET, out->ip, &in) != 1)
		return -EINVAL;
	out->be = in.s_addr;
	text = parse_port(text + len + 1, &out->port);
	if (text && *text == ',')
		text = parse_port(text + 1, &out->mount_port);
	if (!text)
		return -EINVAL;
	if (!*text)
		return 0;
	if (text[0] != ':' || text[1] != '/' || strlen(text + 1) >= sizeof(out->path) || strpbrk(text, ", \t\n"))
		return -EINVAL;
	strcpy(out->path, text + 1);
	return 0;
}

int address_of_peer(struct address *out)
{
	const char *where = getenv("KD_PEER");

	if (!where || !*where)
		return fact_skip("KD_PEER is not set");
	return address_parse(where, out) ? fact_fail("KD_PEER=%.40s: wanted ADDR:PORT", where) : 0;
}

static struct sockaddr_in socket_address(const struct address *a)
{
	struct sockaddr_in sin;

	memset(&sin, 0, sizeof(sin));
	sin.sin_family = AF_INET;
	sin.sin_addr.s_addr = a->be;
	sin.sin_port = htons(a->port);
	return sin;
}

/* 0 or -errno, of a connect that is under way. */
static int await(int fd, unsigned timeout_ms)
{
	struct pollfd p = {fd, POLLOUT, 0};
	socklen_t len = sizeof(int);
	int n, err = 0;

	do
		n = poll(&p, 1, (int)timeout_ms);
	while (n < 0 && errno == EINTR);
	if (n < 0)
		return -errno;
	if (!n)
		return -ETIMEDOUT;
	if (getsockopt(fd, SOL_SOCKET, SO_ERROR, &err, &len))
		return -errno;
	return -err;
}

int address_connect(const struct address *a, unsigned timeout_ms)
{
	struct sockaddr_in sin = socket_address(a);
	int fd = socket(AF_INET, SOCK_STREAM, 0);
	int err;

	if (fd < 0)
		return -errno;
	io_set_cloexec(fd);
	err = io_set_nonblock(fd, 1);
	if (!err && connect(fd, (struct sockaddr *)&sin, sizeof(sin)))
		err = errno == EINPROGRESS ? await(fd, timeout_ms) : -errno;
	if (!err)
		err = io_set_nonblock(fd, 0);
	if (err) {
		close(fd);
		return err;
	}
	return fd;
}

int address_own(const struct address *a, char *out, unsigned size)
{
	struct sockaddr_in sin = socket_address(a);
	socklen_t len = sizeof(sin);
	int fd = socket(AF_INET, SOCK_DGRAM, 0);
	int err = 0;

	if (fd < 0)
		return -errno;
	if (connect(fd, (struct sockaddr *)&sin, sizeof(sin)) || getsockname(fd, (struct sockaddr *)&sin, &len))
		err = -errno;
	else if (!inet_ntop(AF_INET, &sin.sin_addr, out, size))
		err = -errno;
	close(fd);
	return err;
}
