/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * sizes: what a profile says of a size becomes a number when the sweep is made, and stays that number: no test scales itself at run time.
 *
 *   [N*]mem[/M] [min SIZE] [max SIZE]      of the box's memory; `disk` likewise, of its scratch disk
 *   SIZE                                   268435456, 256M
 *
 * What comes of memory or disk is rounded down to 1 MiB. Pure.
 */
#ifndef KD_SIZES_H
#define KD_SIZES_H

#include <stddef.h>
#include <stdint.h>

struct sizes {
	const char *box; /* for errors */
	uint64_t mem_bytes, disk_bytes;
	int later; /* the box is not known: what depends on it stays as it is written */
};

/* 1 for a parameter that holds bytes, whose value may be written so: `bytes`, or `..._bytes`. */
int sizes_is_size(const char *name);
/* The value as it goes into the schedule. 0 or -EINVAL with what was wrong in err. */
int sizes_value(const struct sizes *s, const char *text, char *out, size_t size, char *err, size_t err_size);

#endif
