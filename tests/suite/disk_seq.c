/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * disk-seq: sequential work on one file of the scratch disk (or another place, place.h): write a file, rewrite it, read it with a cold cache.
 *
 * After bonnie++ 2.00a (block write, rewrite, block read; a rewrite counts the bytes of the file once), with fsync and close inside the timer,
 * which bonnie++ does only with -y, and open outside. The scratch disk is freshly made, one repetition works on one file,
 * which is removed after it. The first repetition warms up the file system's own structures, not the data.
 * Facts: each phase's times apart (open, move, fsync, close, the longest step of 256 KiB), its books (phase.h) and progress, by which means the cache
 * was made cold, the file system's mount line.
 * Traps: a file smaller than memory shows the page cache in `rewrite`, whose reads are warm by design; the cache of the disk, or of a twin's
 * host, stays warm; %CPU that falls is not an improvement where the rate falls too, so look at bytes per CPU second.
 */
#include <errno.h>
#include <stdio.h>
#include <unistd.h>

#include "arg.h"
#include "common/err.h"
#include "fact.h"
#include "file_work.h"
#include "place.h"
#include "sample.h"
#include "suite.h"

enum { SIZE_BYTES = PLACE_ARGS, CHUNK_BYTES, REPS, WARM, SEED };

enum { WRITE, REWRITE, READ, PHASES };
static const char *const phase_names[PHASES] = {"write", "rewrite", "read"};
static int (*const phase_run[PHASES])(struct file_work *w, struct file_times *t) = {file_write, file_rewrite, file_read};

struct state {
	struct file_work w;
	struct place place;
	char path[400];
	struct file_times t[PHASES];
	struct samples set[PHASES];
};

/* One repetition; `rep` counts from 1, 0 warms up. 0 or the exit status. */
static int repeat(struct state *s, unsigned rep)
{
	char why[100];
	int err;

	s->w.generation = 0;
	for (unsigned i = 0; i < PHASES; i++) {
		struct file_times *t = &s->t[i];

		fact_phase(phase_names[i], file_quiet_ms(s->w.size));
		if (i == READ) {
			err = place_cold(&s->place, s->path);
			if (err)
				return err;
			fact_phase(phase_names[i], file_quiet_ms(s->w.size)); /* a mount had announced its own */
		}
		t->name = phase_names[i];
		t->place = &s->place;
		t->counts = rep > 0;
		err = phase_run[i](&s->w, t);
		if (err)
			return fact_fail("%s", file_error(&s->w, phase_names[i], err, why, sizeof(why)));
		file_times_report(rep, t);
		if (rep)
			sample_add(&s->set[i], s->w.size, file_times_total(t));
	}
	return 0;
}

static int run(struct state *s, const struct arg *args)
{
	unsigned warm = (unsigned)args[WARM].v, reps = (unsigned)args[REPS].v;
	char why[100];
	int status, err;

	for (unsigned i = 0; i < warm + reps; i++) {
		status = repeat(s, i < warm ? 0 : i - warm + 1);
		if (status)
			return status;
		if (i + 1 == warm + reps) {
			fact_phase("verify", file_quiet_ms(s->w.size));
			err = file_verify(&s->w);
			if (err)
				return fact_fail("%s", file_error(&s->w, "verify", err, why, sizeof(why)));
		}
		unlink(s->path);
	}
	return EXIT_OK;
}

static int report(const struct state *s)
{
	int status = place_report(&s->place);

	if (status)
		return status;
	for (unsigned i = 0; i < PHASES; i++) {
		file_times_books(&s->t[i], s->w.size);
		sample_report(phase_names[i], &s->set[i]);
	}
	return EXIT_OK;
}

int disk_seq(char **argv)
{
	struct arg args[] = {
		PLACE_ARG_ROWS,
		[SIZE_BYTES] = {"size_bytes", 8388608, 65536, 1ull << 40, NULL, "of the file, a multiple of chunk_bytes"},
		[CHUNK_BYTES] = {"chunk_bytes", 65536, 512, FILE_CHUNK_MAX, NULL, "of one read or write, a power of two"},
		[REPS] = {"reps", 5, 1, SAMPLES_MAX, NULL, "repetitions that count"},
		[WARM] = {"warm", 1, 0, 8, NULL, "repetitions before, that do not"},
		[SEED] = {"seed", 1, 0, UINT64_MAX, NULL, "of the data"},
		{0},
	};
	static struct state s;
	int status, err;

	arg_parse(args, argv);
	status = place_open(&s.place, args, args[SIZE_BYTES].v);
	if (status)
		return status;
	snprintf(s.path, sizeof(s.path), "%s/seq", place_dir(&s.place));
	err = file_work_init(&s.w, s.path, args[SIZE_BYTES].v, (size_t)args[CHUNK_BYTES].v, args[SEED].v);
	if (err) {
		place_close(&s.place);
		if (err == -ENOMEM)
			return fact_skip("no memory for chunks of %u bytes", (unsigned)args[CHUNK_BYTES].v);
		err_usage("size_bytes must be a multiple of chunk_bytes, and that a power of two");
	}
	status = run(&s, args);
	if (!status)
		status = report(&s);
	file_work_free(&s.w);
	place_close(&s.place);
	return status;
}
