/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * chunk: xorshift in a loop.
 */
#include "chunk.h"

#define STEPS 20000u
#define START 2463534242u
#define END 2116854902u /* after STEPS steps */

/* Never across a page boundary: an emulator that chains code within pages only would be five times slower by the luck of the link. */
static uint32_t __attribute__((noinline, aligned(64))) run(uint32_t x)
{
	for (unsigned i = 0; i < STEPS; i++) {
		x ^= x << 13;
		x ^= x >> 17;
		x ^= x << 5;
	}
	return x;
}

uint64_t chunk_do(uint64_t n)
{
	volatile uint32_t start = START; /* or the chunk would be done once, outside the loop */
	uint64_t wrong = 0;

	while (n--)
		wrong += run(start) != END;
	return wrong;
}
