/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * file_work: sequential work on one file of patterned data: write, rewrite (read, dirty, write back, chunk by chunk), read;
 * the phases of bonnie++ 2.00a, with fsync and close inside the timer and also shown apart.
 *
 * open is outside the timer. While a phase runs the clock is read once a step of FILE_STEP bytes, for the longest step, which
 * shows a stall that a mean hides. Timed reads check the stamps (1 byte in 64 is looked at); file_verify checks every byte.
 */
#ifndef KD_SUITE_FILE_WORK_H
#define KD_SUITE_FILE_WORK_H

#include <stddef.h>
#include <stdint.h>

#include "pattern.h"
#include "phase.h"
#include "progress.h"

#define FILE_STEP (256u * 1024u)
#define FILE_CHUNK_MAX (1024u * 1024u)

struct file_work {
	/* given */
	const char *path;
	uint64_t size;       /* bytes, a multiple of chunk */
	size_t chunk;        /* bytes of one call, a power of two */
	unsigned generation; /* of the data in the file; write begins it, rewrite adds one */
	/* running */
	struct pattern pattern;
	void *buf;
	/* result */
	uint64_t bad; /* where data was wrong (-EILSEQ) */
};

struct file_times {
	/* given */
	const char *name;          /* of the phase */
	const struct place *place; /* or NULL */
	int counts;                /* 0: a warm-up, of which no books are kept */
	/* result of the last one */
	uint64_t open_ns;
	uint64_t move_ns, fsync_ns, close_ns; /* their sum is the timed whole */
	uint64_t longest_step_ns;
	/* result of all that count */
	struct phase phase;       /* of the timed whole */
	struct progress progress; /* of the one with the longest stall */
};

int file_work_init(struct file_work *w, const char *path, uint64_t size, size_t chunk, uint64_t seed);
void file_work_free(struct file_work *w);

/* Each 0, -errno, or -EILSEQ with w->bad. Times are set, the books of what counts added to. */
int file_write(struct file_work *w, struct file_times *t);
int file_rewrite(struct file_work *w, struct file_times *t);
int file_read(struct file_work *w, struct file_times *t);
int file_verify(struct file_work *w); /* untimed, every byte */

uint64_t file_times_total(const struct file_times *t);
/* `fact times=NAME i= open_ns= move_ns= fsync_ns= close_ns= step_ns=` of the last one. */
void file_times_report(unsigned i, const struct file_times *t);
/* The books and the progress of all that count, each of which moved `bytes`. */
void file_times_books(const struct file_times *t, uint64_t bytes);
/* The longest silence to announce for a phase over size bytes: 10 s and 2 s a MiB. */
uint64_t file_quiet_ms(uint64_t size);
/* What an error of the above means, for fact_fail: "write: wrong data at 4096". Returns out. */
const char *file_error(const struct file_work *w, const char *phase, int err, char *out, size_t size);

#endif
