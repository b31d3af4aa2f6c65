/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * threads: files, workers, and the four phases.
 *
 * Traps: a file is sparse until it is written, so a sequential write allocates, as tiotest's does. A worker that died is seen by its exit
 * status; what it met is in its slot.
 */
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <unistd.h>

#include "common/clock.h"
#include "common/err.h"
#include "gun.h"
#include "rw.h"
#include "seek.h"
#include "team.h"
#include "threads.h"

#define SECOND 1000000000u

const char *const threads_phase_names[THREADS_PHASES] = {"seqwrite", "randwrite", "seqread", "randread"};

/* A worker at work. */
struct work {
	struct threads *t;
	struct threads_worker *out;
	unsigned me;
	int fd;
	uint64_t blocks, first_bit;
};

struct shot {
	struct threads *t;
	unsigned me; /* worker to be forked */
	struct gun gun;
	struct team team;
};

static void *shared(size_t bytes) { return mmap(NULL, bytes, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0); }

int threads_init(struct threads *t, uint64_t most_bytes)
{
	int err = pattern_init(&t->pattern, t->seed, t->block);

	if (err)
		return err;
	t->random_bytes = (size_t)(most_bytes / t->block / 32 + THREADS_MAX + 1) * sizeof(*t->random);
	t->buf = malloc(t->block);
	t->worker = shared(THREADS_MAX * sizeof(*t->worker));
	t->random = shared(t->random_bytes);
	if (t->buf && t->worker != MAP_FAILED && t->random != MAP_FAILED)
		return 0;
	threads_free(t);
	return -ENOMEM;
}

void threads_free(struct threads *t)
{
	pattern_free(&t->pattern);
	free(t->buf);
	if (t->worker != MAP_FAILED)
		munmap(t->worker, THREADS_MAX * sizeof(*t->worker));
	if (t->random != MAP_FAILED)
		munmap(t->random, t->random_bytes);
}

const char *threads_path(const struct threads *t, unsigned worker, char *out, size_t size)
{
	snprintf(out, size, "%s/thr%u", t->dir, worker);
	return out;
}

void threads_remove(const struct threads *t)
{
	char path[400];

	for (unsigned i = 0; i < t->workers; i++)
		unlink(threads_path(t, i, path, sizeof(path)));
}

int threads_create(struct threads *t)
{
	char path[400];
	int err = 0;

	memset(t->random, 0, t->random_bytes);
	for (unsigned i = 0; i < t->workers && !err; i++) {
		int fd = open(threads_path(t, i, path, sizeof(path)), O_RDWR | O_CREAT | O_TRUNC | O_CLOEXEC, 0600);

		if (fd < 0)
			return -errno;
		if (ftruncate(fd, (off_t)t->file_bytes))
			err = -errno;
		if (close(fd) && !err)
			err = -errno;
	}
	return err;
}

/* Files differ: what is read is not only at the right offset, but of the right file. */
static uint64_t offset_of(const struct work *w, uint64_t block) { return ((uint64_t)w->me << 48) + block * w->t->block; }

static int is_random(const struct work *w, uint64_t block) { return w->t->random[(w->first_bit + block) / 32] >> ((w->first_bit + block) % 32) & 1; }

/* Each file's bits begin with a word of their own: workers set bits without a lock. */
static void set_random(const struct work *w, uint64_t block) { w->t->random[(w->first_bit + block) / 32] |= 1u << ((w->first_bit + block) % 32); }

static int write_block(struct work *w, uint64_t block, unsigned generation)
{
	const void *data = pattern_at(&w->t->pattern, offset_of(w, block), w->t->block, generation);

	return rw_write_at(w->fd, data, w->t->block, block * w->t->block);
}

/* The stamp of each 4 KiB is looked at: a page is what a kernel can mistake for another. */
static int read_block(struct work *w, uint64_t block)
{
	uint64_t at = offset_of(w, block), bad;
	unsigned generation = (unsigned)is_random(w, block);
	const char *data = w->t->buf;
	int err = rw_read_at(w->fd, w->t->buf, w->t->block, block * w->t->block);

	for (size_t i = 0; i < w->t->block && !err; i += 4096)
		if (pattern_check_stamps(&w->t->pattern, data + i, PATTERN_SECTOR, at + i, generation, &bad)) {
			w->out->bad = block * w->t->block + i;
			err = -EILSEQ;
		}
	return err;
}

static void count(struct threads_worker *out, uint64_t ns, uint64_t ops)
{
	hist_add(&out->hist, ns);
	if (ns > 2ull * SECOND)
		out->over_2s += ops;
	if (ns > 10ull * SECOND)
		out->over_10s += ops;
}

static int go_over(struct work *w, int writes)
{
	uint64_t each = THREADS_STEP / w->t->block, before = w->out->start_ns, now, done = 0;
	int err = 0;

	for (uint64_t i = 0; i < w->blocks && !err; i++) {
		err = writes ? write_block(w, i, 0) : read_block(w, i);
		if ((i + 1) % each && i + 1 < w->blocks)
			continue;
		now = clock_now_ns();
		count(w->out, now - before, i + 1 - done);
		progress_note(&w->out->progress, now, (i + 1) * w->t->block);
		done = i + 1;
		before = now;
	}
	w->out->ops = w->blocks;
	return err;
}

