/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * measure: from the records of a sweep to numbers: one value a boot and metric, the unit of every statistic.
 *
 * What counts: a complete try that is not discarded and not void, the first of its boot; in it whole tests only (begin and end once, every
 * record between them there, none of them differing, as many as `end` says, status=pass); in those a metric that stands once and is a
 * number in range. Whatever does not count is counted by reason, never guessed. Values come from a box: nothing here trusts them.
 *
 * The struct points into the plan, journal, suite and store that it was made from: they must outlive it.
 */
#ifndef KD_MEASURE_H
#define KD_MEASURE_H

#include "common/journal.h"
#include "common/plan.h"
#include "host/store.h"
#include "host/suite.h"

#define MEASURE_METRICS_MAX 512
#define MEASURE_VALUE_MAX 1e18 /* a greater one is absurd */

enum measure_status {
	MEASURE_ABSENT, /* not begun in this boot */
	MEASURE_PASS,
	MEASURE_FAIL,
	MEASURE_SKIP,
	MEASURE_TIMEOUT,
	MEASURE_CRASH,
	MEASURE_TORN, /* not whole: records missing, differing, or an unknown status */
};

enum measure_bad { MEASURE_OK, MEASURE_NO_NUMBER, MEASURE_NO_TIME, MEASURE_RANGE, MEASURE_TWICE, MEASURE_NO_TEXT, MEASURE_NO_JSON };

struct measure_run { /* a test in a boot */
	enum measure_status status;
	const char *reason; /* of `end`, or NULL */
	size_t begin, end;  /* indices into the boot's records */
	unsigned partial;   /* metrics that were filed, and count for nothing: it did not pass */
};

struct measure_boot { /* a boot that counts */
	unsigned boot, line, subject;
	uint32_t tag;
	const struct store_record *record;
	size_t records;
	const char *start; /* of its hello: chain, via-home ...; "" when unknown */
	const char *armed; /* its crash kernel: yes, no; "" when it has none or did not say */
};

struct measure_test {
	const char *name;
	const struct suite_test *desc; /* NULL: the suite does not know it */
};

struct measure_metric {
	char test[PLAN_ID_MAX + 1], name[PLAN_ID_MAX + 1];
	size_t test_index;
	const struct suite_metric *desc; /* NULL: the suite does not know it */
};

struct measure_subject {
	unsigned boots, complete, lost, pending; /* boots planned; with a counted try; given up; still to come */
	unsigned failed_tries;
	int quarantined;     /* too many in a row: it is not run again */
	const char *failure; /* name of the failure that ranks first, or NULL */
};

struct measure {
	const struct plan *plan;
	const struct suite *suite;
	struct measure_boot *boot; /* in order of lines */
	size_t boots;
	struct measure_test *test; /* in order of the schedule; then that of measure_arm.h */
	size_t tests;
	struct measure_metric *metric; /* those of the suite first, then what only the boxes know */
	size_t metrics;
	struct measure_run *run; /* boots * tests */
	double *value;           /* boots * metrics; NAN: none */
	unsigned char *bad;      /* boots * metrics: enum measure_bad */
	struct measure_subject *subject;
	unsigned discarded; /* complete tries that do not count by design */
	unsigned unnamed;   /* metric records whose test or name is unusable, or past the limit */
};

/* 0 or -ENOMEM; then m is empty. */
int measure_read(struct measure *m, const struct plan *p, const struct journal *j, const struct suite *suite, const struct store *s);
void measure_free(struct measure *m);
/* The values of a metric in a subject's boots whose start is `start` (NULL: any), into v (room for m->boots). How many. */
size_t measure_values(const struct measure *m, size_t metric, unsigned subject, const char *start, double *v);
/* In how many boots of a subject a test ended so; *reason (may be NULL) is the first one given. */
unsigned measure_count(const struct measure *m, size_t test, unsigned subject, enum measure_status status, const char **reason);
/* The partial metrics of the runs that measure_count counts. */
unsigned measure_partial(const struct measure *m, size_t test, unsigned subject, enum measure_status status);
const char *measure_status_name(enum measure_status s);
const char *measure_bad_name(enum measure_bad b);
/* The value that a metric record carries: v, or v per second where it has ns. */
enum measure_bad measure_parse(const struct store_record *r, double *v);

#endif
