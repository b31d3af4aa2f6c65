/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * degraded: the list of what this kernel could not give, as one word for /run/kd/boot: `sysfs:ENODEV,module.nfs:2`.
 * Bounded; what does not fit is counted. Names hold [a-z0-9._-], so the list needs no escaping.
 */
#ifndef KD_INIT_DEGRADED_H
#define KD_INIT_DEGRADED_H

#include <stddef.h>

struct degraded {
	char text[400];
	size_t len;
	unsigned dropped;
};

/* err is an errno (positive), written as a number. */
void degraded_add(struct degraded *d, const char *what, const char *name, int err);

#endif
