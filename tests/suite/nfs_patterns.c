/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * nfs-patterns: what the sequential benchmarks never do, and where NFS clients have regressed without them noticing.
 *
 *     seekback  of each page all sectors but the first, then that one; the file's first page last of all. A linker took 2 m 28 s for 15.6 s and a small
 *               program of this kind 29.3 s for 0.2 s on NFS from 2.6.15 to 2.6.17, while tiobench showed no difference (lists, March and April 2006)
 *     sparse    512 bytes each 8.5 KiB, always beyond the end of the file
 *     append    open, append 100 bytes, close: close-to-open and one WRITE and COMMIT each
 *     lookup    stat of names that are there and of names that are not, with a cold attribute cache
 *     link      scattered small writes into four open files, one reread in eight, fchmod, close, rename
 *
 * Each is a number of operations in a time, fsync and close inside, on a place made cold before; what was written is read again with a cold cache in the last
 * repetition, every byte. Primary is seekback: it is the pattern of the report, it is the client's own work above all (a sound client sends the same few
 * WRITEs as for a sequential file; append and lookup wait for the server each time), and the others tell which kind of change it was.
 * The operations of each on the wire are in its books: WRITEs a write, LOOKUPs a name.
 * On scratch or tmpfs the same program is the control. Traps: the server's disk is in fsync and in each close; a lookup of a name that is there is answered
 * without the wire where the client has read the directory.
 */
#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "arg.h"
#include "common/clock.h"
#include "common/err.h"
#include "fact.h"
#include "file_work.h"
#include "phase.h"
#include "place.h"
#include "sample.h"
#include "small_writes.h"
#include "suite.h"

#define OP_QUIET_MS 20 /* an operation, on average */

enum { SEEKBACK_BYTES = PLACE_ARGS, SPARSE_WRITES, APPENDS, APPEND_BYTES, NAMES, LINK_BYTES, REPS, WARM, SEED };

struct state {
	struct place place;
	struct small_writes s;
	struct phase phase[SMALL_WORKS];
	struct progress progress[SMALL_WORKS]; /* of the repetition with the longest stall */
	struct samples set[SMALL_WORKS];
};

static int failed(const struct state *s, const char *name, int err)
{
	const char *file = strrchr(s->s.path, '/');

	file = file ? file + 1 : "";
	if (err == -EILSEQ)
		return fact_fail("%s: wrong data in %.20s at %" PRIu64, name, file, s->s.bad);
	if (err == -EPROTO)
		return fact_fail("%s: %.20s is there and should not be", name, file);
	return fact_fail("%s: %.20s: %s", name, file, strerror(-err));
}

/* The longest silence: of the most operations that a work has here. */
static void announce(const char *name, const struct small_writes *s)
{
	const uint64_t ops[SMALL_WORKS] = {s->seekback_bytes / PATTERN_SECTOR, s->sparse_writes, s->appends, 2ull * s->names,
	                                   s->link_bytes / PATTERN_SECTOR * LINK_FILES};
	uint64_t most = 0;

	for (unsigned i = 0; i < SMALL_WORKS; i++)
		most = ops[i] > most ? ops[i] : most;
	fact_phase(name, 30000 + most * OP_QUIET_MS);
}

/* One repetition of one work; `rep` counts from 1, 0 warms up. 0 or the exit status. */
static int repeat(struct state *s, unsigned i, unsigned rep, int last)
{
	const struct small_work *w = &small_works[i];
	static struct progress progress;
	uint64_t start, ns;
	int err, status;

	announce(w->name, &s->s);
	err = w->prepare ? w->prepare(&s->s) : 0;
	if (err)
		return failed(s, w->name, err);
	status = place_cold(&s->place, NULL);
	if (status)
		return status;
	announce(w->name, &s->s);
	s->s.ops = s->s.done = 0;
	s->s.progress = &progress;
	phase_begin(&s->phase[i], w->name, &s->place);
	start = clock_now_ns();
	progress_start(&progress, start);
	err = w->work(&s->s);
	ns = clock_now_ns() - start;
	progress_note(&progress, start + ns, s->s.done);
	phase_end(&s->phase[i], rep && !err);
	if (err)
		return failed(s, w->name, err);
	if (rep) {
		sample_add(&s->set[i], s->s.ops, ns);
		progress_keep(&s->progress[i], &progress);
	}
	if (!last || !w->verify)
		return 0;
	status = place_cold(&s->place, NULL);
	if (status)
		return status;
	announce("verify", &s->s);
	err = w->verify(&s->s);
	return err ? failed(s, w->name, err) : 0;
}

