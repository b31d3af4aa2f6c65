/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * layout: the tables that people post, to the column: Bonnie 1.3, bonnie++ 1.03 and the CSV of 2.00a, tiobench 0.3.x in its long and its
 * short form. Pure: numbers in base units to lines; fed the numbers of an old mail they give its table.
 *
 * A value that is not known is NAN (a size 0) and printed as `-`. K and M are binary, as in the originals. The originals cut what does not fit a
 * column; here it is rounded, and a number wider than its column shifts the rest, as there.
 */
#ifndef KD_LAYOUT_H
#define KD_LAYOUT_H

#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

/* In the order of Bonnie's columns. */
enum { LAYOUT_PUTC, LAYOUT_WRITE, LAYOUT_REWRITE, LAYOUT_GETC, LAYOUT_READ, LAYOUT_SEEK, LAYOUT_BONNIE_PHASES };
extern const char *const layout_bonnie_phases[LAYOUT_BONNIE_PHASES]; /* names of metrics */

struct layout_bonnie {
	const char *name;
	uint64_t size_bytes, chunk_bytes, seeks, seekers, seed; /* 0: unknown; seeks of a Bonnie 1.3 that said its seekers: below 1000 */
	int sync, unlocked;                                     /* -1: unknown */
	double rate[LAYOUT_BONNIE_PHASES];                      /* B/s; seeks a second */
	double cpu[LAYOUT_BONNIE_PHASES];                       /* percent of one CPU */
};

/* Bonnie 1.3; the name is cut to 6 columns. The head is printed anew where rows were run in another way. */
void layout_bonnie_print(const struct layout_bonnie *row, size_t n, FILE *f);
/* bonnie++ 1.03; the name is cut to what is left of 19 columns. */
void layout_bonnie_plus_print(const struct layout_bonnie *row, size_t n, FILE *f);
/* bonnie++ 2.00a, format 1.98: one line a row, which bon_csv2txt reads; without latencies and file tests. */
void layout_bonnie_plus_csv(const struct layout_bonnie *row, size_t n, FILE *f);

/* In the order of tiobench's tables. */
enum { LAYOUT_SEQREAD, LAYOUT_RANDREAD, LAYOUT_SEQWRITE, LAYOUT_RANDWRITE, LAYOUT_TIOBENCH_PHASES };
extern const char *const layout_tiobench_phases[LAYOUT_TIOBENCH_PHASES]; /* names of metrics, before _N */

struct layout_tiobench {
	const char *name;
	uint64_t size_bytes, block_bytes;
	unsigned threads;
	double rate[LAYOUT_TIOBENCH_PHASES];   /* B/s */
	double cpu[LAYOUT_TIOBENCH_PHASES];    /* percent of one CPU */
	double avg_ns[LAYOUT_TIOBENCH_PHASES]; /* of an operation */
	double max_ns[LAYOUT_TIOBENCH_PHASES];
	double over_2s[LAYOUT_TIOBENCH_PHASES], over_10s[LAYOUT_TIOBENCH_PHASES]; /* percent of operations */
};

/* The four tables of tiobench.pl 0.3.3 and later. */
void layout_tiobench_print(const struct layout_tiobench *row, size_t n, FILE *f);
/* The short table of 0.3.2; where the name changes, a line with it and a head. */
void layout_tiobench_short(const struct layout_tiobench *row, size_t n, FILE *f);

#endif
