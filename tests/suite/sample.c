/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * sample: the median of rates without a division and without a float.
 */
#include <inttypes.h>
#include <stdio.h>

#include "fact.h"
#include "sample.h"

struct wide {
	uint64_t high, low;
};

/* a * b in 128 bits, from 32-bit halves: i486 has no __int128. */
static struct wide multiply(uint64_t a, uint64_t b)
{
	uint64_t al = a & 0xffffffffu, ah = a >> 32, bl = b & 0xffffffffu, bh = b >> 32;
	uint64_t ll = al * bl, lh = al * bh, hl = ah * bl;
	uint64_t mid = (ll >> 32) + (lh & 0xffffffffu) + (hl & 0xffffffffu);
	struct wide w;

	w.low = (mid << 32) | (ll & 0xffffffffu);
	w.high = ah * bh + (lh >> 32) + (hl >> 32) + (mid >> 32);
	return w;
}

int sample_compare(struct sample a, struct sample b)
{
	struct wide x = multiply(a.v, b.ns), y = multiply(b.v, a.ns);

	if (x.high != y.high)
		return x.high < y.high ? -1 : 1;
	if (x.low != y.low)
		return x.low < y.low ? -1 : 1;
	return 0;
}

void sample_add(struct samples *set, uint64_t v, uint64_t ns)
{
	if (set->n < SAMPLES_MAX)
		set->s[set->n++] = (struct sample){v, ns ? ns : 1};
}

struct sample sample_median(const struct samples *set)
{
	struct sample sorted[SAMPLES_MAX] = {{0, 0}};

	for (size_t i = 0; i < set->n; i++) {
		size_t at = i;

		for (; at && sample_compare(set->s[i], sorted[at - 1]) < 0; at--)
			sorted[at] = sorted[at - 1];
		sorted[at] = set->s[i];
	}
	return sorted[(set->n - 1) / 2];
}

#define LIST 3 /* repetitions a line, so that it is never too long */

void sample_list(const char *name, const struct samples *set)
{
	char v[LIST * 21], ns[LIST * 21];
	struct fact f;

	for (size_t i = 0; i < set->n; i += LIST) {
		size_t v_len = 0, ns_len = 0;

		for (size_t j = i; j < set->n && j < i + LIST; j++) {
			const char *comma = j > i ? "," : "";

			v_len += (size_t)snprintf(v + v_len, sizeof(v) - v_len, "%s%" PRIu64, comma, set->s[j].v);
			ns_len += (size_t)snprintf(ns + ns_len, sizeof(ns) - ns_len, "%s%" PRIu64, comma, set->s[j].ns);
		}
		fact_open(&f, "fact");
		kv_out_str(&f.o, "reps", name);
		kv_out_u64(&f.o, "i", i + 1);
		kv_out_str(&f.o, "v", v);
		kv_out_str(&f.o, "ns", ns);
		fact_send(&f);
	}
}

void sample_report(const char *name, const struct samples *set)
{
	struct sample m;

	if (!set->n)
		return;
	sample_list(name, set);
	m = sample_median(set);
	fact_rate(name, m.v, m.ns);
}
