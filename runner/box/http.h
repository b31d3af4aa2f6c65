/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * http: a client of HTTP/1.0 (RFC 1945), one request a connection, non-blocking: the caller polls. Answers are untrusted:
 * the head is bounded, only status and Content-Length are read from it.
 */
#ifndef KD_BOX_HTTP_H
#define KD_BOX_HTTP_H

#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

#define HTTP_PATH_MAX 400

enum http_state { HTTP_IDLE, HTTP_CONNECT, HTTP_SEND, HTTP_HEAD, HTTP_BODY };

struct http {
	enum http_state state;
	int fd; /* -1 when idle */
	char out[1024];
	size_t out_len, out_done;
	char in[2048]; /* the head, then the first bytes of the body */
	size_t in_len, in_body;
	int status;
	int64_t length; /* -1: until the end of the connection */
	uint64_t got;
};

/* server is ADDR:PORT. path begins with a slash. body may be NULL (GET), else POST. 0 or -errno. */
int http_open(struct http *h, const char *server, const char *path, const char *body, size_t body_len);
void http_close(struct http *h);
short http_events(const struct http *h);
/* As far as it goes without blocking. 1: the head is in, 0: not yet, -errno (-EPROTO: no HTTP). */
int http_step(struct http *h);
/* Bytes of the body. 0: its end, -EAGAIN, -EPIPE (ended before its length), -errno. */
ssize_t http_read(struct http *h, void *buf, size_t size);

/* Pure: status and length out of a head of len bytes (up to and including the empty line). 0 or -EPROTO. */
int http_parse_head(const char *s, size_t len, int *status, int64_t *length);

#endif
