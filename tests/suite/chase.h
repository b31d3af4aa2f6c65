/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * chase: a ring of pointers, one word a page, in an order that no prefetcher guesses: each load needs the one before it. The order is a single cycle through
 * all pages (Sattolo's algorithm), so that after as many steps as pages one is back at the start, which proves that all were done.
 *
 * The trap: words at the same place of each page would all fall into the same few sets of the cache, and the misses would be the cache's, not the
 * TLB's: word i stands in another line than word i - 1.
 */
#ifndef KD_SUITE_CHASE_H
#define KD_SUITE_CHASE_H

#include <stddef.h>

/* Pure: lays the ring through the first `pages` pages at base (page bytes each, a power of two of at least 512). Its first word. */
void **chase_lay(char *base, size_t pages, size_t page);
/* steps along the ring; where it ends. */
void **chase_run(void **at, size_t steps);

#endif
