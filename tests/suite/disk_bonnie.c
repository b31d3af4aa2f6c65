/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * disk-bonnie: Bonnie's six phases on one file, in Bonnie 1.x's order and sizes or in bonnie++'s.
 *
 *     order=bonnie1    putc, rewrite, write, getc, read, seek; chunks of 1 MiB in every block phase, putc and getc over the whole file
 *                      through a buffer; 4000 seeks by 3 seekers (Bonnie 1.3; options -s -S -y -u -p)
 *     order=bonnie++   putc, write, rewrite, getc, read, seek; chunks of 8 KiB, putc and getc of 3 MiB, a system call a byte; 8192 seeks by
 *                      5 seekers (bonnie++ 2.00a)
 *
 * A parameter that is 0 is what the order has; what was used is in the facts (`how=bonnie`). Sources: Bonnie.c's derivatives of 2002 and bonnie++
 * 2.00a. Differences from them: the data is a pattern that is checked, the buffer of putc is fixed (stream.h), where a seek leads is a function
 * of the seed, the seekers' sleep is out of the time, and fsync=0 leaves fsync out where bonnie++ always has it (give fsync=1 to compare).
 * Traps: neither makes anything cold (cold=none is the default here): a file smaller than memory shows the page cache. Seeks of 1 MiB are
 * bandwidth: two values are comparable only at the same seek_chunk. A rewrite counts the file once. getc and putc of the two orders measure
 * different things. %CPU that falls with the rate is no improvement: look at CPU seconds a GiB.
 */
#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "arg.h"
#include "bonnie.h"
#include "common/err.h"
#include "fact.h"
#include "fact_line.h"
#include "file_work.h"
#include "place.h"
#include "suite.h"

enum {
	ORDER = PLACE_ARGS,
	SIZE_BYTES,
	CHUNK_BYTES,
	SEEK_CHUNK_BYTES,
	BUFFER_BYTES,
	CHAR_BYTES,
	SEEKS,
	SEEKERS,
	FSYNC,
	UNLOCKED,
	REPS,
	WARM,
	VERIFY,
	SEED,
};

enum { BONNIE1, PLUS, ORDERS };
static const char *const order_names[] = {"bonnie1", "bonnie++", NULL};

static const struct {
	enum bonnie_phase phase[BONNIE_PHASES];
	size_t chunk;
	uint64_t char_bytes; /* 0: the whole file */
	size_t buffer;
	uint64_t seeks;
	unsigned seekers;
} orders[ORDERS] = {
	{{BONNIE_PUTC, BONNIE_REWRITE, BONNIE_WRITE, BONNIE_GETC, BONNIE_READ, BONNIE_SEEK}, 1u << 20, 0, 8192, 4000, 3},
	{{BONNIE_PUTC, BONNIE_WRITE, BONNIE_REWRITE, BONNIE_GETC, BONNIE_READ, BONNIE_SEEK}, 8192, 3u << 20, 0, 8192, 5},
};

struct state {
	struct bonnie b;
	struct place place;
	char path[sizeof(((struct place *)0)->dir) + 8];
	int order;
	struct samples set[BONNIE_PHASES];
	uint64_t rewrites, again;
	struct hist seek; /* of all repetitions that count */
};

static uint64_t given(const struct arg *args, int row, uint64_t otherwise) { return args[row].v ? args[row].v : otherwise; }

static void take_args(struct state *s, const struct arg *args)
{
	struct bonnie *b = &s->b;

	s->order = (int)args[ORDER].v;
	b->size = args[SIZE_BYTES].v;
	b->chunk = (size_t)given(args, CHUNK_BYTES, orders[s->order].chunk);
	b->seek.chunk = (size_t)given(args, SEEK_CHUNK_BYTES, b->chunk);
	b->buffer = (size_t)given(args, BUFFER_BYTES, orders[s->order].buffer);
	b->char_bytes = given(args, CHAR_BYTES, orders[s->order].char_bytes);
	if (!b->char_bytes || b->char_bytes > b->size)
		b->char_bytes = b->size;
	b->seek.seeks = given(args, SEEKS, orders[s->order].seeks);
	b->seek.seekers = (unsigned)given(args, SEEKERS, orders[s->order].seekers);
	b->sync = args[FSYNC].v != 0;
	b->locked = !args[UNLOCKED].v;
}

