/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * latency: the percentiles of a histogram as metrics.
 */
#ifndef KD_SUITE_LATENCY_H
#define KD_SUITE_LATENCY_H

#include "common/hist.h"

/*
 * `metric name= v=`, where permyriad is 9900 for p99 and 10000 for the longest; below the least sample that the percentile needs (hist.h)
 * `fact lacks=NAME` in its place: nothing is extrapolated. A latency of 0 is said as 1: a metric of 0 has no ratio.
 */
void latency_metric(const char *name, const struct hist *h, unsigned permyriad);
/* p50, p99, p999, max */
void latency_metrics(const struct hist *h);
/* `fact part=NAME n= p50= p99= max=`, what is not there left out: of what is no metric. */
void latency_fact(const char *name, const struct hist *h);

#endif
