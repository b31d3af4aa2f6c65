/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * threads: one phase of tiobench by some workers at once: processes, each with a file of its own, a start gun, and shared memory for what they
 * leave.
 *
 * Sequential phases go over the whole file, with a look at the clock once a step of 256 KiB; random ones draw blocks until both a number
 * of operations is done and a time is over, with a look at the clock each operation. fsync (also behind reads, as tiotest) and close are
 * inside the time, which is from the first start to the last end. CPU is each worker's own, from its start to its end.
 * A bit a block says which were written at random, so that reads know which data is right.
 */
#ifndef KD_SUITE_THREADS_H
#define KD_SUITE_THREADS_H

#include <stddef.h>
#include <stdint.h>

#include "common/hist.h"
#include "pattern.h"
#include "progress.h"

#define THREADS_MAX 8
#define THREADS_BLOCK_MAX 65536u
#define THREADS_STEP (256u * 1024u)

enum threads_phase { THREADS_SEQWRITE, THREADS_RANDWRITE, THREADS_SEQREAD, THREADS_RANDREAD, THREADS_PHASES }; /* in tiobench's order */
extern const char *const threads_phase_names[THREADS_PHASES];

/* What a worker leaves, in shared memory. */
struct threads_worker {
	uint64_t start_ns, end_ns, move_ns; /* move_ns: without fsync and close */
	uint64_t cpu_us;
	uint64_t ops, bytes, over_2s, over_10s;
	uint64_t bad;
	int err;
	struct hist hist; /* ns of an operation; of sequential phases, of a step */
	struct progress progress;
};

struct threads {
	/* given */
	const char *dir;
	uint64_t file_bytes; /* of one worker, a multiple of block */
	size_t block;
	unsigned workers;
	uint64_t random_ops; /* of each worker, at least */
	uint64_t random_ns;  /* at least */
	uint64_t seed;
	/* running */
	struct pattern pattern;
	void *buf;
	struct threads_worker *worker; /* THREADS_MAX, shared */
	uint32_t *random;              /* a bit a block, file after file, shared */
	size_t random_bytes;
	enum threads_phase phase;
	/* result of the last phase */
	uint64_t ns;
	unsigned bad_worker;
};

/* All is given but workers and file_bytes, which may be set anew before each threads_create; most_bytes is the most of all files. 0 or -errno. */
int threads_init(struct threads *t, uint64_t most_bytes);
void threads_free(struct threads *t);

/* The files, with their size and nothing in them; what was written at random is forgotten. 0 or -errno. */
int threads_create(struct threads *t);
void threads_remove(const struct threads *t);
const char *threads_path(const struct threads *t, unsigned worker, char *out, size_t size);

/* 0, -errno, -EILSEQ (at worker[bad_worker].bad of its file), -ECHILD where a worker died. No child is left. */
int threads_run(struct threads *t, enum threads_phase phase);
/* Untimed: every byte of all files. */
int threads_verify(struct threads *t);

#endif
