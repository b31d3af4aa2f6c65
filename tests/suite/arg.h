/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * arg: the parameters of a test, `name=value` words. One table a test, ended by {0}: it parses, checks the range and prints the help.
 *
 * A test reads its values by index into its table (an enum beside it). Nothing is scaled at run time: what stands in the
 * schedule is what is run, or the test skips.
 */
#ifndef KD_SUITE_ARG_H
#define KD_SUITE_ARG_H

#include <stddef.h>
#include <stdint.h>

#define ARG_WORD(index) (UINT64_MAX - (index)) /* the value of a word where numbers are taken too */

struct arg {
	const char *name;
	uint64_t v; /* the default, then the value; for words the index */
	uint64_t min, max;
	const char *const *words; /* NULL: a number; else a NULL-terminated list; with a max: a number or one of the words, ARG_WORD of its index */
	const char *about;
};

/* Dies with exit 2 on an unknown name, a bad value; prints and exits 0 on --help. argv from the first parameter on. */
void arg_parse(struct arg *table, char **argv);

#endif
