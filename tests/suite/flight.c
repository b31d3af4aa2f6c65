/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * flight: a ring of bits for the last FLIGHT_SPAN numbers below high.
 */
#include <string.h>

#include "flight.h"

static int test_and_set(struct flight *f, uint64_t seq)
{
	unsigned char *byte = &f->seen[seq % FLIGHT_SPAN / 8], bit = (unsigned char)(1u << seq % 8);
	int was = *byte & bit;

	*byte |= bit;
	return !!was;
}

/* high goes up to `to`: the numbers that it passes have not come. */
static void raise_to(struct flight *f, uint64_t to)
{
	if (to - f->high >= FLIGHT_SPAN)
		memset(f->seen, 0, sizeof(f->seen));
	else
		for (uint64_t i = f->high; i < to; i++)
			f->seen[i % FLIGHT_SPAN / 8] &= (unsigned char)~(1u << i % 8);
	f->high = to;
}

void flight_begin(struct flight *f, uint64_t first)
{
	memset(f, 0, sizeof(*f));
	f->first = f->next = f->high = first;
}

int flight_take(struct flight *f, uint64_t seq)
{
	if (seq < f->first || seq >= f->next || seq + FLIGHT_SPAN < f->high) {
		f->late++;
		return 0;
	}
	if (seq >= f->high)
		raise_to(f, seq + 1);
	else
		f->reordered++;
	if (test_and_set(f, seq)) {
		f->reordered--;
		f->dup++;
		return 0;
	}
	f->got++;
	return 1;
}

void flight_stall(struct flight *f)
{
	f->stalls++;
	raise_to(f, f->next);
}

uint64_t flight_under_way(const struct flight *f) { return f->next - f->high; }

uint64_t flight_lost(const struct flight *f) { return f->next - f->first - f->got; }
