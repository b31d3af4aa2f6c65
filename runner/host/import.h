/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * import: tables out of old mails and logs, as values with the names that our own tests give theirs (docs/import.md).
 *
 * A file is text split into lines; each parser looks at the line that is next and takes what it knows. Parsers are pure over those lines: they
 * add values, name what they assumed, and name each line that looked like a row and could not be read. Nothing here trusts a file.
 *
 * The subject of a value is the table's own column, else the last heading that names a kernel, else --subject. The n-th value of a subject for
 * a metric belongs to its n-th boot: an old table has one run a row, and knows no more.
 */
#ifndef KD_IMPORT_H
#define KD_IMPORT_H

#include <stddef.h>

#include "common/plan.h"
#include "host/store.h"
#include "host/suite.h"

#define IMPORT_LINE_MAX 4000 /* a longer line is no row of a table */
#define IMPORT_VALUES_MAX 20000
#define IMPORT_REMARKS_MAX 400
#define IMPORT_TOKENS_MAX 64
#define IMPORT_BYTES_MAX (64u << 20)

struct import_metric {
	const char *test, *name, *unit; /* unit: B/s, ns, count/s */
	enum suite_better better;
	int primary;
};

/* What a table says beside its rates, under the keys that our own tests' facts have; value NAN: not said. */
struct import_said {
	const char *key;
	double v;
};

#define IMPORT_SAID_MAX 7

struct import_value {
	char subject[PLAN_ID_MAX + 1], machine[PLAN_ID_MAX + 1]; /* machine "": not said */
	char test[PLAN_ID_MAX + 1], metric[PLAN_ID_MAX + 1];
	const char *unit;
	enum suite_better better;
	int primary;
	double v;
	double cpu_percent;                         /* of the process, as the table has it; NAN: not said */
	double bytes;                               /* moved by the phase; 0: not said */
	double resolution;                          /* the fraction by which rounding may have moved v; 0: not said */
	double footprint_bytes;                     /* what a random phase touched; 0: not said */
	struct import_said how[IMPORT_SAID_MAX];    /* how its test was run: size_bytes ...; up to the first without key */
	struct import_said beside[IMPORT_SAID_MAX]; /* this metric: avg_ns ... */
	const char *file;
	unsigned line;
};

struct import_line {
	char *s; /* quote marks, CR and trailing blanks removed */
	unsigned nr;
};

struct import {
	/* given */
	const char *subjects; /* comma list of --subject, or NULL */
	const char *kernel;   /* the rows' labels are variants of this one, or NULL */
	const char *machine;  /* or NULL */
	int nfs;              /* file tests ran on NFS: they are called nfs-* */
	/* the file being read */
	const char *file;
	struct import_line *line;
	size_t lines;
	char heading[PLAN_ID_MAX + 1]; /* the last one that names a kernel */
	char table_machine[PLAN_ID_MAX + 1];
	size_t subject_at; /* in `subjects` */
	/* result */
	struct import_value *value;
	size_t values, dropped; /* dropped: past IMPORT_VALUES_MAX */
	char **remark;          /* "file:line: ...": rows skipped, assumptions made */
	size_t remarks, skipped, more_remarks;
};

void import_free(struct import *im);
/* Reads one file's text. 0; -EINVAL not text; -ENOMEM. file must live as long as im. */
int import_text(struct import *im, const char *file, const char *text, size_t len);
/* A row that could not be read. */
void import_skip(struct import *im, unsigned line, const char *fmt, ...) __attribute__((format(printf, 3, 4)));
/* What had to be assumed; the same text is kept once a file. */
void import_assume(struct import *im, unsigned line, const char *fmt, ...) __attribute__((format(printf, 3, 4)));
/* A value of v for the subject that `label` ("" where the table has none) and the options give. NULL, with a remark, where it is not usable. */
struct import_value *import_add(struct import *im, unsigned line, const char *label, const struct import_metric *m, double v);
/* Adds to a list of what was said; NAN and what does not fit is left out. */
void import_say(struct import_said *list, const char *key, double v);
/* The name of a file test: disk-bonnie, or nfs-bonnie with --nfs. rest is "bonnie". */
const char *import_file_test(const struct import *im, const char *rest, char *out, size_t size);
/* 1 if a word looks like the release of a kernel: 2.4.19, linux-2.6.11, v6.1-rc3. */
int import_is_kernel(const char *word);
/* Makes an id of a label; what is no letter or digit becomes -. "" where nothing is left. */
char *import_id(const char *label, char *out, size_t size);

/* Parsers: at is the next line. How many lines were taken; 0: not mine. */
size_t import_bonnie(struct import *im, size_t at);
size_t import_bonnie_csv(struct import *im, size_t at);
size_t import_tiobench(struct import *im, size_t at);
size_t import_sched(struct import *im, size_t at);
size_t import_time(struct import *im, size_t at);
size_t import_table(struct import *im, size_t at);
/* fio's JSON: 1 if the text is a JSON object (and then read, or named as damaged). */
int import_fio(struct import *im, const char *text, size_t len);

/* ---- words (import_word.c) */

/* A number as people write it: 1,234.5 or 1.1e+04, all of s; never negative, NaN, infinite or above 1e15. 0 or -EINVAL. */
int import_number(const char *s, double *v);
/* "80.0%", "3.8", "(2.79%)"; "+++", "***" and "-" are NAN. 0 or -EINVAL. At most 6400. */
int import_percent(const char *s, double *v);
/* "71 s", "2m.80s", "1 m 28 s", "29 m 54 s", "1:28", "1:02:03.5", "830 ms", "194 min", in s. *resolution (s) by the digits given. 0 or -EINVAL. */
int import_duration(const char *s, double *seconds, double *resolution);
/* kB/s, K/sec, KB/s, KiB/s: 1024; MB/s, MiB/s: 2^20; B/s: 1; GB/s. 0: none. *said (may be NULL) gets the unit as it stands. */
double import_rate_unit(const char *s, const char **said);
/* Sizes with a letter: 4G, 1500M, 1*1500 (M), 300000K:32k. 0 where it is none. plain: factor of a number without a letter. */
double import_size(const char *s, double plain);
/* Cuts s at blanks, in place. How many. */
size_t import_split(char *s, char **tok, size_t max);
/* How many of the words are numbers or percentages. */
size_t import_count_numbers(const char *s, size_t *words);

/* ---- the lab (import_lab.c) */

/* Makes sweeps/<id>, or adds to it (add). Dies with one line. Returns how many boots. */
unsigned import_write(const struct import *im, const char *id, int add);
/* The descriptors of an imported sweep, out of its own records. 0 or -ENOMEM; suite_free frees them. */
int import_suite(struct suite *s, const struct store *store);

#endif
