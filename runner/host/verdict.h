/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * verdict: what two samples of boots say about one metric, and in which words. Pure; docs/statistics.md gives the reasons.
 *
 * In two steps, because Holm needs every p of the family first: verdict_measure() takes the samples, verdict_judge() the adjusted p.
 * The order of the rules: too few boots are never "the same"; a whole interval inside the threshold is no-change, even when the difference
 * is proven; a proven difference is a (probable) regression or improvement; all else is inconclusive, and says what would decide it.
 */
#ifndef KD_VERDICT_H
#define KD_VERDICT_H

#include "host/stats.h"
#include "host/suite.h"

enum verdict_id {                     /* in the order of a report */
	          VERDICT_FAILED = 1, /* set by who knows of failures, never from numbers */
	          VERDICT_REGRESSION,
	          VERDICT_PROBABLE_REGRESSION,
	          VERDICT_IMPROVEMENT,
	          VERDICT_PROBABLE_IMPROVEMENT,
	          VERDICT_INCONCLUSIVE,
	          VERDICT_NO_CHANGE,
	          VERDICT_SKIPPED, /* on both sides */
	          VERDICT_NONE     /* exploratory: shown, not judged */
};

#define VERDICT_MORE_MAX 999 /* more boots than anybody will run */

struct verdict {
	/* measured */
	size_t na, nb;
	double median_a, median_b;
	double cv_a, cv_b;        /* NAN below 2 values */
	struct stats_test test;   /* p is NAN where a side has no value */
	struct stats_shift shift; /* b / a; all NAN where a value is not > 0 */
	double mde;               /* least change that would be found, as a fraction; NAN: none would */
	/* judged */
	double p_adj;
	enum verdict_id id;
	int too_few;   /* no p could have reached alpha in this family */
	int large;     /* too few, but every b is beyond the threshold from every a, and by 10 % or more at the middle */
	unsigned more; /* boots more on each side that would decide; 0 unknown or none needed */
};

/* 0, -ENOMEM, -EINVAL (not finite). Empty samples are not an error. */
int verdict_measure(struct verdict *v, const double *a, size_t na, const double *b, size_t nb, double alpha);
/* threshold is a fraction (.03); family: how many p values Holm adjusted together. */
void verdict_judge(struct verdict *v, enum suite_better better, double alpha, double threshold, size_t family);
const char *verdict_name(enum verdict_id id);
/* -1 b is worse, 1 b is better, 0 neither (no direction, no ratio, or equal). */
int verdict_direction(const struct verdict *v, enum suite_better better);

#endif
