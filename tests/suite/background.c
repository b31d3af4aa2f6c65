/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * background: loads and hogs.
 *
 * Each worker says over a pipe that it is set up, and counts what it has done in shared memory, so that a load that did nothing is seen.
 */
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <unistd.h>

#include "background.h"
#include "chunk.h"
#include "common/err.h"
#include "common/io.h"
#include "fact.h"
#include "own.h"
#include "spawn.h"

#define WRITE_BYTES (64u << 10)
#define SYNC_BYTES (1u << 20)

const char *const background_loads[] = {"idle", "busy", "disk", "nfs", "spawn", NULL};
const char *const background_hogs[] = {"none", "one", "idle", NULL};

struct background_count {
	volatile uint64_t units[TEAM_MAX]; /* one writer each */
	volatile int failed;
};

struct worker {
	struct background *b;
	unsigned me;
	enum load load;
	enum hog hog;
	const char *dir;
};

static int say(const struct worker *w, int err)
{
	int said = io_write_all(w->b->ready[1], &err, sizeof(err));

	close(w->b->ready[1]);
	return said ? said : err;
}

static int compute(const struct worker *w)
{
	int err = 0;

	if (w->hog != HOG_NONE)
		err = own_bind_or_only(0);
	if (!err && w->hog == HOG_IDLE)
		err = own_idle();
	if (say(w, err))
		return EXIT_FAIL;
	for (;;)
		w->b->count->units[w->me] += !chunk_do(1);
}

static int open_file(const struct worker *w)
{
	char path[400]; /* a place's folder and a name */
	int fd;

	snprintf(path, sizeof(path), "%s/kd-load-%u", w->dir ? w->dir : ".", w->me);
	fd = open(path, O_WRONLY | O_CREAT | O_TRUNC, 0600);
	if (fd < 0)
		return -errno;
	unlink(path); /* a file system that cannot keep it open then fails its writes, which is seen */
	return fd;
}

static int write_files(const struct worker *w)
{
	static char data[WRITE_BYTES];
	int fd = open_file(w);
	uint32_t x = 2463534242u;

	for (size_t i = 0; i < sizeof(data); i++) { /* nothing that compresses */
		x ^= x << 13;
		x ^= x >> 17;
		x ^= x << 5;
		data[i] = (char)x;
	}
	if (say(w, fd < 0 ? fd : 0))
		return EXIT_FAIL;
	for (uint64_t at = 0;;) {
		if (io_write_all(fd, data, sizeof(data)))
			break;
		at += sizeof(data);
		w->b->count->units[w->me] += sizeof(data);
		if (at % SYNC_BYTES == 0 && fsync(fd))
			break;
		if (at % BACKGROUND_FILE_BYTES == 0 && lseek(fd, 0, SEEK_SET))
			break;
	}
	w->b->count->failed = errno;
	return EXIT_FAIL;
}

static int spawn(const struct worker *w)
{
	if (say(w, 0))
		return EXIT_FAIL;
	while (!spawn_exec())
		w->b->count->units[w->me]++;
	w->b->count->failed = ECHILD;
	return EXIT_FAIL;
}

static int work(void *data)
{
	const struct worker *w = data;

	close(w->b->ready[0]);
	switch (w->load) {
	case LOAD_DISK:
	case LOAD_NFS:
		return write_files(w);
	case LOAD_SPAWN:
		return spawn(w);
	default:
		return compute(w);
	}
}

/* What the workers say once they are set up: 0 or the first error. */
static int hear(struct background *b, unsigned workers)
{
	int err = 0, one;

	while (workers-- && !err) {
		ssize_t n;

		do
			n = read(b->ready[0], &one, sizeof(one));
		while (n < 0 && errno == EINTR);
		err = n == (ssize_t)sizeof(one) ? one : -EPIPE;
	}
	return err;
}

static int start(struct background *b, struct worker *w, unsigned workers)
{
	int err = 0;

	if (!b->count) {
		void *p = mmap(NULL, sizeof(*b->count), PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);

		if (p == MAP_FAILED)
			return -errno;
		b->count = p;
	}
	if (pipe(b->ready))
		return -errno;
	w->b = b;
	for (unsigned i = 0; i < workers && !err; i++) {
		w->me = b->team.n;
		err = team_add(&b->team, work, w);
	}
	close(b->ready[1]);
	if (!err)
		err = hear(b, workers);
	close(b->ready[0]);
	if (err)
		background_stop(b);
	return err;
}

int background_start(struct background *b, enum load load, unsigned workers, const char *dir)
{
	struct worker w = {.load = load, .dir = dir};

	b->load = background_loads[load];
	return load == LOAD_IDLE ? 0 : start(b, &w, workers);
}

int background_hog(struct background *b, enum hog hog)
{
	struct worker w = {.load = LOAD_BUSY, .hog = hog};

	if (!b->load)
		b->load = hog == HOG_IDLE ? "idle-hog" : "hog";
	return hog == HOG_NONE ? 0 : start(b, &w, 1);
}

static uint64_t children_us(void)
{
	struct rusage u;

	if (getrusage(RUSAGE_CHILDREN, &u))
		return 0;
	return (uint64_t)(u.ru_utime.tv_sec + u.ru_stime.tv_sec) * 1000000u + (uint64_t)(u.ru_utime.tv_usec + u.ru_stime.tv_usec);
}

int background_stop(struct background *b)
{
	uint64_t before = children_us();

	team_end(&b->team);
	b->cpu_us = children_us() - before;
	return b->count && b->count->failed ? -EIO : 0;
}

uint64_t background_units(const struct background *b)
{
	uint64_t units = 0;

	for (unsigned i = 0; b->count && i < TEAM_MAX; i++)
		units += b->count->units[i];
	return units;
}

void background_report(const struct background *b)
{
	struct fact f;

	if (!b->count)
		return;
	fact_open(&f, "fact");
	kv_out_str(&f.o, "load", b->load);
	kv_out_u64(&f.o, "units", background_units(b));
	kv_out_u64(&f.o, "cpu_us", b->cpu_us);
	fact_send(&f);
}

const char *background_hog_lacks(enum hog hog, int err)
{
	if (hog == HOG_IDLE && err == -EINVAL)
		return "this kernel has no SCHED_IDLE";
	if (err == -ENOSYS)
		return "this kernel cannot bind a process to a CPU";
	return strerror(-err);
}
