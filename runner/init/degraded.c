/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * degraded: collects what is missing. Trap: a module's name comes from a file, so each byte is checked.
 */
#include "init/degraded.h"

#include <ctype.h>
#include <stdio.h>

void degraded_add(struct degraded *d, const char *what, const char *name, int err)
{
	char one[96];
	int n = snprintf(one, sizeof one, "%s%s%s%s:%d", d->len ? "," : "", what, *name ? "." : "", name, err);

	if (n < 0 || (size_t)n >= sizeof one || d->len + (size_t)n >= sizeof d->text) {
		d->dropped++;
		return;
	}
	for (int i = 0; i < n; i++) {
		char c = one[i];

		if (!isalnum((unsigned char)c) && c != ',' && c != '.' && c != ':' && c != '-')
			c = '_';
		d->text[d->len++] = c;
	}
	d->text[d->len] = 0;
}
