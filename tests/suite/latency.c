/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * latency: percentiles.
 */
#include "latency.h"
#include "fact.h"

void latency_metric(const char *name, const struct hist *h, unsigned permyriad)
{
	uint64_t v;

	if (h->n && !hist_percentile(h, permyriad, &v))
		fact_metric(name, v ? v : 1);
	else
		fact_str("lacks", name);
}

void latency_metrics(const struct hist *h)
{
	latency_metric("p50", h, 5000);
	latency_metric("p99", h, 9900);
	latency_metric("p999", h, 9990);
	latency_metric("max", h, 10000);
}

void latency_fact(const char *name, const struct hist *h)
{
	struct fact f;
	uint64_t v;

	fact_open(&f, "fact");
	kv_out_str(&f.o, "part", name);
	kv_out_u64(&f.o, "n", h->n);
	if (h->n && !hist_percentile(h, 5000, &v))
		kv_out_u64(&f.o, "p50", v);
	if (h->n && !hist_percentile(h, 9900, &v))
		kv_out_u64(&f.o, "p99", v);
	if (h->n)
		kv_out_u64(&f.o, "max", h->max);
	fact_send(&f);
}
