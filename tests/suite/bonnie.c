/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * bonnie: the phases. The order of calls is Bonnie's: a rewrite is read, lseek back, write.
 */
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "bonnie.h"
#include "common/clock.h"
#include "common/io.h"
#include "rw.h"
#include "stream.h"

#define STEP (256u * 1024u) /* between looks at the clock */

const char *const bonnie_phase_names[BONNIE_PHASES] = {"putc", "rewrite", "write", "getc", "read", "seek"};

int bonnie_init(struct bonnie *b, uint64_t seed)
{
	size_t most = b->chunk > b->seek.chunk ? b->chunk : b->seek.chunk;
	int err;

	if (!b->size || b->size % b->chunk || b->size % b->seek.chunk || b->char_bytes % b->chunk || b->char_bytes > b->size)
		return -EINVAL;
	err = pattern_init(&b->pattern, seed, most);
	if (err)
		return err;
	b->buf = malloc(most);
	b->stream_buf = malloc(b->buffer + 1);
	if (b->buf && b->stream_buf)
		return 0;
	bonnie_free(b);
	return -ENOMEM;
}

void bonnie_free(struct bonnie *b)
{
	pattern_free(&b->pattern);
	free(b->buf);
	free(b->stream_buf);
	b->buf = b->stream_buf = NULL;
}

static void note(struct bonnie *b, uint64_t at, uint64_t end)
{
	if (at - b->noted < STEP && at < end)
		return;
	progress_note(&b->progress, clock_now_ns(), at);
	b->noted = at;
}

/* One loop a way, so that no loop asks a byte which way it goes. */
static int put_chunk(struct stream *s, const unsigned char *from, size_t len, int locked)
{
	int err = 0;

	if (locked)
		for (size_t i = 0; i < len && !err; i++)
			err = stream_put(s, from[i]);
	else
		for (size_t i = 0; i < len && !err; i++)
			err = stream_put_unlocked(s, from[i]);
	return err;
}

static int write_bytes(int fd, const unsigned char *from, size_t len)
{
	int err = 0;

	for (size_t i = 0; i < len && !err; i++)
		err = io_write_all(fd, from + i, 1);
	return err;
}

static int do_putc(struct bonnie *b)
{
	struct stream s = {.fd = b->fd, .buf = b->stream_buf, .size = b->buffer};
	int err = 0;

	b->generation = 0;
	for (uint64_t at = 0; at < b->char_bytes && !err;) {
		const unsigned char *from = pattern_at(&b->pattern, at, b->chunk, b->generation);

		err = b->buffer ? put_chunk(&s, from, b->chunk, b->locked) : write_bytes(b->fd, from, b->chunk);
		at += b->chunk;
		note(b, at, b->char_bytes);
	}
	return err || !b->buffer ? err : stream_flush(&s);
}

/* 0, -errno, -EILSEQ and *wrong: the index of the byte that is not what is wanted. */
static int get_chunk(struct stream *s, const unsigned char *want, size_t len, int locked, uint64_t *wrong)
{
	size_t i = 0;
	int c = 0;

	if (locked)
		while (i < len && (c = stream_get(s)) == want[i])
			i++;
	else
		while (i < len && (c = stream_get_unlocked(s)) == want[i])
			i++;
	*wrong = i;
	return i == len ? 0 : c < 0 ? c : -EILSEQ;
}

static int read_bytes(int fd, const unsigned char *want, size_t len, uint64_t *wrong)
{
	unsigned char c;

	for (size_t i = 0; i < len; i++) {
		int err = rw_read(fd, &c, 1);

		*wrong = i;
		if (err || c != want[i])
			return err ? err : -EILSEQ;
	}
	return 0;
}

static int do_getc(struct bonnie *b)
{
	struct stream s = {.fd = b->fd, .buf = b->stream_buf, .size = b->buffer};
	uint64_t wrong = 0;
	int err = 0;

	for (uint64_t at = 0; at < b->char_bytes && !err;) {
		const unsigned char *want = pattern_at(&b->pattern, at, b->chunk, b->generation);

		err = b->buffer ? get_chunk(&s, want, b->chunk, b->locked, &wrong) : read_bytes(b->fd, want, b->chunk, &wrong);
		b->bad = at + wrong;
		at += b->chunk;
		note(b, at, b->char_bytes);
	}
	return err;
}

