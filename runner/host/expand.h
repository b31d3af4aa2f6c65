/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * expand: kernels x variants x rounds, in a seeded random order: the tries of a schedule. Pure: the same plan and seed give the same
 * order on every machine; tags come from outside, since they must differ between sweeps of the same seed.
 */
#ifndef KD_EXPAND_H
#define KD_EXPAND_H

#include "common/plan.h"

/* PCG32 (O'Neill, HMC-CS-2014-0905: pcg32_random_r, and its way of bounding without bias). */
struct expand_rng {
	uint64_t state, inc;
};
void expand_seed(struct expand_rng *r, uint64_t seed);
uint32_t expand_below(struct expand_rng *r, uint32_t bound); /* 0 .. bound - 1 */

/*
 * Fills p->try and p->tries from p->subjects, p->rounds and p->seed: line 1 is a discarded boot of a random subject (round 0), then
 * each round visits every subject once. draw gives a tag; one that stands already is drawn again. 0, -ENOMEM, -E2BIG (more than
 * PLAN_TRIES_MAX / tries_max lines: repeats need room), -EIO.
 */
int expand_tries(struct plan *p, int (*draw)(void *user, uint32_t *tag), void *user);

#endif
