/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * try: all that has come of one tag, over serial and NFS, put together. Pure; allocates, within bounds.
 *
 * A record is known by its seq. The same line on both channels is `both`; two different lines under one seq are `differ`, and the
 * try must not count. Complete means: a valid `bye`, every seq before it there, and the digest of `bye` right over them.
 */
#ifndef KD_TRY_H
#define KD_TRY_H

#include "common/record.h"
#include "host/store.h"

#define TRY_SEQ_MAX 65536u
#define TRY_BYTES_MAX (16u << 20)
#define TRY_PARTS_MAX 256 /* records under reassembly at a time: as many as are asked for at once */
#define TRY_PIECES_MAX 8  /* parts of one record */
#define TRY_PIECE_BYTES 64

struct try_slot {
	char *line;       /* from kd1 to the last digit, NUL-terminated */
	unsigned char ch; /* enum store_channel, 0: nothing */
};

struct try_parts {
	uint32_t of;
	unsigned n, have; /* have: a bit a piece; n 0: unused */
	unsigned char len[TRY_PIECES_MAX];
	char data[TRY_PIECES_MAX][TRY_PIECE_BYTES];
};

struct
try {
	uint32_t tag;
	struct try_slot *slot;
	size_t slots; /* allocated */
	size_t bytes;
	int bye, ident;
	uint32_t count, digest; /* of bye, whose seq is count */
	unsigned differ;        /* seqs with two different lines */
	int second_hello;
	unsigned dropped;        /* past the bounds, or not to be understood */
	struct try_parts *parts; /* TRY_PARTS_MAX, made with the first part */
	unsigned parts_next;
	uint64_t news; /* records and parts that were not there before */
};

enum try_state { TRY_OPEN /* no bye yet */, TRY_GAPS, TRY_DIFFER, TRY_DIGEST, TRY_WHOLE };

void try_init(struct try *t, uint32_t tag);
void try_free(struct try *t);
/* A record of this tag; ask and jump are not kept. line is as console.h hands it out. 0, -EINVAL (another tag, unusable), -ENOSPC, -ENOMEM. */
int try_add(struct try *t, const struct record *r, const char *line, enum store_channel ch);
/* All records of this tag in a <tag>.kd1 file (or any text), as ch. */
void try_add_text(struct try *t, const char *text, size_t len, enum store_channel ch);
enum try_state try_state(const struct try *t);
/* Seqs before bye that are missing; how many were written to seq (at most max). *total (may be NULL): how many there are. */
size_t try_missing(const struct try *t, uint32_t *seq, size_t max, size_t *total);
/* The same of all seqs below end, for a try whose bye has not come. */
size_t try_missing_below(const struct try *t, uint32_t end, uint32_t *seq, size_t max, size_t *total);
/* Records before bye that came by ch (both counts for either). */
size_t try_count(const struct try *t, enum store_channel ch);
/* Parses the record of a seq into r. 0 or -ENOENT. */
int try_record(const struct try *t, uint32_t seq, struct record *r);
/* The first record of a kind (from seq on). Its seq or -1. */
long try_find(const struct try *t, const char *kind, uint32_t from, struct record *r);
/* Joins `text name= part=i/n data=`. Length, -ENOENT (or a part missing), -EMSGSIZE. */
long try_text(const struct try *t, const char *name, char *out, size_t size);
/* Everything of the try as the store wants it, bye included; gaps are runs of missing seqs. malloc'd; try_store_free. 0 or -ENOMEM. */
int try_store(const struct try *t, unsigned line, struct store_record **r, size_t *n, struct store_gap **g, size_t *gaps);
void try_store_free(struct store_record *r, size_t n, struct store_gap *g);

#endif
