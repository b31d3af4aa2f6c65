/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * chase: lays the ring in place, in two passes: the words hold the order of pages first, pointers then.
 */
#include <stdint.h>

#include "chase.h"

#define LINE 64

static void **word_of(char *base, size_t i, size_t page)
{
	size_t lines = page / LINE;

	return (void **)(void *)(base + i * page + (i * 5 % lines) * LINE);
}

static uint64_t xorshift(uint64_t x)
{
	x ^= x << 13;
	x ^= x >> 7;
	x ^= x << 17;
	return x;
}

void **chase_lay(char *base, size_t pages, size_t page)
{
	uint64_t x = 88172645463325252ull;

	for (size_t i = 0; i < pages; i++)
		*word_of(base, i, page) = (void *)(uintptr_t)i;
	for (size_t i = pages - 1; i > 0 && pages > 1; i--) { /* Sattolo: j < i, so that one cycle comes out */
		size_t j = (size_t)((x = xorshift(x)) % i);
		void *was = *word_of(base, i, page);

		*word_of(base, i, page) = *word_of(base, j, page);
		*word_of(base, j, page) = was;
	}
	for (size_t i = 0; i < pages; i++)
		*word_of(base, i, page) = word_of(base, (size_t)(uintptr_t)*word_of(base, i, page), page);
	return word_of(base, 0, page);
}

void **__attribute__((noinline)) chase_run(void **at, size_t steps)
{
	for (; steps >= 8; steps -= 8) {
		at = (void **)*at;
		at = (void **)*at;
		at = (void **)*at;
		at = (void **)*at;
		at = (void **)*at;
		at = (void **)*at;
		at = (void **)*at;
		at = (void **)*at;
	}
	while (steps--)
		at = (void **)*at;
	return at;
}
