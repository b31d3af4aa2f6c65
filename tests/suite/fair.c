/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * fair: integers only; greater shares are first scaled to 16 bits, so that what is made of 512 of them fits 64.
 */
#include "fair.h"

#define SCALE_BITS 16

unsigned fair_ratio_permille(const uint64_t *share, unsigned n)
{
	uint64_t least = UINT64_MAX, most = 0;

	for (unsigned i = 0; i < n; i++) {
		least = share[i] < least ? share[i] : least;
		most = share[i] > most ? share[i] : most;
	}
	if (!most)
		return 0;
	while (most >> 50) { /* times 1000 is to fit */
		most >>= 1;
		least >>= 1;
	}
	return (unsigned)(least * 1000 / most);
}

unsigned fair_jain_permille(const uint64_t *share, unsigned n)
{
	uint64_t most = 0, sum = 0, squares = 0;
	unsigned shift = 0;

	for (unsigned i = 0; i < n; i++)
		most = share[i] > most ? share[i] : most;
	while (most >> shift >> SCALE_BITS)
		shift++;
	for (unsigned i = 0; i < n; i++) {
		uint64_t x = share[i] >> shift;

		sum += x;
		squares += x * x;
	}
	if (!squares)
		return 0;
	return (unsigned)(sum * sum * 1000 / (n * squares));
}