static int draw(struct work *w, int writes)
{
	uint64_t seed = w->t->seed + ((uint64_t)(w->me + 1) << 32) + (uint64_t)writes, ops = 0, now = w->out->start_ns, before;
	int err = 0;

	while (!err && (ops < w->t->random_ops || now - w->out->start_ns < w->t->random_ns)) {
		uint64_t block = seek_chunk(seed, ops++, w->blocks);

		before = now;
		err = writes ? write_block(w, block, 1) : read_block(w, block);
		if (writes && !err)
			set_random(w, block);
		now = clock_now_ns();
		count(w->out, now - before, 1);
		if (!(ops % 64))
			progress_note(&w->out->progress, now, ops * w->t->block);
	}
	w->out->ops = ops;
	return err;
}

static uint64_t usage_us(void)
{
	struct rusage u;

	if (getrusage(RUSAGE_SELF, &u))
		return 0;
	return (uint64_t)(u.ru_utime.tv_sec + u.ru_stime.tv_sec) * 1000000u + (uint64_t)(u.ru_utime.tv_usec + u.ru_stime.tv_usec);
}

static void do_phase(struct work *w)
{
	struct threads_worker *out = w->out;
	enum threads_phase phase = w->t->phase;
	int writes = phase == THREADS_SEQWRITE || phase == THREADS_RANDWRITE;
	uint64_t cpu_us = usage_us();

	out->start_ns = clock_now_ns();
	progress_start(&out->progress, out->start_ns);
	out->err = phase == THREADS_SEQWRITE || phase == THREADS_SEQREAD ? go_over(w, writes) : draw(w, writes);
	out->move_ns = clock_now_ns() - out->start_ns;
	if (!out->err && fsync(w->fd))
		out->err = -errno;
	if (close(w->fd) && !out->err)
		out->err = -errno;
	out->end_ns = clock_now_ns();
	out->cpu_us = usage_us() - cpu_us;
	out->bytes = out->ops * w->t->block;
}

static void take_file(struct work *w, struct threads *t, unsigned me)
{
	w->t = t;
	w->me = me;
	w->out = &t->worker[me];
	w->blocks = t->file_bytes / t->block;
	w->first_bit = (w->blocks + 31) / 32 * 32 * me;
}

static int worker(void *data)
{
	struct shot *shot = data;
	struct work w;
	char path[400];

	take_file(&w, shot->t, shot->me);
	w.fd = open(threads_path(w.t, w.me, path, sizeof(path)), O_RDWR | O_CLOEXEC);
	if (w.fd < 0)
		w.out->err = -errno;
	if (w.fd < 0 || gun_worker_wait(&shot->gun))
		return EXIT_FAIL;
	do_phase(&w);
	return w.out->err ? EXIT_FAIL : EXIT_OK;
}

static int shoot(struct shot *shot)
{
	struct threads *t = shot->t;
	int err = gun_init(&shot->gun);

	if (err)
		return err;
	for (shot->me = 0; shot->me < t->workers && !err; shot->me++)
		err = team_add(&shot->team, worker, shot);
	if (!err)
		err = gun_wait_ready(&shot->gun, t->workers);
	if (!err)
		err = gun_fire(&shot->gun, t->workers);
	if (err)
		team_end(&shot->team);
	else if (team_join(&shot->team))
		err = -ECHILD;
	gun_close(&shot->gun);
	return err;
}

int threads_run(struct threads *t, enum threads_phase phase)
{
	uint64_t start = UINT64_MAX, end = 0;
	static struct shot shot;
	int err;

	memset(t->worker, 0, THREADS_MAX * sizeof(*t->worker));
	memset(&shot, 0, sizeof(shot));
	t->phase = phase;
	shot.t = t;
	err = shoot(&shot);
	for (unsigned i = 0; i < t->workers; i++) {
		const struct threads_worker *w = &t->worker[i];

		start = w->start_ns < start ? w->start_ns : start;
		end = w->end_ns > end ? w->end_ns : end;
		if (w->err && (!err || err == -ECHILD || err == -EPIPE)) {
			err = w->err;
			t->bad_worker = i;
		}
	}
	t->ns = end > start ? end - start : 0;
	return err;
}

int threads_verify(struct threads *t)
{
	char path[400];
	int err = 0;

	for (unsigned i = 0; i < t->workers && !err; i++) {
		struct work w;

		take_file(&w, t, i);
		t->bad_worker = i;
		w.fd = open(threads_path(t, i, path, sizeof(path)), O_RDONLY | O_CLOEXEC);
		if (w.fd < 0)
			return -errno;
		for (uint64_t b = 0; b < w.blocks && !err; b++) {
			err = rw_read_at(w.fd, t->buf, t->block, b * t->block);
			if (!err)
				err = pattern_check(&t->pattern, t->buf, t->block, offset_of(&w, b), (unsigned)is_random(&w, b), &w.out->bad);
			w.out->bad &= (1ull << 48) - 1;
		}
		close(w.fd);
	}
	return err;
}
