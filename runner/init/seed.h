/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * seed: gives the kernel's random pool what is at hand and credits it, so that nothing on a box without entropy ever
 * blocks. The box keeps no secrets: these bytes are for tags and temporary names, not for keys.
 */
#ifndef KD_INIT_SEED_H
#define KD_INIT_SEED_H

#include "init/degraded.h"

void seed_random(struct degraded *d);

#endif
