/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * conlog: see conlog.h. Only whole lines of the console are written, so that after a kill -9 what was half received is read
 * again from the source (a twin's log; a real line has lost it, and the records in it are asked for again).
 */
#include "host/conlog.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "common/io.h"

struct reader {
	struct conlog *l;
	void (*replay)(void *ctx, const char *bytes, size_t len);
	void *ctx;
};

static void take(const struct reader *r, const char *line, size_t len)
{
	char bytes[CONSOLE_LINE_MAX];
	uint64_t at, offset;
	size_t n;

	if (console_log_parse(line, len, &at, &offset, bytes, &n))
		return;
	r->l->offset = offset + n;
	if (r->replay)
		r->replay(r->ctx, bytes, n);
}

/* Reads in blocks; *end is where the last whole line ends. */
static int read_lines(const struct reader *r, int fd, off_t *end)
{
	size_t size = 4 * CONSOLE_LOG_MAX, fill = 0;
	char *buf = malloc(size);
	ssize_t n = 0;

	if (!buf)
		return -ENOMEM;
	*end = 0;
	while ((n = read(fd, buf + fill, size - fill)) > 0) {
		char *s = buf, *nl;

		fill += (size_t)n;
		while ((nl = memchr(s, '\n', fill - (size_t)(s - buf)))) {
			take(r, s, (size_t)(nl - s));
			*end += nl + 1 - s;
			s = nl + 1;
		}
		fill -= (size_t)(s - buf);
		memmove(buf, s, fill);
		if (fill == size) { /* no line of ours is so long */
			*end += (off_t)fill;
			fill = 0;
		}
	}
	free(buf);
	return n < 0 ? -errno : 0;
}

int conlog_open(struct conlog *l, const char *path, void (*replay)(void *ctx, const char *bytes, size_t len), void *ctx)
{
	struct reader r = {.l = l, .replay = replay, .ctx = ctx};
	struct stat st;
	off_t end;
	int err;

	l->fill = 0;
	l->ready = 0;
	l->offset = l->dropped = 0;
	l->fd = open(path, O_RDWR | O_CREAT | O_APPEND | O_CLOEXEC, 0644);
	if (l->fd < 0)
		return -errno;
	err = fstat(l->fd, &st) ? -errno : S_ISREG(st.st_mode) ? 0 : -ENOTSUP; /* a device may have no end */
	if (!err)
		err = read_lines(&r, l->fd, &end);
	if (!err && ftruncate(l->fd, end))
		err = -errno;
	if (err) {
		close(l->fd);
		l->fd = -1;
	}
	return err;
}

static int flush(struct conlog *l)
{
	size_t n = l->ready;

	l->ready = 0;
	return n ? io_write_all(l->fd, l->out, n) : 0;
}

static int put_line(struct conlog *l, uint64_t at_ms)
{
	int err = sizeof(l->out) - l->ready < CONSOLE_LOG_MAX ? flush(l) : 0;
	long n = console_log_format(l->out + l->ready, sizeof(l->out) - l->ready, at_ms, l->offset - l->fill, l->buf, l->fill);

	l->fill = 0;
	if (n < 0)
		return (int)n;
	l->ready += (size_t)n;
	return err;
}

int conlog_feed(struct conlog *l, const void *bytes, size_t len, uint64_t at_ms)
{
	const char *s = bytes, *end = s + len;
	int err = 0;

	while (!err && s < end) {
		size_t room = CONSOLE_LINE_MAX - l->fill, n = (size_t)(end - s) < room ? (size_t)(end - s) : room;
		const char *nl = memchr(s, '\n', n);

		if (nl)
			n = (size_t)(nl + 1 - s);
		memcpy(l->buf + l->fill, s, n);
		l->fill += n;
		l->offset += n;
		s += n;
		if (nl || l->fill == CONSOLE_LINE_MAX)
			err = put_line(l, at_ms);
	}
	return err ? err : flush(l);
}

int conlog_note(struct conlog *l, const char *text, uint64_t at_ms)
{
	l->ready = (size_t)snprintf(l->out, sizeof(l->out), "# %" PRIu64 " %.200s\n", at_ms, text);
	return flush(l);
}

void conlog_close(struct conlog *l, uint64_t at_ms)
{
	if (l->fd < 0)
		return;
	if (l->fill && !put_line(l, at_ms))
		flush(l);
	close(l->fd);
	l->fd = -1;
}
