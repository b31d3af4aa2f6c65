/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * fetch: the order of sources and the judgement. A wrong answer of one source does not keep the next from being asked.
 */
#include "box/fetch.h"
#include "box/http.h"
#include "common/clock.h"
#include "common/io.h"

#include <errno.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

int fetch_take(struct fetch *f, const void *data, size_t len)
{
	if (len > f->max_bytes - f->bytes)
		return -EFBIG;
	int err = io_write_all(f->out_fd, data, len);
	if (err)
		return err;
	f->bytes += len;
	if (f->hasher)
		hasher_grow(f->hasher, f->bytes);
	return 0;
}

static enum fetch_result wait_head(struct fetch *f, struct http *h)
{
	uint64_t until = clock_now_ms() + FETCH_CONNECT_MS;

	for (;;) {
		int r = http_step(h);

		if (r < 0) {
			snprintf(f->why, sizeof f->why, "http: %s", strerror(-r));
			return FETCH_NONE;
		}
		if (r == 1)
			break;
		uint64_t now = clock_now_ms();
		if (now >= until) {
			snprintf(f->why, sizeof f->why, "http: no answer");
			return FETCH_NONE;
		}
		struct pollfd p = {.fd = h->fd, .events = http_events(h)};
		poll(&p, 1, (int)(until - now));
	}
	if (h->status == 200)
		return FETCH_OK;
	snprintf(f->why, sizeof f->why, "http: status %d", h->status);
	return h->status >= 500 ? FETCH_NONE : FETCH_WRONG;
}

static enum fetch_result read_body(struct fetch *f, struct http *h)
{
	for (;;) {
		ssize_t n = http_read(h, f->buf, FETCH_BUF_BYTES);

		if (n == 0)
			return FETCH_OK;
		if (n > 0) {
			int err = fetch_take(f, f->buf, (size_t)n);

			if (!err)
				continue;
			snprintf(f->why, sizeof f->why, "http: %s", strerror(-err));
			return FETCH_WRONG;
		}
		struct pollfd p = {.fd = h->fd, .events = POLLIN};
		if (n != -EAGAIN || poll(&p, 1, FETCH_STALL_MS) <= 0) {
			snprintf(f->why, sizeof f->why, "http: broke off after %llu bytes", (unsigned long long)f->bytes);
			return FETCH_NONE;
		}
		promise_say(f->promise, 3 * FETCH_STALL_MS);
	}
}

enum fetch_result fetch_by_http(struct fetch *f)
{
	struct http h;
	char path[HTTP_PATH_MAX];

	if (snprintf(path, sizeof path, "/%s", f->path) >= (int)sizeof path)
		return FETCH_WRONG;
	int err = http_open(&h, f->net->http, path, NULL, 0);
	if (err) {
		snprintf(f->why, sizeof f->why, "http: %s", strerror(-err));
		return FETCH_NONE;
	}
	enum fetch_result r = wait_head(f, &h);
	if (r == FETCH_OK)
		r = read_body(f, &h);
	http_close(&h);
	return r;
}

enum fetch_result fetch_file(struct fetch *f)
{
	const struct {
		const char *name, *server;
		enum fetch_result (*by)(struct fetch *);
	} source[] = {
		{"http", f->nfs_only ? "" : f->net->http, fetch_by_http},
		{"tftp", f->nfs_only ? "" : f->net->tftp, fetch_by_tftp},
		{"nfs", f->net->nfs, fetch_by_nfs},
	};
	enum fetch_result worst = FETCH_NONE;
	off_t start = lseek(f->out_fd, 0, SEEK_CUR);

	snprintf(f->why, sizeof f->why, "no server");
	f->buf = malloc(FETCH_BUF_BYTES);
	for (size_t i = 0; f->buf && i < sizeof source / sizeof *source; i++) {
		if (!source[i].server[0])
			continue;
		promise_say(f->promise, 60000);
		f->by = source[i].name;
		f->bytes = 0;
		if (f->hasher && hasher_start(f->hasher, f->out_fd, start) < 0)
			break;
		enum fetch_result r = source[i].by(f);
		if (r == FETCH_OK) {
			if (f->hasher)
				hasher_finish(f->hasher, f->bytes);
			worst = FETCH_OK;
			break;
		}
		if (f->hasher)
			hasher_drop(f->hasher);
		if (r == FETCH_WRONG)
			worst = FETCH_WRONG;
		if (ftruncate(f->out_fd, start) < 0 || lseek(f->out_fd, start, SEEK_SET) < 0)
			break;
	}
	free(f->buf);
	return worst;
}
