/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * http: the client. Trap: connect(2) may succeed at once, on the loopback and under QEMU's user network.
 */
#include "box/http.h"
#include "box/job.h"
#include "common/io.h"

#include <arpa/inet.h>
#include <ctype.h>
#include <errno.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <poll.h>
#include <stdio.h>
#include <string.h>
#include <strings.h>
#include <sys/socket.h>
#include <unistd.h>

void http_close(struct http *h)
{
	if (h->state != HTTP_IDLE && h->fd >= 0)
		close(h->fd);
	h->fd = -1;
	h->state = HTTP_IDLE;
}

static int format_request(struct http *h, const char *server, const char *path, const char *body, size_t body_len)
{
	int n;

	for (const char *p = path; *p; p++)
		if (*p <= ' ' || *p > '~')
			return -EINVAL;
	if (body)
		n = snprintf(h->out, sizeof h->out,
		             "POST %s HTTP/1.0\r\nHost: %s\r\nContent-Type: text/plain\r\nContent-Length: %zu\r\nConnection: close\r\n\r\n%.*s", path,
		             server, body_len, (int)body_len, body);
	else
		n = snprintf(h->out, sizeof h->out, "GET %s HTTP/1.0\r\nHost: %s\r\nConnection: close\r\n\r\n", path, server);
	if (n < 0 || (size_t)n >= sizeof h->out)
		return -EMSGSIZE;
	h->out_len = (size_t)n;
	return 0;
}

int http_open(struct http *h, const char *server, const char *path, const char *body, size_t body_len)
{
	char addr[64];
	unsigned port;
	struct sockaddr_in sa = {.sin_family = AF_INET};
	int one = 1;

	*h = (struct http){.fd = -1, .length = -1};
	int err = format_request(h, server, path, body, body_len);
	if (err)
		return err;
	if (job_addr_parse(server, 80, addr, sizeof addr, &port) < 0 || inet_pton(AF_INET, addr, &sa.sin_addr) != 1)
		return -EINVAL;
	sa.sin_port = htons((uint16_t)port);
	h->fd = socket(AF_INET, SOCK_STREAM, 0);
	if (h->fd < 0)
		return -errno;
	io_set_cloexec(h->fd);
	io_set_nonblock(h->fd, 1);
	setsockopt(h->fd, IPPROTO_TCP, TCP_NODELAY, &one, sizeof one);
	h->state = HTTP_CONNECT;
	if (connect(h->fd, (struct sockaddr *)&sa, sizeof sa) < 0 && errno != EINPROGRESS) {
		err = -errno;
		http_close(h);
		return err;
	}
	return 0;
}

short http_events(const struct http *h) { return h->state == HTTP_CONNECT || h->state == HTTP_SEND ? POLLOUT : POLLIN; }

int http_parse_head(const char *s, size_t len, int *status, int64_t *length)
{
	const char *end = s + len;

	if (len < 12 || strncmp(s, "HTTP/1.", 7) || s[8] != ' ' || !isdigit((unsigned char)s[9]) || !isdigit((unsigned char)s[10]) ||
	    !isdigit((unsigned char)s[11]))
		return -EPROTO;
	*status = (s[9] - '0') * 100 + (s[10] - '0') * 10 + (s[11] - '0');
	*length = -1;
	while (s < end) {
		const char *nl = memchr(s, '\n', (size_t)(end - s));

		if (!nl)
			break;
		if (nl - s > 16 && !strncasecmp(s, "Content-Length:", 15)) {
			int64_t v = 0;

			s += 15;
			while (s < nl && *s == ' ')
				s++;
			if (s == nl || !isdigit((unsigned char)*s))
				return -EPROTO;
			for (; s < nl && isdigit((unsigned char)*s); s++) {
				if (v > INT64_MAX / 10 - 9)
					return -EPROTO;
				v = v * 10 + (*s - '0');
			}
			*length = v;
		}
		s = nl + 1;
	}
	return 0;
}

/* Offset behind the empty line, or 0. */
static size_t head_end(const char *s, size_t len)
{
	for (size_t i = 0; i + 1 < len; i++) {
		if (s[i] == '\n' && s[i + 1] == '\n')
			return i + 2;
		if (s[i] == '\n' && i + 2 < len && s[i + 1] == '\r' && s[i + 2] == '\n')
			return i + 3;
	}
	return 0;
}

static int step_connect(struct http *h)
{
	struct pollfd p = {.fd = h->fd, .events = POLLOUT};
	int err = 0;
	socklen_t len = sizeof err;

	if (poll(&p, 1, 0) <= 0)
		return 0;
	if (getsockopt(h->fd, SOL_SOCKET, SO_ERROR, &err, &len) < 0)
		return -errno;
	if (err)
		return -err;
	h->state = HTTP_SEND;
	return 1;
}

static int step_send(struct http *h)
{
	ssize_t n = send(h->fd, h->out + h->out_done, h->out_len - h->out_done, MSG_NOSIGNAL);

	if (n < 0)
		return errno == EAGAIN || errno == EINTR ? 0 : -errno;
	h->out_done += (size_t)n;
	if (h->out_done == h->out_len)
		h->state = HTTP_HEAD;
	return 1;
}

static int step_head(struct http *h)
{
	ssize_t n = recv(h->fd, h->in + h->in_len, sizeof h->in - h->in_len, 0);

	if (n < 0)
		return errno == EAGAIN || errno == EINTR ? 0 : -errno;
	if (n == 0)
		return -EPROTO;
	h->in_len += (size_t)n;
	h->in_body = head_end(h->in, h->in_len);
	if (!h->in_body)
		return h->in_len == sizeof h->in ? -EPROTO : 1;
	int err = http_parse_head(h->in, h->in_body, &h->status, &h->length);
	if (err)
		return err;
	h->state = HTTP_BODY;
	return 1;
}

int http_step(struct http *h)
{
	for (;;) {
		int r;

		switch (h->state) {
		case HTTP_CONNECT:
			r = step_connect(h);
			break;
		case HTTP_SEND:
			r = step_send(h);
			break;
		case HTTP_HEAD:
			r = step_head(h);
			break;
		case HTTP_BODY:
			return 1;
		default:
			return -ENOTCONN;
		}
		if (r <= 0)
			return r;
	}
}

ssize_t http_read(struct http *h, void *buf, size_t size)
{
	ssize_t n;

	if (h->length >= 0 && h->got >= (uint64_t)h->length)
		return 0;
	if (h->length >= 0 && (uint64_t)size > (uint64_t)h->length - h->got)
		size = (size_t)((uint64_t)h->length - h->got);
	if (h->in_body < h->in_len) {
		n = (ssize_t)(h->in_len - h->in_body);
		if ((size_t)n > size)
			n = (ssize_t)size;
		memcpy(buf, h->in + h->in_body, (size_t)n);
		h->in_body += (size_t)n;
	} else {
		n = recv(h->fd, buf, size, 0);
		if (n < 0)
			return errno == EINTR ? -EAGAIN : -errno;
		if (n == 0)
			return h->length >= 0 ? -EPIPE : 0;
	}
	h->got += (uint64_t)n;
	return n;
}
