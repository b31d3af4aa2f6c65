/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * store: records.jsonl of a sweep, append-only (docs/formats.md). What a reader gets is deduplicated by (tag, seq).
 */
#ifndef KD_STORE_H
#define KD_STORE_H

#include "common/record.h"

enum store_channel { STORE_SERIAL = 1, STORE_NFS = 2, STORE_BOTH = 3, STORE_DIFFER = 4, STORE_IMPORTED = 5 /* by no box: read from a table */ };

struct store_record {
	unsigned line; /* of the schedule; 0: home and others */
	uint32_t tag, seq;
	uint64_t ms;
	enum store_channel ch;
	char kind[16];
	size_t n;
	struct kv_pair *pair; /* keys and unescaped values, malloc'd as one block */
};

struct store_gap {
	unsigned line;
	uint32_t tag, first, last;
};

struct store {
	struct store_record *record; /* sorted by line, tag, seq */
	size_t records;
	struct store_gap *gap;
	size_t gaps;
	unsigned bad_lines, repeats;
};

/* Writer: appends all records and gaps of one try and fsyncs once. 0 or -errno (nothing may be journalled complete then). */
int store_append(const char *path, const char *sweep, const char *box, const struct store_record *r, size_t n, const struct store_gap *g,
                 size_t gaps);
/* The same for the records of one tag, sorted by seq: only those that are not stored yet, and the gaps where there are any such. */
int store_append_missing(const char *path, const char *sweep, const char *box, const struct store_record *r, size_t n, const struct store_gap *g,
                         size_t gaps);
/* Fills a store_record from a parsed record (allocates pair). */
int store_from_record(struct store_record *out, const struct record *r, unsigned line, enum store_channel ch);
/* Reader. 0 or -errno; a damaged line is counted, not an error. */
int store_read(struct store *s, const char *path);
void store_free(struct store *s);
/* The second half of reading: one record a (tag, seq), sorted, and the gaps that are still open. 0 or -ENOMEM. */
int store_settle(struct store *s);
/* The records of one tag on one line: the first, *n of them, sorted by seq; NULL where there are none. */
const struct store_record *store_try(const struct store *s, unsigned line, uint32_t tag, size_t *n);
const char *store_get(const struct store_record *r, const char *key);
const char *store_channel_name(enum store_channel c);

#endif
