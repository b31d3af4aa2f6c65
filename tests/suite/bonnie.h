/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * bonnie: the six phases of Bonnie on one file of patterned data, each timed with its fsync (where asked for) and its close.
 *
 * Each begins where Bonnie's begins: putc and write make the file anew, rewrite, getc and read start at its beginning, seek wants it
 * whole. The pattern's generation says which phase wrote last, so that a read proves what it read; getc looks at every byte, rewrite and
 * read at the stamps (1 byte in 64), seek at those of its chunks.
 */
#ifndef KD_SUITE_BONNIE_H
#define KD_SUITE_BONNIE_H

#include "pattern.h"
#include "phase.h"
#include "progress.h"
#include "sample.h"
#include "seek.h"

#define BONNIE_CHUNK_MAX (1024u * 1024u)

enum bonnie_phase { BONNIE_PUTC, BONNIE_REWRITE, BONNIE_WRITE, BONNIE_GETC, BONNIE_READ, BONNIE_SEEK, BONNIE_PHASES };
extern const char *const bonnie_phase_names[BONNIE_PHASES];

struct bonnie {
	/* given */
	const char *path;
	uint64_t size, char_bytes; /* of the file; of putc and getc */
	size_t chunk, buffer;      /* of block phases; of putc and getc, 0: a system call a byte */
	int locked, sync;
	const struct place *place;
	/* running */
	struct pattern pattern;
	void *buf, *stream_buf;
	unsigned generation;
	int fd;
	struct progress progress;
	uint64_t noted; /* bytes at the last note of progress */
	struct seek seek;
	/* result of the last phase */
	uint64_t ns, sync_ns, close_ns; /* the whole, and what of it was fsync and close */
	uint64_t bad;
	/* result of all that count */
	struct phase books[BONNIE_PHASES];
	struct progress worst[BONNIE_PHASES];
};

/* b->size, chunk, buffer and seek.chunk are given. 0, -EINVAL, -ENOMEM. */
int bonnie_init(struct bonnie *b, uint64_t seed);
void bonnie_free(struct bonnie *b);
/* counts=0: a warm-up. 0, -errno, -EILSEQ with b->bad. */
int bonnie_run(struct bonnie *b, enum bonnie_phase phase, int counts);
/* Untimed: every byte, of this generation or the next. */
int bonnie_verify(struct bonnie *b);

#endif
