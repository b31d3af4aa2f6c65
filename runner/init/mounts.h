/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * mounts: the namespace as a const table. What is optional and missing is recorded as degraded; what is required and missing is
 * also said in the kernel log, and the boot goes on: a box that reports its own poverty is worth more than a dead one.
 */
#ifndef KD_INIT_MOUNTS_H
#define KD_INIT_MOUNTS_H

#include "init/degraded.h"

void mounts_make(struct degraded *d);

#endif
