/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * fact_hist: a histogram in lines: its exact numbers, then its buckets that counted, in order, as many to a line as fit: `index:count`, and the count alone
 * where the bucket is the next one, which is most of what a slow serial line is spared.
 * The pieces are cut twice by the same rule, once to count them.
 */
#include <stdio.h>
#include <string.h>

#include "common/hist.h"
#include "fact.h"

/* The buckets of one line from *next on, which becomes the first one of the next line. Their number. */
static unsigned piece(const struct hist *h, unsigned *next, size_t room, char *out)
{
	unsigned n = 0, last = 0;
	size_t len = 0;
	char one[24];

	for (; *next < HIST_BUCKETS; ++*next) {
		int more;

		if (!h->bucket[*next])
			continue;
		if (n && *next == last + 1)
			more = snprintf(one, sizeof(one), ",%u", (unsigned)h->bucket[*next]);
		else
			more = snprintf(one, sizeof(one), "%s%u:%u", n ? "," : "", *next, (unsigned)h->bucket[*next]);
		if (len + (size_t)more > room)
			break;
		memcpy(out + len, one, (size_t)more + 1);
		len += (size_t)more;
		last = *next;
		n++;
	}
	return n;
}

void fact_hist(const char *name, const struct hist *h)
{
	size_t words = sizeof("hist name= part=999/999 b=") - 1 + strlen(name);
	size_t room = words + 24 < FACT_MAX ? FACT_MAX - words - 1 : 24; /* of a name that is too long fact_send tells */
	char pairs[FACT_MAX + 1], part[24];
	unsigned parts = 0, next = 0;
	struct fact f;

	while (piece(h, &next, room, pairs))
		parts++;
	fact_open(&f, "hist");
	kv_out_str(&f.o, "name", name);
	kv_out_u64(&f.o, "n", h->n);
	kv_out_u64(&f.o, "sum", h->sum);
	kv_out_u64(&f.o, "min", h->min);
	kv_out_u64(&f.o, "max", h->max);
	kv_out_u64(&f.o, "parts", parts);
	fact_send(&f);
	next = 0;
	for (unsigned i = 1; i <= parts; i++) {
		piece(h, &next, room, pairs);
		snprintf(part, sizeof(part), "%u/%u", i, parts);
		fact_open(&f, "hist");
		kv_out_str(&f.o, "name", name);
		kv_out_str(&f.o, "part", part);
		kv_out_str(&f.o, "b", pairs);
		fact_send(&f);
	}
}
