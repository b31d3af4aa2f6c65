/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * plan_read: what the readers of schedule and manifest share: walking the lines of a file, and values that are checked as
 * they are taken. For plan*.c only.
 *
 * Values are taken one after another from one line; the first error sticks, so that a reader looks once, at its end.
 */
#ifndef KD_PLAN_READ_H
#define KD_PLAN_READ_H

#include "common/kv.h"
#include "common/plan.h"

struct plan_reader {
	const char *text; /* what is left */
	size_t len;
	unsigned line; /* number of the line that was read last, from 1 */
	unsigned bad_lines;
	const char *raw; /* that line without its end */
	size_t raw_len;
	struct kv_line kv;
	struct plan_error *e;
	int err;
};

/* The next line whose CRC holds: 1, 0 at the end, -errno for a line that is whole but wrong. */
int plan_next_line(struct plan_reader *r, const char *text_words);
/* Notes the first error with its line. Returns -EINVAL. */
int plan_fail(struct plan_reader *r, const char *fmt, ...) __attribute__((format(printf, 2, 3)));
const char *plan_take(struct plan_reader *r, const char *key); /* "" where it is missing, which is an error */
uint64_t plan_take_u64(struct plan_reader *r, const char *key, uint64_t min, uint64_t max);
void plan_take_id(struct plan_reader *r, const char *key, char *out, size_t size);
/* malloc'd copy of a value that holds no control bytes. */
char *plan_take_text(struct plan_reader *r, const char *key, size_t max);
/* How many lines of a text start with a word and a space. */
size_t plan_count_lines(const char *text, size_t len, const char *word);
/* calloc that notes -ENOMEM and the limit of a table (-E2BIG). */
void *plan_table(struct plan_reader *r, size_t n, size_t max, size_t size, const char *what);

#endif
