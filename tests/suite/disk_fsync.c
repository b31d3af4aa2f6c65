/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * disk-fsync: how long one small write takes until it is on the disk: write and fsync of a block, again and again, each timed.
 *
 * What a database's log or a mail spool does. mode=append: the file grows, so that each fsync has the file's own structures to write too (a journal's
 * commit where there is one); at size_bytes it is cut and begun anew, outside the timer. mode=overwrite: blocks that are there already, one after the
 * other. After it has run for time_ms and has done `ops` the test ends, and at max_ms in any case (fact truncated=1). Two clock calls an
 * operation, which is long against them.
 * Traps: a disk with a volatile cache that ignores flushes, or a twin's host (cache=unsafe), answers at the speed of memory; an NFS server that
 * exports async lies as well; fsync on ext2 writes the data alone where the inode is clean.
 */
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "arg.h"
#include "block_file.h"
#include "common/clock.h"
#include "common/err.h"
#include "common/hist.h"
#include "fact.h"
#include "latency.h"
#include "phase.h"
#include "place.h"
#include "suite.h"

enum { MODE = PLACE_ARGS, SIZE_BYTES, BLOCK_BYTES, OPS, TIME_MS, MAX_MS, WARM, SEED };
enum mode { APPEND, OVERWRITE };
static const char *const mode_names[] = {"append", "overwrite", NULL};

struct state {
	struct place place;
	struct block_file file;
	char path[400];
	enum mode mode;
	int fd;
	uint64_t begun; /* operations since the file was begun (append) or filled (overwrite) */
	uint64_t bad;
	struct hist hist;
	struct phase phase;
};

/* The next block, and what goes into it. At the end of the file it begins anew. */
static int next_block(struct state *s, uint32_t *block, unsigned *generation)
{
	uint32_t n = s->file.blocks;

	if (s->mode == APPEND && s->begun == n) {
		if (ftruncate(s->fd, 0) || fsync(s->fd))
			return -errno;
		s->begun = 0;
	}
	*block = (uint32_t)(s->begun % n);
	*generation = s->mode == APPEND ? 0 : (unsigned)(s->begun / n + 1) & 0xff;
	return 0;
}

/* One write with fsync. 0 or -errno. */
static int operate(struct state *s, uint64_t *ns, uint64_t *end)
{
	size_t len = s->file.block;
	unsigned generation = 0;
	const void *data;
	uint32_t block = 0;
	uint64_t start;
	ssize_t n;
	int err = next_block(s, &block, &generation);

	if (err)
		return err;
	data = block_data(&s->file, block, generation);
	start = clock_now_ns();
	n = pwrite(s->fd, data, len, (off_t)((uint64_t)block * len));
	if (n != (ssize_t)len)
		return n < 0 ? -errno : -EIO;
	if (fsync(s->fd))
		return -errno;
	*end = clock_now_ns();
	*ns = *end - start;
	s->file.generation[block] = (uint8_t)generation;
	s->begun++;
	return 0;
}

static int run(struct state *s, const struct arg *args)
{
	uint64_t start = clock_now_ns(), ns, now = start, least_ns = args[TIME_MS].v * 1000000u, max_ns = args[MAX_MS].v * 1000000u;
	int err = 0;

	for (uint64_t i = 0; i < args[WARM].v && !err && now - start < max_ns; i++)
		err = operate(s, &ns, &now);
	phase_begin(&s->phase, "fsync", &s->place);
	start = now = clock_now_ns();
	while (!err && now - start < max_ns && (s->hist.n < args[OPS].v || now - start < least_ns)) {
		err = operate(s, &ns, &now);
		if (!err)
			hist_add(&s->hist, ns);
	}
	phase_end(&s->phase, !err);
	if (!err && s->hist.n < args[OPS].v)
		fact_u64("truncated", 1);
	return err;
}

static int work(struct state *s, const struct arg *args)
{
	char why[100];
	int err = 0;

	fact_phase("prepare", 60000 + args[SIZE_BYTES].v / 512);
	if (s->mode == OVERWRITE)
		err = block_file_fill(&s->file);
	s->fd = err ? -1 : open(s->path, O_WRONLY | O_CREAT | O_CLOEXEC, 0600);
	if (!err && s->fd < 0)
		err = -errno;
	if (err)
		return fact_fail("%s", block_error("prepare", err, 0, why, sizeof(why)));
	fact_phase("fsync", 2 * args[MAX_MS].v + 60000);
	err = run(s, args);
	if (close(s->fd) && !err)
		err = -errno;
	if (err)
		return fact_fail("%s", block_error("fsync", err, 0, why, sizeof(why)));
	fact_phase("verify", 60000 + args[SIZE_BYTES].v / 512);
	err = place_cold(&s->place, s->path);
	if (err)
		return err;
	fact_phase("verify", 60000 + args[SIZE_BYTES].v / 512); /* mounting again was one of its own */
	err = block_file_verify(&s->file, s->mode == APPEND ? (uint32_t)s->begun : s->file.blocks, &s->bad);
	if (err)
		return fact_fail("%s", block_error("verify", err, s->bad, why, sizeof(why)));
	err = place_report(&s->place);
	if (err)
		return err;
	phase_report(&s->phase, s->hist.n * s->file.block);
	fact_hist("fsync", &s->hist);
	latency_metric("p50", &s->hist, 5000);
	latency_metric("p99", &s->hist, 9900);
	fact_rate("rate", s->hist.n, s->hist.sum);
	return EXIT_OK;
}

int disk_fsync(char **argv)
{
	struct arg args[] = {
		PLACE_ARG_ROWS,
		[MODE] = {"mode", APPEND, 0, 0, mode_names, "the file grows, or its blocks are written over"},
		[SIZE_BYTES] = {"size_bytes", 8388608, 4096, 1ull << 40, NULL, "of the file at most, a multiple of block_bytes"},
		[BLOCK_BYTES] = {"block_bytes", 4096, 512, BLOCK_BYTES_MAX, NULL, "of one write, a power of two"},
		[OPS] = {"ops", 400, 1, 1u << 30, NULL, "at least"},
		[TIME_MS] = {"time_ms", 1000, 0, 3600000, NULL, "at least"},
		[MAX_MS] = {"max_ms", 60000, 1, 86400000, NULL, "at most, done or not; the operations before as well"},
		[WARM] = {"warm", 10, 0, 100000, NULL, "operations before, that do not count"},
		[SEED] = {"seed", 1, 0, UINT64_MAX, NULL, "of the data"},
		{0},
	};
	static struct state s;
	int status;

	arg_parse(args, argv);
	s.mode = (enum mode)args[MODE].v;
	hist_clear(&s.hist);
	status = place_open(&s.place, args, args[SIZE_BYTES].v);
	if (status)
		return status;
	snprintf(s.path, sizeof(s.path), "%s/fsync", place_dir(&s.place));
	status = block_file_begin(&s.file, &s.place, s.path, args[SIZE_BYTES].v, (size_t)args[BLOCK_BYTES].v, args[SEED].v);
	if (status)
		return status;
	status = work(&s, args);
	block_file_free(&s.file);
	place_close(&s.place);
	return status;
}
