/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * fair: how evenly workers were served, from what each of them got. Pure.
 */
#ifndef KD_SUITE_FAIR_H
#define KD_SUITE_FAIR_H

#include <stdint.h>

/* The least share over the greatest, permille; 1000 for one worker, 0 where one got nothing. */
unsigned fair_ratio_permille(const uint64_t *share, unsigned n);
/*
 * (sum x)^2 / (n * sum x^2), permille: 1000 where all got the same, 1000 / n where one got all. Jain, Chiu and Hawe, DEC TR-301, 1984.
 * 0 where nobody got anything.
 */
unsigned fair_jain_permille(const uint64_t *share, unsigned n);

#endif
