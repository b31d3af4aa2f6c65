/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * unit: what all unit tests of common/ begin with: cmocka and what it wants included before, repeatable random numbers, and a
 * folder of one's own. A test that fails leaves its folder in $TMPDIR for people to look at.
 */
#ifndef KD_UNIT_H
#define KD_UNIT_H

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

/* Marsaglia's xorshift32: the same on every machine, so that what fails once fails again. */
static inline uint32_t unit_random(uint32_t *state)
{
	uint32_t x = *state;

	x ^= x << 13;
	x ^= x >> 17;
	x ^= x << 5;
	return *state = x;
}

struct unit_dir {
	char path[256];
};

static inline void unit_dir_make(struct unit_dir *d)
{
	const char *tmp = getenv("TMPDIR");

	snprintf(d->path, sizeof(d->path), "%s/kd-unit.XXXXXX", tmp ? tmp : "/tmp");
	assert_non_null(mkdtemp(d->path));
}

/* The folder's path with a name behind it; good until the next call. */
static inline const char *unit_path(const struct unit_dir *d, const char *name)
{
	static char buf[512];

	assert_true(snprintf(buf, sizeof(buf), "%s/%s", d->path, name) < (int)sizeof(buf));
	return buf;
}

static inline void unit_dir_remove(const struct unit_dir *d)
{
	char cmd[320];

	snprintf(cmd, sizeof(cmd), "rm -rf '%s'", d->path);
	assert_int_equal(system(cmd), 0);
}

#endif