static int run(struct state *s, unsigned warm, unsigned reps)
{
	for (unsigned n = 0; n < warm + reps; n++)
		for (unsigned i = 0; i < SMALL_WORKS; i++) {
			int status = repeat(s, i, n < warm ? 0 : n - warm + 1, n + 1 == warm + reps);

			if (status)
				return status;
		}
	return EXIT_OK;
}

static int report(const struct state *s)
{
	int status = place_report(&s->place);

	if (status)
		return status;
	for (unsigned i = 0; i < SMALL_WORKS; i++) {
		phase_report(&s->phase[i], 0);
		progress_report(small_works[i].name, &s->progress[i]);
		sample_report(small_works[i].name, &s->set[i]);
	}
	return EXIT_OK;
}

int nfs_patterns(char **argv)
{
	struct arg args[] = {
		PLACE_ARG_ROWS_ON(PLACE_NFS),
		[SEEKBACK_BYTES] = {"seekback_bytes", 262144, 8192, 1u << 30, NULL, "of the file of seekback, a multiple of 4096"},
		[SPARSE_WRITES] = {"sparse_writes", 256, 1, 1u << 20, NULL, "writes of 512 bytes"},
		[APPENDS] = {"appends", 64, 1, 1u << 20, NULL, "times open, append, close"},
		[APPEND_BYTES] = {"append_bytes", 100, 1, 4096, NULL, "of one append"},
		[NAMES] = {"names", 100, 1, 1u << 16, NULL, "that are there, and as many that are not"},
		[LINK_BYTES] = {"link_bytes", 65536, 4096, 1u << 28, NULL, "of each of the four files of link, a power of two"},
		[REPS] = {"reps", 3, 1, SAMPLES_MAX, NULL, "repetitions that count"},
		[WARM] = {"warm", 0, 0, 8, NULL, "repetitions before, that do not"},
		[SEED] = {"seed", 1, 0, UINT64_MAX, NULL, "of the data"},
		{0},
	};
	static struct state s;
	int status;

	arg_parse(args, argv);
	if (args[SEEKBACK_BYTES].v % 4096 || args[LINK_BYTES].v & (args[LINK_BYTES].v - 1))
		err_usage("seekback_bytes must be a multiple of 4096, link_bytes a power of two");
	s.s.seekback_bytes = args[SEEKBACK_BYTES].v;
	s.s.sparse_writes = (unsigned)args[SPARSE_WRITES].v;
	s.s.appends = (unsigned)args[APPENDS].v;
	s.s.append_bytes = (unsigned)args[APPEND_BYTES].v;
	s.s.names = (unsigned)args[NAMES].v;
	s.s.link_bytes = args[LINK_BYTES].v;
	if (pattern_init(&s.s.pattern, args[SEED].v, PATTERN_SECTOR))
		return fact_fail("no memory for a pattern");
	status =
		place_open(&s.place, args,
	                   s.s.seekback_bytes + s.s.link_bytes * LINK_FILES + s.s.sparse_writes * 4096ull + (uint64_t)s.s.appends * s.s.append_bytes);
	if (status)
		return status;
	s.s.dir = place_dir(&s.place);
	status = run(&s, (unsigned)args[WARM].v, (unsigned)args[REPS].v);
	if (!status)
		status = report(&s);
	place_close(&s.place);
	pattern_free(&s.s.pattern);
	return status;
}
