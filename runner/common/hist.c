/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * hist: counting and ranks. No floating point: the box may be a 486.
 */
#include "common/hist.h"

#include <errno.h>
#include <string.h>

#define SUB (1u << HIST_SUB_BITS)
#define SCALE 10000u

void hist_clear(struct hist *h) { memset(h, 0, sizeof *h); }

unsigned hist_index(uint64_t v)
{
	unsigned shift = 0;

	while (v >> shift >= 2 * SUB) /* what is left is 32 to 63, or all of a small value */
		shift++;
	if (shift > HIST_OCTAVES - 2)
		return HIST_BUCKETS - 1;
	return shift * SUB + (unsigned)(v >> shift);
}

uint64_t hist_low(unsigned index)
{
	unsigned shift = index < 2 * SUB ? 0 : index / SUB - 1;

	return (uint64_t)(index - shift * SUB) << shift;
}

uint64_t hist_value(unsigned index)
{
	uint64_t low = hist_low(index);

	return low + (hist_low(index + 1) - low) / 2;
}

void hist_add(struct hist *h, uint64_t v)
{
	uint32_t *b = &h->bucket[hist_index(v)];

	if (!h->n || v < h->min)
		h->min = v;
	if (v > h->max)
		h->max = v;
	h->n++;
	h->sum += v;
	*b += *b != UINT32_MAX;
}

void hist_merge(struct hist *into, const struct hist *from)
{
	if (!from->n)
		return;
	if (!into->n || from->min < into->min)
		into->min = from->min;
	if (from->max > into->max)
		into->max = from->max;
	into->n += from->n;
	into->sum += from->sum;
	for (unsigned i = 0; i < HIST_BUCKETS; i++) {
		uint32_t room = UINT32_MAX - into->bucket[i];

		into->bucket[i] += from->bucket[i] < room ? from->bucket[i] : room;
	}
}

uint64_t hist_least(unsigned permyriad)
{
	uint64_t chance = 1ull << 48, limit = chance / 40;                  /* 2.5 % */
	unsigned p = permyriad < SCALE / 2 ? SCALE - permyriad : permyriad; /* a low percentile needs what its mirror needs */
	uint64_t n = 0;

	if (p >= SCALE)
		return 1;
	for (; chance > limit; n++)
		chance = chance * p / SCALE;
	return n;
}

/* The value of that rank, counted from 1. */
static uint64_t value_at(const struct hist *h, uint64_t rank)
{
	uint64_t seen = 0, v;
	unsigned i = 0;

	for (; i < HIST_BUCKETS - 1; i++) {
		seen += h->bucket[i];
		if (seen >= rank)
			break;
	}
	if (i == HIST_BUCKETS - 1 && h->max >= hist_low(HIST_BUCKETS))
		return h->max; /* the last bucket has no upper edge */
	v = hist_value(i);
	if (v < h->min)
		return h->min;
	return v > h->max ? h->max : v;
}

int hist_percentile(const struct hist *h, unsigned permyriad, uint64_t *v)
{
	uint64_t rank;

	if (permyriad > SCALE)
		return -EINVAL;
	if (h->n < hist_least(permyriad))
		return -ENODATA;
	if (permyriad == 0 || permyriad == SCALE) {
		*v = permyriad ? h->max : h->min;
		return 0;
	}
	rank = h->n / SCALE * permyriad + (h->n % SCALE * permyriad + SCALE - 1) / SCALE;
	*v = value_at(h, rank ? rank : 1);
	return 0;
}
