/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * disk-rand: random reads, then random writes of blocks of one file that was filled before, with a latency histogram of each direction.
 *
 * After fio's randread and randwrite with psync and norandommap: `depth` processes, each with one operation under way at a time and numbers of its
 * own (xorshift64*, Vigna, from the seed), through the page cache or past it (direct=yes). A start gun; each process goes on until time_ms are over and
 * it has done its part of `ops`, and stops at max_ms in any case (fact truncated=1). Caches are made cold before the reads. The writes end
 * with an fsync whose time is a fact of its own (times=write fsync_ns=), not in the rate: with a page cache the rate says how fast memory takes them.
 * What is read is checked by its stamps, and the whole file at the end. `every=8` times only one operation in eight, for what is faster than a clock.
 * Traps: a file that fits in memory is soon read from there (look at the histogram's two humps); the cache of the disk, or of a twin's host, stays warm;
 * what a process of a depth gets is in `workers`; progress is that of the first process.
 */
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "arg.h"
#include "bell.h"
#include "block_file.h"
#include "common/clock.h"
#include "common/err.h"
#include "common/hist.h"
#include "fact.h"
#include "gun.h"
#include "latency.h"
#include "phase.h"
#include "place.h"
#include "progress.h"
#include "sample.h"
#include "suite.h"
#include "team.h"

#define DEPTH_MAX 64
#define NOTE_OPS 64 /* operations between two notes of progress */

enum { SIZE_BYTES = PLACE_ARGS, BLOCK_BYTES, DEPTH, DIRECT, TIME_MS, OPS, MAX_MS, EVERY, REPS, WARM, SEED };
static const char *const direct_names[] = {"no", "yes", NULL};

enum { READ, WRITE, DIRECTIONS };
static const char *const direction_names[DIRECTIONS] = {"read", "write"};
static const char *const p99_names[DIRECTIONS] = {"read_p99", "write_p99"};

/* What a process hands to its parent; in shared memory. */
struct worker {
	uint64_t ops, end_ns, bad;
	int err, truncated;
	struct hist hist;
};

struct shared {
	struct progress progress; /* of worker 0 */
	struct worker worker[DEPTH_MAX];
};

struct state {
	const struct arg *args;
	struct place place;
	struct block_file file;
	char path[400];
	struct shared *shared;
	struct gun gun;
	struct team team;
	/* of the repetition that runs */
	unsigned direction, generation, me;
	uint64_t seed;
	/* sums over those that count */
	struct hist hist[DIRECTIONS];
	struct phase phase[DIRECTIONS];
	struct progress worst[DIRECTIONS];
	struct samples set[DIRECTIONS];
	int truncated;
};

static uint64_t draw(uint64_t *x)
{
	*x ^= *x >> 12;
	*x ^= *x << 25;
	*x ^= *x >> 27;
	return *x * 0x2545f4914f6cdd1du;
}

static int open_file(const struct state *s)
{
	return open(s->path, (s->direction == WRITE ? O_WRONLY : O_RDONLY) | (s->args[DIRECT].v ? O_DIRECT : 0) | O_CLOEXEC);
}

/* One operation; *ns where it is timed. 0 or -errno. */
static int operate(struct state *s, int fd, uint32_t block, int timed, uint64_t *ns)
{
	struct block_file *f = &s->file;
	off_t at = (off_t)((uint64_t)block * f->block);
	const void *data = s->direction == WRITE ? block_data(f, block, s->generation) : NULL;
	uint64_t start = timed ? clock_now_ns() : 0;
	ssize_t n;

	do
		n = data ? pwrite(fd, data, f->block, at) : pread(fd, f->buf, f->block, at);
	while (n < 0 && errno == EINTR); /* the bell */
	if (timed)
		*ns = clock_now_ns() - start;
	if (n != (ssize_t)f->block)
		return n < 0 ? -errno : -EIO;
	if (data)
		f->generation[block] = (uint8_t)s->generation;
	return data ? 0 : block_check(f, block, &s->shared->worker[s->me].bad);
}

/* Is it over? Asked for each operation; a clock call only when the bell has rung and there is still to do. */
static int is_over(const struct state *s, struct worker *w, uint64_t want, uint64_t start)
{
	if (!bell_rung())
		return 0;
	if (w->ops >= want)
		return 1;
	if (clock_now_ns() - start < s->args[MAX_MS].v * 1000000u)
		return 0;
	w->truncated = 1;
	return 1;
}

static int work(void *data)
{
	struct state *s = data;
	struct worker *w = &s->shared->worker[s->me];
	uint64_t x = (s->seed ^ (uint64_t)(s->me + 1) * 0x9e3779b97f4a7c15u) | 1, ns = 0, start;
	uint64_t want = (s->args[OPS].v + s->args[DEPTH].v - 1) / s->args[DEPTH].v;
	unsigned every = (unsigned)s->args[EVERY].v;
	int fd = open_file(s);

	for (unsigned i = 0; i < 16; i++)
		draw(&x);
	if (gun_worker_wait(&s->gun))
		return EXIT_FAIL;
	if (fd < 0)
		w->err = -errno;
	start = clock_now_ns();
	bell_set((unsigned)(s->args[TIME_MS].v < s->args[MAX_MS].v ? s->args[TIME_MS].v : s->args[MAX_MS].v));
	for (unsigned since = 0, notes = 0; !w->err && !is_over(s, w, want, start); w->ops++) {
		uint32_t block = (uint32_t)((draw(&x) >> 32) * s->file.blocks >> 32);
		int timed = ++since >= every;

		w->err = operate(s, fd, block, timed, &ns);
		if (!timed || w->err)
			continue;
		since = 0;
		hist_add(&w->hist, ns);
		if (!s->me && ++notes >= NOTE_OPS) {
			progress_note(&s->shared->progress, clock_now_ns(), w->ops * s->file.block);
			notes = 0;
		}
	}
	w->end_ns = clock_now_ns();
	bell_stop();
	return EXIT_OK;
}

/* All workers from the gun to their end. *ns: to the end of the last one. 0 or -errno. */
static int shoot(struct state *s, uint64_t *ns)
{
	unsigned depth = (unsigned)s->args[DEPTH].v;
	uint64_t start = 0;
	int err = gun_init(&s->gun);

	if (err)
		return err;
	memset(s->shared, 0, sizeof(*s->shared));
	s->team.n = 0;
	for (s->me = 0; s->me < depth && !err; s->me++)
		err = team_add(&s->team, work, s);
	if (!err)
		err = gun_wait_ready(&s->gun, depth);
	if (!err) {
		start = clock_now_ns();
		progress_start(&s->shared->progress, start);
		err = gun_fire(&s->gun, depth);
	}
	if (err)
		team_end(&s->team);
	else if (team_join(&s->team))
		err = -ECHILD;
	gun_close(&s->gun);
	for (unsigned i = 0; i < depth; i++) {
		const struct worker *w = &s->shared->worker[i];

		err = err ? err : w->err;
		if (w->end_ns > start && w->end_ns - start > *ns)
			*ns = w->end_ns - start;
	}
	return err;
}

static int sync_file(const struct state *s, uint64_t *ns)
{
	uint64_t start = clock_now_ns();
	int fd = open(s->path, O_WRONLY | O_CLOEXEC), err = 0;

	if (fd < 0)
		return -errno;
	if (fsync(fd))
		err = -errno;
	if (close(fd) && !err)
		err = -errno;
	*ns = clock_now_ns() - start;
	return err;
}

static void report_rep(const struct state *s, unsigned rep, uint64_t ops, uint64_t ns, uint64_t sync_ns)
{
	unsigned depth = (unsigned)s->args[DEPTH].v;
	uint64_t least = UINT64_MAX, most = 0;
	struct fact f;

	for (unsigned i = 0; i < depth; i++) {
		uint64_t n = s->shared->worker[i].ops;

		least = n < least ? n : least;
		most = n > most ? n : most;
	}
	fact_open(&f, "fact");
	kv_out_str(&f.o, "times", direction_names[s->direction]);
	kv_out_u64(&f.o, "i", rep);
	kv_out_u64(&f.o, "ops", ops);
	kv_out_u64(&f.o, "ns", ns);
	if (s->direction == WRITE)
		kv_out_u64(&f.o, "fsync_ns", sync_ns);
	fact_send(&f);
	fact_open(&f, "fact");
	kv_out_str(&f.o, "workers", direction_names[s->direction]);
	kv_out_u64(&f.o, "n", depth);
	kv_out_u64(&f.o, "least", least);
	kv_out_u64(&f.o, "most", most);
	fact_send(&f);
}

/* Adds what the workers of a repetition that counts have done. */
static void add_up(struct state *s, unsigned rep, uint64_t ns, uint64_t sync_ns)
{
	uint64_t ops = 0;
	unsigned d = s->direction;

	for (unsigned i = 0; i < s->args[DEPTH].v; i++) {
		const struct worker *w = &s->shared->worker[i];

		ops += w->ops;
		s->truncated |= w->truncated;
		if (rep)
			hist_merge(&s->hist[d], &w->hist);
	}
	report_rep(s, rep, ops, ns, sync_ns);
	if (!rep)
		return;
	sample_add(&s->set[d], ops, ns);
	progress_keep(&s->worst[d], &s->shared->progress);
}

/* One direction of one repetition, rep 0 a warm-up. 0 or the exit status. */
static int repeat(struct state *s, unsigned direction, unsigned rep, unsigned number)
{
	uint64_t ns = 1, sync_ns = 0, quiet_ms = s->args[MAX_MS].v + 120000 + s->args[SIZE_BYTES].v / 512;
	char why[100];
	int err;

	s->direction = direction;
	s->generation = number % 255 + 1;
	s->seed = s->args[SEED].v ^ ((uint64_t)(2 * number + direction) << 48);
	fact_phase(direction_names[direction], quiet_ms);
	if (direction == READ) {
		err = place_cold(&s->place, s->path);
		if (err)
			return err;
		fact_phase(direction_names[direction], quiet_ms); /* mounting again was one of its own */
	}
	phase_begin(&s->phase[direction], direction_names[direction], &s->place);
	err = shoot(s, &ns);
	phase_end(&s->phase[direction], rep && !err);
	if (!err && direction == WRITE)
		err = sync_file(s, &sync_ns);
	if (err == -EINVAL && s->args[DIRECT].v)
		return fact_skip("O_DIRECT with blocks of %zu bytes is refused here", s->file.block);
	for (unsigned i = 0; err == -EILSEQ && i < s->args[DEPTH].v; i++)
		if (s->shared->worker[i].err == -EILSEQ)
			return fact_fail("%s", block_error("read", err, s->shared->worker[i].bad, why, sizeof(why)));
	if (err)
		return fact_fail("%s", block_error(direction_names[direction], err, 0, why, sizeof(why)));
	add_up(s, rep, ns, sync_ns);
	return 0;
}

/* Does the place take O_DIRECT at all? The file is there. 0 or the exit status. */
static int try_direct(struct state *s)
{
	int fd;

	if (!s->args[DIRECT].v)
		return 0;
	fd = open_file(s);
	if (fd >= 0)
		close(fd);
	return fd >= 0 ? 0 : fact_skip("%s refuses O_DIRECT: %s", s->place.line.type, strerror(errno));
}

static int run(struct state *s)
{
	unsigned warm = (unsigned)s->args[WARM].v, reps = (unsigned)s->args[REPS].v;
	uint64_t bad = 0;
	char why[100];
	int status, err;

	fact_phase("fill", 60000 + s->args[SIZE_BYTES].v / 512);
	err = block_file_fill(&s->file);
	if (err)
		return fact_fail("%s", block_error("fill", err, 0, why, sizeof(why)));
	status = try_direct(s);
	for (unsigned i = 0; i < warm + reps && !status; i++)
		for (unsigned d = READ; d < DIRECTIONS && !status; d++)
			status = repeat(s, d, i < warm ? 0 : i - warm + 1, i);
	if (status)
		return status;
	fact_phase("verify", 60000 + s->args[SIZE_BYTES].v / 512);
	status = place_cold(&s->place, s->path);
	if (status)
		return status;
	fact_phase("verify", 60000 + s->args[SIZE_BYTES].v / 512); /* mounting again was one of its own */
	err = block_file_verify(&s->file, s->file.blocks, &bad);
	return err ? fact_fail("%s", block_error("verify", err, bad, why, sizeof(why))) : 0;
}

static int report(const struct state *s)
{
	int status = place_report(&s->place);

	if (status)
		return status;
	if (s->truncated)
		fact_u64("truncated", 1);
	for (unsigned d = READ; d < DIRECTIONS; d++) {
		uint64_t ops = 0;

		for (size_t i = 0; i < s->set[d].n; i++)
			ops += s->set[d].s[i].v;
		phase_report(&s->phase[d], ops * s->file.block);
		progress_report(direction_names[d], &s->worst[d]);
		fact_hist(direction_names[d], &s->hist[d]);
		sample_report(direction_names[d], &s->set[d]);
		latency_metric(p99_names[d], &s->hist[d], 9900);
	}
	return EXIT_OK;
}

int disk_rand(char **argv)
{
	struct arg args[] = {
		PLACE_ARG_ROWS,
		[SIZE_BYTES] = {"size_bytes", 16777216, 4096, 1ull << 40, NULL, "of the file, a multiple of block_bytes"},
		[BLOCK_BYTES] = {"block_bytes", 4096, 512, BLOCK_BYTES_MAX, NULL, "of one read or write, a power of two"},
		[DEPTH] = {"depth", 1, 1, DEPTH_MAX, NULL, "processes, each with one operation under way"},
		[DIRECT] = {"direct", 0, 0, 0, direct_names, "past the page cache (O_DIRECT)"},
		[TIME_MS] = {"time_ms", 500, 1, 3600000, NULL, "of one direction, at least"},
		[OPS] = {"ops", 400, 1, 1u << 30, NULL, "of one direction, at least, all processes together"},
		[MAX_MS] = {"max_ms", 60000, 1, 86400000, NULL, "of one direction, at most, done or not"},
		[EVERY] = {"every", 1, 1, 1024, NULL, "one operation in so many is timed"},
		[REPS] = {"reps", 3, 1, SAMPLES_MAX, NULL, "repetitions that count"},
		[WARM] = {"warm", 0, 0, 8, NULL, "repetitions before, that do not"},
		[SEED] = {"seed", 1, 0, UINT64_MAX, NULL, "of the data and the offsets"},
		{0},
	};
	static struct state s;
	void *map;
	int status;

	arg_parse(args, argv);
	s.args = args;
	map = mmap(NULL, sizeof(*s.shared), PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
	if (map == MAP_FAILED)
		return fact_fail("shared memory: %s", strerror(errno));
	s.shared = map;
	status = place_open(&s.place, args, args[SIZE_BYTES].v);
	if (status)
		return status;
	snprintf(s.path, sizeof(s.path), "%s/rand", place_dir(&s.place));
	status = block_file_begin(&s.file, &s.place, s.path, args[SIZE_BYTES].v, (size_t)args[BLOCK_BYTES].v, args[SEED].v);
	if (status)
		return status;
	status = run(&s);
	if (!status)
		status = report(&s);
	block_file_free(&s.file);
	place_close(&s.place);
	return status;
}