static void report_how(const struct state *s)
{
	const struct bonnie *b = &s->b;
	struct fact_line l;

	fact_line_open(&l, "how", "bonnie");
	fact_line_str(&l, "order", order_names[s->order]);
	fact_line_u64(&l, "size_bytes", b->size);
	fact_line_u64(&l, "chunk_bytes", b->chunk);
	fact_line_u64(&l, "seek_chunk_bytes", b->seek.chunk);
	fact_line_u64(&l, "seeks", b->seek.seeks);
	fact_line_u64(&l, "seekers", b->seek.seekers);
	fact_line_u64(&l, "char_bytes", b->char_bytes);
	fact_line_u64(&l, "buffer_bytes", b->buffer);
	fact_line_u64(&l, "unlocked", !b->locked);
	fact_line_u64(&l, "fsync", (uint64_t)b->sync);
	fact_line_u64(&l, "seed", b->pattern.seed);
	fact_line_send(&l);
}

static const char *error(const struct bonnie *b, const char *phase, int err, char *out, size_t size)
{
	if (err == -EILSEQ)
		snprintf(out, size, "%s: wrong data at %" PRIu64, phase, b->bad);
	else if (err == -ENODATA)
		snprintf(out, size, "%s: the file is too short", phase);
	else if (err == -ECHILD)
		snprintf(out, size, "%s: a seeker died", phase);
	else
		snprintf(out, size, "%s: %s", phase, strerror(-err));
	return out;
}

/* What a phase moves or does, once. */
static uint64_t amount(const struct bonnie *b, enum bonnie_phase phase)
{
	if (phase == BONNIE_SEEK)
		return b->seek.seeks;
	return phase == BONNIE_PUTC || phase == BONNIE_GETC ? b->char_bytes : b->size;
}

static void report_times(const struct bonnie *b, const char *name, unsigned rep)
{
	struct fact_line l;

	fact_line_open(&l, "times", name);
	fact_line_u64(&l, "i", rep);
	fact_line_u64(&l, "move_ns", b->ns - b->sync_ns - b->close_ns);
	fact_line_u64(&l, "fsync_ns", b->sync_ns);
	fact_line_u64(&l, "close_ns", b->close_ns);
	fact_line_send(&l);
}

/* rep counts from 1, 0 warms up. 0 or the exit status. */
static int run_phase(struct state *s, enum bonnie_phase phase, unsigned rep)
{
	const char *name = bonnie_phase_names[phase];
	struct bonnie *b = &s->b;
	uint64_t bytes = phase == BONNIE_SEEK ? b->seek.seeks * b->seek.chunk : amount(b, phase);
	char why[100];
	uint64_t quiet_ms = file_quiet_ms(bytes) + (phase == BONNIE_SEEK ? 20 * b->seek.seeks : 0);
	int status, err;

	fact_phase(name, quiet_ms);
	if (phase >= BONNIE_GETC && s->place.cold != COLD_NONE) {
		status = place_cold(&s->place, s->path);
		if (status)
			return status;
		fact_phase(name, quiet_ms); /* mounting again was one of its own */
	}
	err = bonnie_run(b, phase, rep > 0);
	if (err)
		return fact_fail("%s", error(b, name, err, why, sizeof(why)));
	report_times(b, name, rep);
	if (!rep)
		return 0;
	sample_add(&s->set[phase], amount(b, phase), b->ns);
	if (phase == BONNIE_SEEK) {
		s->rewrites += b->seek.rewrites;
		s->again += b->seek.again;
		hist_merge(&s->seek, &b->seek.hist);
	}
	return 0;
}

static int run(struct state *s, const struct arg *args)
{
	unsigned warm = (unsigned)args[WARM].v, reps = (unsigned)args[REPS].v;
	char why[100];
	int err;

	for (unsigned i = 0; i < warm + reps; i++) {
		for (int p = 0; p < BONNIE_PHASES; p++) {
			int status = run_phase(s, orders[s->order].phase[p], i < warm ? 0 : i - warm + 1);

			if (status)
				return status;
		}
		if (args[VERIFY].v && i + 1 == warm + reps) {
			fact_phase("verify", file_quiet_ms(s->b.size));
			err = bonnie_verify(&s->b);
			if (err)
				return fact_fail("%s", error(&s->b, "verify", err, why, sizeof(why)));
		}
		unlink(s->path);
	}
	return EXIT_OK;
}