static int do_rewrite(struct bonnie *b)
{
	unsigned old = b->generation;
	int err = 0;

	b->generation++;
	for (uint64_t at = 0; at < b->size && !err;) {
		err = rw_read(b->fd, b->buf, b->chunk);
		if (!err)
			err = pattern_check_stamps(&b->pattern, b->buf, b->chunk, at, old, &b->bad);
		if (!err) {
			pattern_stamp(&b->pattern, b->buf, b->chunk, at, b->generation);
			err = lseek(b->fd, (off_t)at, SEEK_SET) < 0 ? -errno : io_write_all(b->fd, b->buf, b->chunk);
		}
		at += b->chunk;
		note(b, at, b->size);
	}
	return err;
}

static int do_write(struct bonnie *b)
{
	int err = 0;

	b->generation = 2; /* other data than putc's and rewrite's */
	for (uint64_t at = 0; at < b->size && !err;) {
		err = io_write_all(b->fd, pattern_at(&b->pattern, at, b->chunk, b->generation), b->chunk);
		at += b->chunk;
		note(b, at, b->size);
	}
	return err;
}

static int do_read(struct bonnie *b)
{
	int err = 0;

	for (uint64_t at = 0; at < b->size && !err;) {
		err = rw_read(b->fd, b->buf, b->chunk);
		if (!err)
			err = pattern_check_stamps(&b->pattern, b->buf, b->chunk, at, b->generation, &b->bad);
		at += b->chunk;
		note(b, at, b->size);
	}
	return err;
}

static int do_seek(struct bonnie *b)
{
	int err;

	b->seek.path = b->path;
	b->seek.pattern = &b->pattern;
	b->seek.buf = b->buf;
	b->seek.size = b->size;
	b->seek.seed = b->pattern.seed;
	b->seek.generation = b->generation;
	b->seek.sync = b->sync;
	err = seek_run(&b->seek);
	b->bad = b->seek.bad;
	return err;
}

static const struct {
	int (*run)(struct bonnie *b);
	int flags; /* of open; -1: opens for itself */
} phases[BONNIE_PHASES] = {
	[BONNIE_PUTC] = {do_putc, O_WRONLY | O_CREAT | O_TRUNC},
	[BONNIE_REWRITE] = {do_rewrite, O_RDWR},
	[BONNIE_WRITE] = {do_write, O_WRONLY | O_CREAT | O_TRUNC},
	[BONNIE_GETC] = {do_getc, O_RDONLY},
	[BONNIE_READ] = {do_read, O_RDONLY},
	[BONNIE_SEEK] = {do_seek, -1},
};

/* fsync where it is asked for and something was written, and close, both timed. The first error stays. */
static int finish(struct bonnie *b, int written, int err)
{
	uint64_t moved = clock_now_ns(), synced = moved;

	if (written && b->sync && !err) {
		if (fsync(b->fd))
			err = -errno;
		synced = clock_now_ns();
	}
	if (close(b->fd) && !err)
		err = -errno;
	b->sync_ns = synced - moved;
	b->close_ns = clock_now_ns() - synced;
	return err;
}

int bonnie_run(struct bonnie *b, enum bonnie_phase phase, int counts)
{
	int flags = phases[phase].flags, err;
	uint64_t start;

	b->sync_ns = b->close_ns = 0;
	if (flags >= 0) {
		b->fd = open(b->path, flags | O_CLOEXEC, 0600);
		if (b->fd < 0)
			return -errno;
	}
	phase_begin(&b->books[phase], bonnie_phase_names[phase], b->place);
	start = clock_now_ns();
	progress_start(&b->progress, start);
	b->noted = 0;
	err = phases[phase].run(b);
	if (flags >= 0)
		err = finish(b, flags != O_RDONLY, err);
	b->ns = flags >= 0 ? clock_now_ns() - start : b->seek.ns;
	phase_end(&b->books[phase], counts && !err);
	if (counts && !err && flags >= 0)
		progress_keep(&b->worst[phase], &b->progress);
	return err;
}

int bonnie_verify(struct bonnie *b)
{
	int fd = open(b->path, O_RDONLY | O_CLOEXEC), err = 0;

	if (fd < 0)
		return -errno;
	for (uint64_t at = 0; at < b->size && !err; at += b->chunk) {
		const char *sector = b->buf;

		err = rw_read(fd, b->buf, b->chunk);
		for (size_t i = 0; i < b->chunk && !err; i += PATTERN_SECTOR)
			if (pattern_check(&b->pattern, sector + i, PATTERN_SECTOR, at + i, b->generation, &b->bad) &&
			    pattern_check(&b->pattern, sector + i, PATTERN_SECTOR, at + i, b->generation + 1, &b->bad))
				err = -EILSEQ;
	}
	close(fd);
	return err;
}
