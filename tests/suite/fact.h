/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * fact: what a test says, a line at a time, on fd 3 (docs/test-programs.md). One write(2) a line, at most FACT_MAX bytes:
 * the contract allows 160, but a fact becomes a record of 200, whose own words take up to 70.
 *
 * The first error of a line sticks and the line is then not sent but replaced by a note that names its first word: a
 * fact that does not fit is a defect of the test, and must be seen.
 */
#ifndef KD_SUITE_FACT_H
#define KD_SUITE_FACT_H

#include <stddef.h>
#include <stdint.h>

#include "common/kv.h"

#define FACT_FD 3
#define FACT_MAX 130

struct fact {
	struct kv_out o;
	char buf[FACT_MAX + 1];
};

/* Makes fd 3 what is standard output where nobody gave an fd 3 (a person tries the test). Before any file is opened. */
void fact_init(void);

/* `word`, then pairs with kv_out_* on f->o, then fact_send, which adds the newline. */
void fact_open(struct fact *f, const char *word);
void fact_send(struct fact *f);

void fact_u64(const char *key, uint64_t v);      /* `fact key=v` */
void fact_str(const char *key, const char *val); /* in pieces where it is too long */
/* A long text in pieces: `fact text=NAME part=1/3 data=...`. */
void fact_text(const char *name, const char *text);
/* From now on at most quiet_ms of silence. */
void fact_phase(const char *name, uint64_t quiet_ms);
void fact_metric(const char *name, uint64_t v);
void fact_rate(const char *name, uint64_t v, uint64_t ns); /* v per ns */
/* A histogram, sparse: `hist name= n= sum= min= max= parts=N`, then `hist name= part=1/N b=17:5,9,21:1` (17, 18, 21). Nothing but zeros is one line. */
struct hist;
void fact_hist(const char *name, const struct hist *h);
void fact_note(const char *fmt, ...) __attribute__((format(printf, 1, 2)));

/* The reason why, and the exit status to return from the test: `return fact_skip("...")`. */
int fact_skip(const char *fmt, ...) __attribute__((format(printf, 1, 2)));
int fact_fail(const char *fmt, ...) __attribute__((format(printf, 1, 2)));

#endif
