/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * chunk: a piece of integer work, 20,000 steps of a 32-bit xorshift (Marsaglia, 2003), all in registers, the same on 32 and 64 bits.
 *
 * Each chunk starts from the same value and must end in the same, so that a CPU or a kernel that damages registers is seen. About 40 us on
 * a CPU of today, some 2 ms on a 486.
 */
#ifndef KD_SUITE_CHUNK_H
#define KD_SUITE_CHUNK_H

#include <stdint.h>

/* Does n chunks; how many of them ended wrongly. */
uint64_t chunk_do(uint64_t n);

#endif
