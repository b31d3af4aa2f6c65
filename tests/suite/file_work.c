/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * file_work: write, rewrite and read of one file.
 *
 * The trap: a short read or write is legal and not an error; whole chunks are asked for again until they are done.
 */
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "common/clock.h"
#include "fact.h"
#include "file_work.h"
#include "rw.h"

/* A timed phase over an open file. */
struct moving {
	struct file_work *w;
	struct file_times *t;
	struct progress progress;
	int fd;
	uint64_t start_ns, step_at; /* where the present step began */
};

int file_work_init(struct file_work *w, const char *path, uint64_t size, size_t chunk, uint64_t seed)
{
	int err;

	memset(w, 0, sizeof(*w));
	if (chunk > FILE_CHUNK_MAX || !size || size & (chunk - 1))
		return -EINVAL;
	w->path = path;
	w->size = size;
	w->chunk = chunk;
	err = pattern_init(&w->pattern, seed, chunk);
	if (err)
		return err;
	w->buf = malloc(chunk);
	if (!w->buf) {
		pattern_free(&w->pattern);
		return -ENOMEM;
	}
	return 0;
}

void file_work_free(struct file_work *w)
{
	pattern_free(&w->pattern);
	free(w->buf);
	w->buf = NULL;
}

static int begin(struct moving *p, struct file_work *w, struct file_times *t, int flags)
{
	uint64_t open_ns = clock_now_ns();

	p->w = w;
	p->t = t;
	p->fd = open(w->path, flags | O_CLOEXEC, 0600);
	if (p->fd < 0)
		return -errno;
	t->open_ns = clock_now_ns() - open_ns;
	t->fsync_ns = 0;
	p->step_at = 0;
	phase_begin(&t->phase, t->name, t->place);
	p->start_ns = clock_now_ns();
	progress_start(&p->progress, p->start_ns);
	return 0;
}

static void step(struct moving *p, uint64_t at)
{
	if (at - p->step_at < FILE_STEP && at < p->w->size)
		return;
	progress_note(&p->progress, clock_now_ns(), at);
	p->step_at = at;
}

/* fsync (where something was written) and close, timed. err is what went wrong before; the first error is returned. */
static int finish(struct moving *p, int with_fsync, int err)
{
	uint64_t moved_ns = clock_now_ns(), synced_ns = moved_ns, closed_ns;

	if (with_fsync && !err) {
		if (fsync(p->fd))
			err = -errno;
		synced_ns = clock_now_ns();
	}
	if (close(p->fd) && !err)
		err = -errno;
	closed_ns = clock_now_ns();
	phase_end(&p->t->phase, p->t->counts && !err);
	if (p->t->counts && !err)
		progress_keep(&p->t->progress, &p->progress);
	p->t->longest_step_ns = p->progress.stall_ns;
	p->t->move_ns = moved_ns - p->start_ns;
	p->t->fsync_ns = synced_ns - moved_ns;
	p->t->close_ns = closed_ns - synced_ns;
	return err;
}

int file_write(struct file_work *w, struct file_times *t)
{
	struct moving p;
	int err = begin(&p, w, t, O_WRONLY | O_CREAT | O_TRUNC);

	if (err)
		return err;
	for (uint64_t at = 0; at < w->size && !err;) {
		err = rw_write_at(p.fd, pattern_at(&w->pattern, at, w->chunk, w->generation), w->chunk, at);
		at += w->chunk;
		step(&p, at);
	}
	return finish(&p, 1, err);
}

int file_rewrite(struct file_work *w, struct file_times *t)
{
	unsigned old = w->generation, new = old + 1;
	struct moving p;
	int err = begin(&p, w, t, O_RDWR);

	if (err)
		return err;
	for (uint64_t at = 0; at < w->size && !err;) {
		err = rw_read_at(p.fd, w->buf, w->chunk, at);
		if (!err)
			err = pattern_check_stamps(&w->pattern, w->buf, w->chunk, at, old, &w->bad);
		if (!err) {
			pattern_stamp(&w->pattern, w->buf, w->chunk, at, new);
			err = rw_write_at(p.fd, w->buf, w->chunk, at);
		}
		at += w->chunk;
		step(&p, at);
	}
	w->generation = new;
	return finish(&p, 1, err);
}

int file_read(struct file_work *w, struct file_times *t)
{
	struct moving p;
	int err = begin(&p, w, t, O_RDONLY);

	if (err)
		return err;
	for (uint64_t at = 0; at < w->size && !err;) {
		err = rw_read_at(p.fd, w->buf, w->chunk, at);
		if (!err)
			err = pattern_check_stamps(&w->pattern, w->buf, w->chunk, at, w->generation, &w->bad);
		at += w->chunk;
		step(&p, at);
	}
	return finish(&p, 0, err);
}

int file_verify(struct file_work *w)
{
	int fd = open(w->path, O_RDONLY | O_CLOEXEC);
	int err = 0;

	if (fd < 0)
		return -errno;
	for (uint64_t at = 0; at < w->size && !err; at += w->chunk) {
		err = rw_read_at(fd, w->buf, w->chunk, at);
		if (!err)
			err = pattern_check(&w->pattern, w->buf, w->chunk, at, w->generation, &w->bad);
	}
	close(fd);
	return err;
}

uint64_t file_times_total(const struct file_times *t) { return t->move_ns + t->fsync_ns + t->close_ns; }

void file_times_report(unsigned i, const struct file_times *t)
{
	struct fact f;

	fact_open(&f, "fact");
	kv_out_str(&f.o, "times", t->name);
	kv_out_u64(&f.o, "i", i);
	kv_out_u64(&f.o, "open_ns", t->open_ns);
	kv_out_u64(&f.o, "move_ns", t->move_ns);
	kv_out_u64(&f.o, "fsync_ns", t->fsync_ns);
	kv_out_u64(&f.o, "close_ns", t->close_ns);
	kv_out_u64(&f.o, "step_ns", t->longest_step_ns);
	fact_send(&f);
}

void file_times_books(const struct file_times *t, uint64_t bytes)
{
	phase_report(&t->phase, bytes * t->phase.n);
	if (t->phase.n)
		progress_report(t->name, &t->progress);
}

uint64_t file_quiet_ms(uint64_t size) { return 10000 + (size >> 9); /* 1 ms for 512 bytes */ }

const char *file_error(const struct file_work *w, const char *phase, int err, char *out, size_t size)
{
	if (err == -EILSEQ)
		snprintf(out, size, "%s: wrong data at %" PRIu64, phase, w->bad);
	else if (err == -ENODATA)
		snprintf(out, size, "%s: the file is too short", phase);
	else
		snprintf(out, size, "%s: %s", phase, strerror(-err));
	return out;
}
