/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * conf: INI files as people write them (boards, test descriptors, sweeps), read by inih and made strict: no key twice,
 * no key before a section where none is allowed, nothing cut silently. What is known is the reader's to say, by a table.
 *
 * Pure over (text, length). Errors name the line and what was wanted.
 */
#ifndef KD_CONF_H
#define KD_CONF_H

#include <stddef.h>
#include <stdint.h>

#define CONF_LINE_MAX 190   /* inih's buffer holds 200 bytes; more would be cut in two */
#define CONF_SECTION_MAX 48 /* inih cuts a section's name at 49 */
#define CONF_ENTRIES_MAX 512

struct conf_entry {
	char *section, *key, *value; /* value: continuation lines (indented) are joined by a blank */
	unsigned line;
};

struct conf {
	struct conf_entry *entry;
	size_t n;
};

struct conf_error {
	unsigned line; /* 0: no line is to blame */
	char text[200];
};

/* What a reader knows: a row a section; keys are NULL-terminated. prefix: `[metric NAME]` is written as "metric ". */
struct conf_known {
	const char *section;
	int prefix;
	const char *const *keys; /* NULL: any key that is an id */
};

/* 0 or -errno with *e filled; c need not be freed then. */
int conf_parse(struct conf *c, const char *text, size_t len, struct conf_error *e);
/* Reads the file first. A file that cannot be read is an error without line. */
int conf_read(struct conf *c, const char *path, struct conf_error *e);
/* Checks every entry against the table (ends with section NULL); -EINVAL, with the nearest known name in *e. */
int conf_check(const struct conf *c, const struct conf_known *known, struct conf_error *e);
void conf_free(struct conf *c);

/* How many lines a text has. */
unsigned conf_lines(const char *text, size_t len);

/* The entry, or NULL. */
const struct conf_entry *conf_get(const struct conf *c, const char *section, const char *key);

/* Values. Each returns 0 or -EINVAL with *e saying what was wanted. */
int conf_u64(const struct conf_entry *it, uint64_t min, uint64_t max, uint64_t *out, struct conf_error *e);
int conf_bool(const struct conf_entry *it, int *out, struct conf_error *e); /* yes or no */
/* Bytes with an optional K, M, G or T (powers of 1024), `MiB` and `GiB` likewise. */
int conf_bytes(const struct conf_entry *it, uint64_t *out, struct conf_error *e);
/* Copies into a fixed buffer; too long is an error. */
int conf_copy(const struct conf_entry *it, char *out, size_t size, struct conf_error *e);
/* Fills *e; always returns -EINVAL, so that a reader can end with it. */
int conf_fail(struct conf_error *e, unsigned line, const char *fmt, ...) __attribute__((format(printf, 3, 4)));

/* `a, b c` becomes `a,b,c`: a list of words, whatever stands between. malloc'd, NULL when out of memory. */
char *conf_list(const char *value);

#endif
