/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * conlog: see conlog.h. Only whole lines of the console are written, so that after a kill -9 what was half received is read
 * again from the source (a twin's log; a real line has lost it, and the records in it are asked for again). Where the disk is full, what
 * comes is held in memory, within bounds, until conlog_retry.
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

/* Opens the file, cuts a torn last line off, and takes what stands in it. */
static int open_file(struct conlog *l, void (*replay)(void *ctx, const char *bytes, size_t len), void *ctx)
{
	struct reader r = {.l = l, .replay = replay, .ctx = ctx};
	struct stat st;
	off_t end = 0;
	int err;

	l->fd = open(l->path, O_RDWR | O_CREAT | O_APPEND | O_CLOEXEC, 0644);
	if (l->fd < 0)
		return -errno;
	err = fstat(l->fd, &st) ? -errno : S_ISREG(st.st_mode) ? 0 : -ENOTSUP; /* a device may have no end */
	if (!err)
		err = read_lines(&r, l->fd, &end);
	if (!err && ftruncate(l->fd, end))
		err = -errno;
	l->size = (uint64_t)end;
	if (err) {
		close(l->fd);
		l->fd = -1;
	}
	return err;
}

int conlog_open(struct conlog *l, const char *path, void (*replay)(void *ctx, const char *bytes, size_t len), void *ctx)
{
	memset(l, 0, sizeof(*l));
	l->fd = -1;
	l->max = UINT64_MAX;
	if (strlen(path) >= sizeof(l->path))
		return -ENAMETOOLONG;
	strcpy(l->path, path);
	return open_file(l, replay, ctx);
}

static int flush(struct conlog *l)
{
	size_t n = l->ready;

	l->ready = 0;
	l->size += n;
	return n ? io_write_all(l->fd, l->out, n) : 0;
}

/* Past its size the log keeps the offset alone, in a line without bytes, now and then: a restart goes on reading there. */
static int skip_line(struct conlog *l, uint64_t at_ms)
{
	int n;

	l->dropped += l->fill;
	l->skipped += l->fill;
	l->fill = 0;
	if (!l->capped) {
		n = snprintf(l->out + l->ready, sizeof(l->out) - l->ready,
		             "# %" PRIu64 " the log has its %" PRIu64 " bytes: what comes now is not kept\n", at_ms, l->max);
		l->ready += n > 0 ? (size_t)n : 0;
		l->capped = 1;
	}
	if (l->skipped < CONLOG_SKIP_BYTES)
		return 0;
	l->skipped = 0;
	n = snprintf(l->out + l->ready, sizeof(l->out) - l->ready, "%" PRIu64 " %" PRIu64 " \n", at_ms, l->offset);
	l->ready += n > 0 ? (size_t)n : 0;
	return 0;
}

static int put_line(struct conlog *l, uint64_t at_ms)
{
	int err = sizeof(l->out) - l->ready < CONSOLE_LOG_MAX ? flush(l) : 0;
	long n;

	if (l->size + l->ready >= l->max)
		return err ? err : skip_line(l, at_ms);
	n = console_log_format(l->out + l->ready, sizeof(l->out) - l->ready, at_ms, l->offset - l->fill, l->buf, l->fill);
	l->fill = 0;
	if (n < 0)
		return (int)n;
	l->ready += (size_t)n;
	return err;
}

static int feed(struct conlog *l, const char *s, size_t len, uint64_t at_ms)
{
	const char *end = s + len;
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

static void hold(struct conlog *l, const char *s, size_t len)
{
	size_t room = CONLOG_HELD_BYTES - l->held_len, n = l->held_lost ? 0 : len < room ? len : room;
	char *more = n ? realloc(l->held, l->held_len + n) : NULL;

	if (!more) {
		l->held_lost += len;
		return;
	}
	memcpy(more + l->held_len, s, n);
	l->held = more;
	l->held_len += n;
	l->held_lost += len - n;
}

int conlog_feed(struct conlog *l, const void *bytes, size_t len, uint64_t at_ms)
{
	char was[CONSOLE_LINE_MAX];
	size_t fill = l->fill;
	uint64_t at = l->offset - fill;

	if (l->err) {
		hold(l, bytes, len);
		return l->err;
	}
	memcpy(was, l->buf, fill);
	l->err = feed(l, bytes, len, at_ms);
	if (l->err) {
		l->held_at = at;
		hold(l, was, fill);
		hold(l, bytes, len);
	}
	return l->err;
}

int conlog_note(struct conlog *l, const char *text, uint64_t at_ms)
{
	if (l->err || l->capped)
		return l->err;
	l->ready = (size_t)snprintf(l->out, sizeof(l->out), "# %" PRIu64 " %.200s\n", at_ms, text);
	l->err = flush(l);
	if (l->err) {
		l->held_at = l->offset - l->fill;
		hold(l, l->buf, l->fill);
	}
	return l->err;
}

int conlog_retry(struct conlog *l, int source_keeps, uint64_t at_ms)
{
	char *held = l->held, note[96];
	size_t len = l->held_len, from;
	uint64_t at = l->held_at, lost = l->held_lost;
	int err;

	if (!l->err)
		return 0;
	if (l->fd >= 0)
		close(l->fd);
	l->fill = l->ready = 0;
	l->offset = 0;
	err = open_file(l, NULL, NULL);
	if (err)
		return err;
	l->held = NULL;
	l->held_len = l->held_lost = 0;
	l->err = 0;
	if (!source_keeps) {
		if (!l->offset || l->offset < at)
			l->offset = at; /* notes alone behind it, or nothing */
		from = (size_t)(l->offset - at);
		err = from < len ? conlog_feed(l, held + from, len - from, at_ms) : 0;
		if (!err && lost) {
			snprintf(note, sizeof(note), "the disk was full: %" PRIu64 " bytes that came then are lost", lost);
			l->offset += lost;
			l->dropped += lost;
			err = conlog_note(l, note, at_ms);
		} else {
			l->held_lost += lost; /* nothing may be put behind the hole before it is said */
		}
	}
	free(held);
	return err;
}

void conlog_close(struct conlog *l, uint64_t at_ms)
{
	if (l->err)
		conlog_retry(l, 0, at_ms);
	if (l->fd >= 0 && !l->err) {
		if (l->fill)
			put_line(l, at_ms);
		if (l->capped && l->skipped) {
			l->skipped = CONLOG_SKIP_BYTES;
			skip_line(l, at_ms);
		}
		flush(l);
	}
	if (l->fd >= 0)
		close(l->fd);
	l->fd = -1;
	free(l->held);
	l->held = NULL;
}
