/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * stream: flush, fill, and the locked pair.
 */
#include <errno.h>
#include <unistd.h>

#include "common/io.h"
#include "stream.h"

int stream_flush(struct stream *s)
{
	size_t n = s->at;

	s->at = 0;
	return io_write_all(s->fd, s->buf, n);
}

int stream_fill(struct stream *s)
{
	ssize_t n;

	do
		n = read(s->fd, s->buf, s->size);
	while (n < 0 && errno == EINTR);
	s->at = s->end = 0;
	if (n <= 0)
		return n ? -errno : -ENODATA;
	s->end = (size_t)n;
	return s->buf[s->at++];
}

/* Nobody else has the stream: the loop is never run. */
static void take(struct stream *s)
{
	while (__atomic_exchange_n(&s->lock, 1, __ATOMIC_ACQUIRE))
		;
}

static void give(struct stream *s) { __atomic_store_n(&s->lock, 0, __ATOMIC_RELEASE); }

__attribute__((noinline)) int stream_put(struct stream *s, unsigned char c)
{
	int err;

	take(s);
	err = stream_put_unlocked(s, c);
	give(s);
	return err;
}

__attribute__((noinline)) int stream_get(struct stream *s)
{
	int c;

	take(s);
	c = stream_get_unlocked(s);
	give(s);
	return c;
}
