/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * suite: the test descriptors (tests/suite/<test>.test, and what an overlay brings), the single source of what a test needs, how long it may
 * take, which parameters it has, which metrics it yields, in which unit, which direction is better and which one is primary.
 *
 * A sweep may run a descriptor under other names (profile.h); suite_adopt adds those, from its schedule.
 */
#ifndef KD_SUITE_H
#define KD_SUITE_H

#include <stddef.h>
#include <stdint.h>

#include "common/plan.h"

#define SUITE_METRICS_MAX 64

enum suite_better { SUITE_HIGHER = 1, SUITE_LOWER, SUITE_NEITHER /* a fact about the box, never judged */ };

struct suite_metric {
	char name[PLAN_ID_MAX + 1];
	char unit[16]; /* B/s, ns, count/s, ratio ... */
	enum suite_better better;
	int primary;
	char about[128];
	char path[128]; /* of the number in the text that the test reads (json_path.h); "": a metric record has it */
};

struct suite_test {
	char name[PLAN_ID_MAX + 1];
	char program[PLAN_ID_MAX + 1]; /* of /kd/suite that it starts */
	char like[PLAN_ID_MAX + 1];    /* the descriptor that says what this one does not; "": none */
	char summary[128];
	char reads[PLAN_ID_MAX + 1]; /* name of the JSON text that it leaves; "": none */
	char needs[64];              /* comma list */
	int needs_said;
	uint64_t deadline_ms, quiet_ms, mem_kb;
	struct suite_metric *metric;
	size_t metrics;
	char *args; /* every parameter with its default, a comma list; "" where there is none */
};

struct suite {
	struct suite_test *test; /* in order of name; boot-time first */
	size_t tests;
	size_t added; /* of them: not yet settled */
};

/* Reads every *.test of a folder; one-line error in err. 0 or -errno; then s is empty. */
int suite_read(struct suite *s, const char *folder, char *err, size_t size);
/* Adds those of another folder; a name that is there already is an error. 0 or -errno; then s is empty. */
int suite_add(struct suite *s, const char *folder, char *err, size_t size);
/* The same from memory, one at a time, then once suite_settle. What is refused is left out, and s stays for suite_free. */
int suite_add_text(struct suite *s, const char *name, const char *text, size_t len, char *err, size_t size);
int suite_settle(struct suite *s, char *err, size_t size);
/* From lab_share("suite"); dies on error. */
void suite_load(struct suite *s);
/* For what a sweep has measured: the suite, the descriptors that lie in the sweep's folder, its instances. Dies on error. */
void suite_load_sweep(struct suite *s, const struct plan *p);
/* Adds the tests of a schedule that are called other than their descriptor, and has its primaries. 0 or -ENOMEM. */
int suite_adopt(struct suite *s, const struct plan *p);
void suite_free(struct suite *s);
const struct suite_test *suite_test(const struct suite *s, const char *name);
const struct suite_metric *suite_metric(const struct suite *s, const char *test, const char *metric);
/* The primary metric of a test; NULL where it has none. */
const struct suite_metric *suite_primary(const struct suite_test *t);

#endif
