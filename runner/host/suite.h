/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * suite: the test descriptors (tests/suite/<test>.test), the single source of what a test needs, how long it may take, which
 * metrics it yields, in which unit, which direction is better and which one is primary.
 */
#ifndef KD_SUITE_H
#define KD_SUITE_H

#include <stddef.h>
#include <stdint.h>

#include "common/plan.h"

enum suite_better { SUITE_HIGHER = 1, SUITE_LOWER, SUITE_NEITHER /* a fact about the box, never judged */ };

/* smoke, quick, full, rehearse; NULL-terminated. args[i + 1] of a test belongs to suite_profiles[i]. */
extern const char *const suite_profiles[];

struct suite_metric {
	char name[PLAN_ID_MAX + 1];
	char unit[16]; /* B/s, ns, count/s, ratio ... */
	enum suite_better better;
	int primary;
	char about[128];
};

struct suite_test {
	char name[PLAN_ID_MAX + 1];
	char program[PLAN_ID_MAX + 1]; /* of /kd/suite that it starts */
	char like[PLAN_ID_MAX + 1];    /* the descriptor that says what this one does not; "": none */
	char summary[128];
	char needs[64]; /* comma list */
	int needs_said;
	char profiles[128]; /* blank-separated */
	uint64_t deadline_ms, quiet_ms, mem_kb;
	struct suite_metric *metric;
	size_t metrics;
	char *args[8]; /* [0] defaults, then one per profile that overrides, or NULL; comma lists */
};

struct suite {
	struct suite_test *test; /* in order of name; boot-time first */
	size_t tests;
};

/* Reads every *.test of a folder; one-line error in err. 0 or -errno. */
int suite_read(struct suite *s, const char *folder, char *err, size_t size);
/* From lab_share("suite"); dies on error. */
void suite_load(struct suite *s);
/* 1 if the profile is in the test's list. */
int suite_in_profile(const struct suite_test *t, const char *profile);
void suite_free(struct suite *s);
const struct suite_test *suite_test(const struct suite *s, const char *name);
const struct suite_metric *suite_metric(const struct suite *s, const char *test, const char *metric);
/* Merged args of a test in a profile (defaults, overridden), comma list; malloc'd. NULL if the test is not of that profile. */
char *suite_args(const struct suite_test *t, const char *profile);

#endif
