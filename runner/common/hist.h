/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * hist: a log-linear histogram of latencies, 4.6 KB, without allocation, pointer or lock: it may lie in shared memory, one a worker.
 *
 * 32 buckets an octave, 36 octaves: a value below 64 has a bucket of its own; above, a bucket is 1/32 of its low edge wide, so that its
 * middle is at most 1/64 (1.6 %) off. Values of 2^40 and more (18 minutes in ns) fall into the last bucket. n, sum, min and max are exact;
 * a bucket that has counted 2^32 - 1 stays there.
 * A percentile is given only from that many samples on at which one lies beyond it with a chance of 97.5 % (the least n with p^n <= 2.5 %:
 * p50 6, p90 36, p99 368, p99.9 3688, p99.99 36887). Histograms are merged by adding; percentiles are never averaged.
 */
#ifndef KD_HIST_H
#define KD_HIST_H

#include <stdint.h>

#define HIST_SUB_BITS 5
#define HIST_OCTAVES 36
#define HIST_BUCKETS (HIST_OCTAVES << HIST_SUB_BITS)

struct hist {
	uint64_t n, sum, min, max; /* min and max are 0 where n is */
	uint32_t bucket[HIST_BUCKETS];
};

void hist_clear(struct hist *h);
void hist_add(struct hist *h, uint64_t v);
void hist_merge(struct hist *into, const struct hist *from);
/* The bucket of a value; the low edge and the middle of a bucket (index < HIST_BUCKETS; low also of HIST_BUCKETS, the end). */
unsigned hist_index(uint64_t v);
uint64_t hist_low(unsigned index);
uint64_t hist_value(unsigned index);
/* By nearest rank, the middle of its bucket, kept within min and max; 9900 is p99. 0; -ENODATA: too few samples; -EINVAL: above 10000. */
int hist_percentile(const struct hist *h, unsigned permyriad, uint64_t *v);
/* Samples that a percentile needs; 1 for 0 and 10000 (min and max). */
uint64_t hist_least(unsigned permyriad);

#endif
