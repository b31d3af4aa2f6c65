/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * seek: Bonnie's last phase: processes that draw tickets from a pipe, and for each read a chunk somewhere in the file; one in ten is made dirty
 * and written back.
 *
 * Where a ticket leads is a function of the seed and its number, so it is the same work whoever draws it. The time is from the first
 * seeker's start to the last one's end; forks, and Bonnie's three seconds of sleep before, are outside.
 * Data has the stamps of this generation or of the next, which is what a rewrite gives; a chunk that is read while another seeker writes it
 * may be torn in the middle of a stamp, so what looks wrong is read a second time before it is called wrong.
 */
#ifndef KD_SUITE_SEEK_H
#define KD_SUITE_SEEK_H

#include <stddef.h>
#include <stdint.h>

#include "common/hist.h"
#include "pattern.h"

#define SEEKERS_MAX 64

struct seek {
	/* given */
	const char *path;
	const struct pattern *pattern; /* of a period of at least chunk */
	void *buf;                     /* of chunk bytes; each child has its own copy */
	uint64_t size, seeks, seed;
	size_t chunk;
	unsigned seekers, generation;
	int sync; /* each seeker ends with fsync */
	/* result */
	uint64_t ns;
	uint64_t rewrites, again; /* chunks written back; read a second time */
	uint64_t bad;             /* where data was wrong (-EILSEQ) */
	struct hist hist;         /* of one ticket, ns */
};

/* 0, -errno, -EILSEQ, -ECHILD where a seeker died. No child is left. */
int seek_run(struct seek *s);

/* Pure: the chunk that a ticket leads to. */
uint64_t seek_chunk(uint64_t seed, uint64_t ticket, uint64_t chunks);
/* Pure: 0, or -EILSEQ and *bad: each sector of buf has to be of this generation or of the next. */
int seek_check(const struct pattern *p, const void *buf, size_t len, uint64_t at, unsigned generation, uint64_t *bad);

#endif
