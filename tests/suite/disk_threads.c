/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * disk-threads: tiobench's four phases (sequential write, random write, sequential read, random read, in this order) by 1, 2, 4 and 8 workers.
 *
 * After tiobench 0.3.x: block 4096, one file a worker of size_bytes / workers, made by ftruncate, pread and pwrite, fsync and close inside the
 * timer. Unlike it: workers are processes, which start at a byte and not by polling; random phases have a time as well as a number of operations
 * (4000 blocks from the page cache are over in 2 ms, and ten runs then differ by a factor of 8); blocks are drawn from a seed and not from
 * the clock; data is checked; CPU is the sum of the workers' own over the time, whereas tiobench's for more than one thread depends
 * on its age and the C library's.
 * Facts, each for <phase>_<workers>: `work=` operations, time, CPU, late operations; `fair=` the slowest and the fastest worker, ratio and Jain's
 * index, where there are two or more; hist, of random phases: ns of an operation; the books of a phase. Of a sequential phase `max_ns=` is of a step of
 * 256 KiB.
 * Traps: cold=none is the default, as tiobench has it: reads after writes show the page cache where the files fit in memory. Random blocks are few
 * against the file: look at the bytes on the wire or from the disk before believing a random read.
 */
#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "arg.h"
#include "common/err.h"
#include "fact.h"
#include "fact_line.h"
#include "fair.h"
#include "file_work.h"
#include "place.h"
#include "sample.h"
#include "suite.h"
#include "threads.h"

enum { SIZE_BYTES = PLACE_ARGS, BLOCK_BYTES, WORKERS, RANDOM_MS, RANDOM_OPS, VERIFY, SEED };

static const char *const workers_names[] = {"1", "2", "4", "8", "1+2", "1+2+4", "1+2+4+8", "1+4", "1+8", "2+4", NULL};

struct state {
	struct threads t;
	struct place place;
	uint64_t size;
	struct sample metric[4][THREADS_PHASES]; /* of 1, 2, 4, 8 workers; ns 0: not asked for */
};

static const char *error(const struct threads *t, const char *name, int err, char *out, size_t size)
{
	if (err == -EILSEQ)
		snprintf(out, size, "%s: wrong data at %" PRIu64 " of file %u", name, t->worker[t->bad_worker].bad, t->bad_worker);
	else if (err == -ENODATA)
		snprintf(out, size, "%s: file %u is too short", name, t->bad_worker);
	else if (err == -ECHILD)
		snprintf(out, size, "%s: a worker died", name);
	else
		snprintf(out, size, "%s: %s", name, strerror(-err));
	return out;
}

static void report_how(const struct state *s, const char *workers)
{
	struct fact_line l;

	fact_line_open(&l, "how", "threads");
	fact_line_u64(&l, "size_bytes", s->size);
	fact_line_u64(&l, "block_bytes", s->t.block);
	fact_line_str(&l, "workers", workers);
	fact_line_u64(&l, "random_ms", s->t.random_ns / 1000000);
	fact_line_u64(&l, "step_bytes", THREADS_STEP);
	fact_line_u64(&l, "seed", s->t.seed);
	fact_line_send(&l);
}

/* Of 1, 2, 4, 8. */
static unsigned index_of(unsigned workers)
{
	unsigned i = 0;

	while (workers >> (i + 1))
		i++;
	return i;
}

/* A worker's own rate, B/s. */
static uint64_t rate(const struct threads_worker *w)
{
	uint64_t us = (w->end_ns - w->start_ns) / 1000;

	return w->bytes * 1000 / (us ? us : 1) * 1000;
}

static void report_fair(const char *name, const struct threads *t)
{
	uint64_t share[THREADS_MAX], least = UINT64_MAX, most = 0;
	struct fact_line l;

	for (unsigned i = 0; i < t->workers; i++) {
		share[i] = rate(&t->worker[i]);
		least = share[i] < least ? share[i] : least;
		most = share[i] > most ? share[i] : most;
	}
	fact_line_open(&l, "fair", name);
	fact_line_u64(&l, "least", least);
	fact_line_u64(&l, "most", most);
	fact_line_u64(&l, "ratio_permille", fair_ratio_permille(share, t->workers));
	fact_line_u64(&l, "jain_permille", fair_jain_permille(share, t->workers));
	fact_line_send(&l);
}

/* Sums over the workers. hists: the histogram as well; steps of a sequential phase are few, and the longest is in work=. */
static void report_work(const char *name, const struct threads *t, int hists, struct sample *metric)
{
	struct threads_worker sum = {0};
	uint64_t longest = 0;
	static struct hist hist;
	struct fact_line l;

	hist_clear(&hist);
	for (unsigned i = 0; i < t->workers; i++) {
		const struct threads_worker *w = &t->worker[i];

		sum.ops += w->ops;
		sum.bytes += w->bytes;
		sum.move_ns += w->move_ns;
		sum.cpu_us += w->cpu_us;
		sum.over_2s += w->over_2s;
		sum.over_10s += w->over_10s;
		longest = w->progress.stall_ns > longest ? w->progress.stall_ns : longest;
		hist_merge(&hist, &w->hist);
	}
	fact_line_open(&l, "work", name);
	fact_line_u64(&l, "ops", sum.ops);
	fact_line_u64(&l, "bytes", sum.bytes);
	fact_line_u64(&l, "ns", t->ns);
	fact_line_u64(&l, "cpu_us", sum.cpu_us);
	fact_line_u64(&l, "sum_ns", sum.move_ns);
	fact_line_u64(&l, "max_ns", hist.max);
	fact_line_u64(&l, "over_2s", sum.over_2s);
	fact_line_u64(&l, "over_10s", sum.over_10s);
	fact_line_u64(&l, "stall_ns", longest);
	fact_line_send(&l);
	if (hists)
		fact_hist(name, &hist);
	*metric = (struct sample){sum.bytes, t->ns ? t->ns : 1};
}

