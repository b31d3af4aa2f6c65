/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * flight: which of the numbered datagrams that are under way have come. Pure.
 *
 * Numbers below `high` are settled: come, or given up as lost; what comes below it after all is reordered (and counts as come) as long as FLIGHT_SPAN
 * remembers it, and a second time is a duplicate. The trap: a window that counts what has come would shrink with every loss; one that goes by
 * the highest number does not.
 */
#ifndef KD_SUITE_FLIGHT_H
#define KD_SUITE_FLIGHT_H

#include <stdint.h>

#define FLIGHT_SPAN 4096u

struct flight {
	uint64_t first; /* number of the first */
	uint64_t next;  /* of the one to be sent next */
	uint64_t high;  /* one more than the highest that has come or was given up */
	uint64_t got, reordered, dup, late, stalls;
	unsigned char seen[FLIGHT_SPAN / 8];
};

void flight_begin(struct flight *f, uint64_t first);
/* 1 where it has come for the first time; 0: a duplicate, too late, never sent. */
int flight_take(struct flight *f, uint64_t seq);
/* Nothing has come for long: what is under way is given up. */
void flight_stall(struct flight *f);
uint64_t flight_under_way(const struct flight *f);
/* Sent, and not come. */
uint64_t flight_lost(const struct flight *f);

#endif
