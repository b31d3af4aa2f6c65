/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * sample: the repetitions inside a boot. A sample is a rate, v per ns, kept as the two integers that were measured.
 *
 * The metric of a boot is the median repetition itself, its v and its ns as they were; of an even number the slower of the
 * two in the middle. So no value is ever made up by averaging. Warm-up repetitions are never added.
 */
#ifndef KD_SUITE_SAMPLE_H
#define KD_SUITE_SAMPLE_H

#include <stddef.h>
#include <stdint.h>

#define SAMPLES_MAX 64

struct sample {
	uint64_t v, ns;
};

struct samples {
	size_t n;
	struct sample s[SAMPLES_MAX];
};

/* Ignored past SAMPLES_MAX. ns 0 (a clock that did not move) counts as 1. */
void sample_add(struct samples *set, uint64_t v, uint64_t ns);
/* -1, 0, 1: a slower than, as fast as, faster than b. Exact: 128-bit products, no division. */
int sample_compare(struct sample a, struct sample b);
/* n must not be 0. */
struct sample sample_median(const struct samples *set);
/* `fact reps=NAME i= v=A,B,C ns=A,B,C`: the repetitions, three a line, i the number of the first. */
void sample_list(const char *name, const struct samples *set);
/* The same and the metric. Nothing for an empty set. */
void sample_report(const char *name, const struct samples *set);

#endif
