/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * prove: the invariants of a sweep that is over, from its files alone: schedule, manifest, journals, store, console. Pure over texts.
 *
 * What is proven, each a sentence where it does not hold: every boot has its verdict, nothing is left to do or under way; a boot is complete
 * at most once, and is not run again afterwards; no line is started twice, by the journals and by what the console heard; a complete try has every
 * record from hello to bye once, whole tests, the kernel that was meant; a gap stands as a gap; of every failure something is kept.
 * Trap: it shares the parsers of lines with what wrote them, and nothing else; tests/lib/prove-sweep shares not even those.
 */
#ifndef KD_PROVE_H
#define KD_PROVE_H

#include "common/journal.h"
#include "common/plan.h"

struct prove_text {
	const char *s;
	size_t len;
};

struct prove_input {
	struct prove_text schedule, manifest, station, box, records, console;
	/* What is kept of a failed line beside its records: pieces. NULL: nothing. */
	unsigned (*kept)(void *ctx, const struct plan_try *t);
	void *ctx;
};

#define PROVE_TESTS_MAX PLAN_TESTS_MAX

/* What the files say of a line of the schedule. */
struct prove_try {
	const struct plan_try *t;
	unsigned starts[2], completes; /* in the station's journal and the box's; in the station's */
	unsigned after_complete;       /* starts of it behind the boot's complete */
	int with_gaps;
	char void_why[24], fail_why[64];
	/* records */
	unsigned char *have; /* by seq: 1 record, 2 gap */
	size_t haves;
	unsigned records, gaps, differ, twice;
	int bye, wrong_rel, wrong_cmd;
	uint64_t count;
	unsigned got[PROVE_TESTS_MAX];
	uint64_t said[PROVE_TESTS_MAX]; /* by `end`; 0: no end */
	unsigned began[PROVE_TESTS_MAX];
	/* console */
	unsigned hellos;
	uint32_t hello_crc;
};

struct prove {
	struct plan plan;
	struct journal *journal;
	struct prove_try *try; /* as plan.try */
	char **wrong;
	size_t wrongs;
	unsigned boots, complete, given_up, failed, voids, torn;
	uint64_t records, gaps;
};

#define PROVE_WRONG_MAX 200 /* sentences that are kept; further ones are counted */

/* 0 where it could be looked at (then p->wrongs says whether it holds), or -errno: no schedule, out of memory. */
int prove_sweep(struct prove *p, const struct prove_input *in);
void prove_free(struct prove *p);
void prove_say(struct prove *p, const char *fmt, ...) __attribute__((format(printf, 2, 3)));

/* prove_records.c */
int prove_read_records(struct prove *p, const struct prove_text *t);
void prove_read_console(struct prove *p, const struct prove_text *t);
void prove_judge_records(struct prove *p, struct prove_try *x);

/* prove_lab.c: the same of a sweep of the lab, its files read; dies with one line where there is none. Then what still runs is wrong too. */
void prove_lab(struct prove *p, const char *sweep);

#endif
