/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * small_writes: work with many small operations that sequential benchmarks never do, and that have broken NFS clients: each is one call that is timed as
 * a whole, and one that checks what is in the files afterwards. For nfs-patterns.
 *
 * Data is pattern.h's, in sectors of 512 bytes; the generation is the number of the file, so that data of another file is wrong data.
 */
#ifndef KD_SUITE_SMALL_WRITES_H
#define KD_SUITE_SMALL_WRITES_H

#include <stddef.h>
#include <stdint.h>

#include "pattern.h"
#include "progress.h"

#define LINK_FILES 4

struct small_writes {
	/* given */
	const char *dir;
	uint64_t seekback_bytes, link_bytes; /* multiples of 4096; link_bytes (of each file) a power of two */
	unsigned sparse_writes, appends, append_bytes, names;
	struct pattern pattern;
	/* running */
	struct progress *progress; /* of the work that is being done */
	uint64_t done;             /* bytes, or operations where they move none */
	/* result */
	uint64_t ops;   /* of the last work */
	uint64_t bad;   /* where data was wrong (-EILSEQ) */
	char path[420]; /* the file that was being worked on */
};

struct small_work {
	const char *name;
	int (*prepare)(struct small_writes *s); /* untimed, with warm caches; may be NULL */
	int (*work)(struct small_writes *s);
	int (*verify)(struct small_writes *s); /* may be NULL: the work has checked all */
};

enum { SMALL_SEEKBACK, SMALL_SPARSE, SMALL_APPEND, SMALL_LOOKUP, SMALL_LINK, SMALL_WORKS };

/* In this order. Each function 0, -errno, -EILSEQ (wrong data at `bad` of `path`), -EPROTO (a name that should not be there is). */
extern const struct small_work small_works[SMALL_WORKS];

#endif
