/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * modules: loads /kd/pack/modules/<name> in the order of /kd/pack/order. Each failure is degraded, none stops the boot.
 */
#ifndef KD_INIT_MODULES_H
#define KD_INIT_MODULES_H

#include "init/degraded.h"

/* How many were loaded, or were there already. */
unsigned modules_load(const char *pack, struct degraded *d);

#endif