static void report(const struct state *s)
{
	uint64_t reps = s->set[0].n;
	struct fact_line l;

	for (int p = 0; p < BONNIE_PHASES; p++) {
		uint64_t bytes = p == BONNIE_SEEK ? s->b.seek.seeks * s->b.seek.chunk : amount(&s->b, (enum bonnie_phase)p);

		phase_report(&s->b.books[p], bytes * reps);
		if (p != BONNIE_SEEK)
			progress_report(bonnie_phase_names[p], &s->b.worst[p]);
	}
	fact_hist("seek", &s->seek);
	fact_line_open(&l, "seek", "done");
	fact_line_u64(&l, "rewrites", s->rewrites);
	fact_line_u64(&l, "read_again", s->again);
	fact_line_send(&l);
	for (int p = 0; p < BONNIE_PHASES; p++)
		sample_report(bonnie_phase_names[p], &s->set[p]);
}

int disk_bonnie(char **argv)
{
	struct arg args[] = {
		PLACE_ARG_ROWS,
		[ORDER] = {"order", BONNIE1, 0, 0, order_names, "whose order and sizes"},
		[SIZE_BYTES] = {"size_bytes", 16u << 20, 65536, 1ull << 40, NULL, "of the file (-s), a multiple of the chunks"},
		[CHUNK_BYTES] = {"chunk_bytes", 0, 0, BONNIE_CHUNK_MAX, NULL, "of block phases, a power of two; 0: as the order has it"},
		[SEEK_CHUNK_BYTES] = {"seek_chunk_bytes", 0, 0, BONNIE_CHUNK_MAX, NULL, "of a seek, a power of two; 0: chunk_bytes"},
		[BUFFER_BYTES] = {"buffer_bytes", 0, 0, BONNIE_CHUNK_MAX, NULL, "of putc and getc; 0: 8192, of bonnie++ a system call a byte"},
		[CHAR_BYTES] = {"char_bytes", 0, 0, 1ull << 40, NULL, "of putc and getc; 0: the file, of bonnie++ 3 MiB"},
		[SEEKS] = {"seeks", 0, 0, 10000000, NULL, "in all (-S); 0: 4000, of bonnie++ 8192"},
		[SEEKERS] = {"seekers", 0, 0, SEEKERS_MAX, NULL, "processes (-p); 0: 3, of bonnie++ 5"},
		[FSYNC] = {"fsync", 1, 0, 1, NULL, "1: each writing phase ends with fsync (-y)"},
		[UNLOCKED] = {"unlocked", 1, 0, 1, NULL, "1: putc and getc without a lock (-u)"},
		[REPS] = {"reps", 1, 1, SAMPLES_MAX, NULL, "repetitions that count"},
		[WARM] = {"warm", 0, 0, 8, NULL, "repetitions before, that do not"},
		[VERIFY] = {"verify", 1, 0, 1, NULL, "1: at the end, untimed, every byte is looked at"},
		[SEED] = {"seed", 1, 0, UINT64_MAX, NULL, "of the data and the seeks"},
		{0},
	};
	static struct state s;
	int status, err;

	args[PLACE_COLD].v = COLD_NONE; /* as Bonnie */
	arg_parse(args, argv);
	take_args(&s, args);
	if (s.order == BONNIE1 && s.b.char_bytes < s.b.size)
		err_usage("char_bytes must be the whole file in this order: putc makes what rewrite reads");
	err = bonnie_init(&s.b, args[SEED].v);
	if (err == -ENOMEM)
		return fact_skip("no memory for chunks and buffers");
	if (err)
		err_usage("chunks must be powers of two of which size_bytes and char_bytes are multiples");
	status = place_open(&s.place, args, s.b.size);
	if (status)
		return status;
	s.b.path = s.path;
	s.b.place = &s.place;
	snprintf(s.path, sizeof(s.path), "%s/bonnie", place_dir(&s.place));
	report_how(&s);
	status = run(&s, args);
	if (!status)
		status = place_report(&s.place);
	if (!status)
		report(&s);
	place_close(&s.place);
	bonnie_free(&s.b);
	return status;
}