/* 0 or the exit status. */
static int run_phase(struct state *s, enum threads_phase phase)
{
	struct threads *t = &s->t;
	int reads = phase == THREADS_SEQREAD || phase == THREADS_RANDREAD;
	int random = phase == THREADS_RANDWRITE || phase == THREADS_RANDREAD, status, err;
	struct phase books = {0};
	uint64_t quiet_ms;
	char name[24], why[100];

	snprintf(name, sizeof(name), "%s_%u", threads_phase_names[phase], t->workers);
	quiet_ms = random ? 20000 + t->random_ns / 500000 + t->random_ops * t->workers * 20 : file_quiet_ms(s->size);
	fact_phase(name, quiet_ms);
	if (reads && s->place.cold != COLD_NONE) {
		status = place_cold(&s->place, NULL);
		if (status)
			return status;
		fact_phase(name, quiet_ms); /* mounting again was one of its own */
	}
	phase_begin(&books, name, &s->place);
	err = threads_run(t, phase);
	phase_end(&books, !err);
	if (err)
		return fact_fail("%s", error(t, name, err, why, sizeof(why)));
	if (t->workers > 1)
		report_fair(name, t);
	report_work(name, t, random, &s->metric[index_of(t->workers)][phase]);
	phase_report(&books, 0); /* bytes are in work= */
	return 0;
}

/* All phases by so many workers, on files of their own. 0 or the exit status. */
static int run_workers(struct state *s, unsigned workers, int verify)
{
	struct threads *t = &s->t;
	uint64_t ops = t->random_ops;
	char why[100];
	int status = 0, err;

	t->workers = workers;
	t->file_bytes = s->size / workers / t->block * t->block;
	t->random_ops = (ops + workers - 1) / workers;
	err = threads_create(t);
	if (err)
		status = fact_fail("%s", error(t, "create", err, why, sizeof(why)));
	for (int p = 0; p < THREADS_PHASES && !status; p++)
		status = run_phase(s, (enum threads_phase)p);
	if (verify && !status) {
		fact_phase("verify", file_quiet_ms(s->size));
		err = threads_verify(t);
		if (err)
			status = fact_fail("%s", error(t, "verify", err, why, sizeof(why)));
	}
	threads_remove(t);
	t->random_ops = ops;
	return status;
}

static int run(struct state *s, const char *workers, int verify)
{
	for (const char *w = workers; *w; w += !!w[1] + 1) {
		int status = run_workers(s, (unsigned)(*w - '0'), verify);

		if (status)
			return status;
	}
	return 0;
}

/* Only now: a test that fails has no metrics. Those of other numbers of workers are lacking by design. */
static void report_metrics(const struct state *s)
{
	char name[24];

	for (unsigned i = 0; i < 4; i++)
		for (int p = 0; p < THREADS_PHASES; p++) {
			snprintf(name, sizeof(name), "%s_%u", threads_phase_names[p], 1u << i);
			if (s->metric[i][p].ns)
				fact_rate(name, s->metric[i][p].v, s->metric[i][p].ns);
			else
				fact_str("lacks", name);
		}
}

int disk_threads(char **argv)
{
	struct arg args[] = {
		PLACE_ARG_ROWS,
		[SIZE_BYTES] = {"size_bytes", 16u << 20, 65536, 1ull << 40, NULL, "of all files together"},
		[BLOCK_BYTES] = {"block_bytes", 4096, 512, THREADS_BLOCK_MAX, NULL, "of an operation, a power of two"},
		[WORKERS] = {"workers", 5, 0, 0, workers_names, "how many at once, one after the other"},
		[RANDOM_MS] = {"random_ms", 1000, 0, 600000, NULL, "a random phase takes at least"},
		[RANDOM_OPS] = {"random_ops", 4000, 1, 100000000, NULL, "and has at least so many operations, all workers together"},
		[VERIFY] = {"verify", 1, 0, 1, NULL, "1: behind the phases, untimed, every byte is looked at"},
		[SEED] = {"seed", 1, 0, UINT64_MAX, NULL, "of the data and the blocks"},
		{0},
	};
	const char *workers;
	static struct state s;
	int status;

	args[PLACE_COLD].v = COLD_NONE; /* as tiobench */
	arg_parse(args, argv);
	workers = workers_names[args[WORKERS].v];
	s.size = args[SIZE_BYTES].v;
	s.t.block = (size_t)args[BLOCK_BYTES].v;
	s.t.random_ops = args[RANDOM_OPS].v;
	s.t.random_ns = args[RANDOM_MS].v * 1000000;
	s.t.seed = args[SEED].v;
	if (s.t.block & (s.t.block - 1))
		err_usage("block_bytes must be a power of two");
	if (s.size < THREADS_MAX * s.t.block)
		err_usage("size_bytes must be %d blocks or more", THREADS_MAX);
	status = place_open(&s.place, args, s.size);
	if (status)
		return status;
	s.t.dir = place_dir(&s.place);
	if (threads_init(&s.t, s.size)) {
		place_close(&s.place);
		return fact_skip("no memory for %d workers", THREADS_MAX);
	}
	report_how(&s, workers);
	status = run(&s, workers, (int)args[VERIFY].v);
	if (!status)
		status = place_report(&s.place);
	if (!status)
		report_metrics(&s);
	place_close(&s.place);
	threads_free(&s.t);
	return status;
}
