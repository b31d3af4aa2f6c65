/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * arg: parameters of a test from its table.
 */
#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "arg.h"
#include "common/err.h"

#define ARGS_MAX 48

static struct arg *find(struct arg *table, const char *name, size_t len)
{
	for (struct arg *a = table; a->name; a++)
		if (strlen(a->name) == len && !memcmp(a->name, name, len))
			return a;
	return NULL;
}

static void die_unknown(const struct arg *table, const char *word, size_t len)
{
	const char *names[ARGS_MAX + 1];
	const char *near;
	char name[64];
	size_t n = 0;

	for (; n < ARGS_MAX && table[n].name; n++)
		names[n] = table[n].name;
	names[n] = NULL;
	snprintf(name, sizeof(name), "%.*s", (int)(len < 60 ? len : 60), word);
	near = err_nearest(name, names);
	if (near)
		err_usage("no parameter %s; did you mean %s?", name, near);
	err_usage("no parameter %s", name);
}

/* 1 if it was a word. */
static int set_word(struct arg *a, const char *val)
{
	for (size_t i = 0; a->words[i]; i++)
		if (!strcmp(a->words[i], val)) {
			a->v = a->max ? ARG_WORD(i) : i;
			return 1;
		}
	return 0;
}

static void set_number(struct arg *a, const char *val)
{
	char *end;

	errno = 0;
	a->v = strtoull(val, &end, 10);
	if (*val < '0' || *val > '9' || *end || errno)
		err_usage("%s=%s: not a number", a->name, val);
	if (a->v < a->min || a->v > a->max)
		err_usage("%s=%s: wanted %" PRIu64 " to %" PRIu64, a->name, val, a->min, a->max);
}

static void print_default(const struct arg *a)
{
	uint64_t word = a->max ? UINT64_MAX - a->v : a->v;

	for (uint64_t i = 0; a->words && a->words[i]; i++)
		if (i == word)
			printf("%s", a->words[i]);
	if (!a->words || (a->max && a->v <= a->max))
		printf("%" PRIu64, a->v);
	if (a->max)
		printf(" (%" PRIu64 " to %" PRIu64 ")", a->min, a->max);
}

static void print_help(const struct arg *table)
{
	for (const struct arg *a = table; a->name; a++) {
		printf("  %s=", a->name);
		print_default(a);
		printf("  %s", a->about);
		for (size_t i = 0; a->words && a->words[i]; i++)
			printf("%s%s", i ? ", " : ": ", a->words[i]);
		printf("\n");
	}
}

void arg_parse(struct arg *table, char **argv)
{
	for (; *argv; argv++) {
		const char *eq = strchr(*argv, '=');
		struct arg *a;

		if (!strcmp(*argv, "--help")) {
			print_help(table);
			exit(EXIT_OK);
		}
		if (!eq)
			err_usage("%s: wanted name=value", *argv);
		a = find(table, *argv, (size_t)(eq - *argv));
		if (!a)
			die_unknown(table, *argv, (size_t)(eq - *argv));
		if (a->words && set_word(a, eq + 1))
			continue;
		if (a->words && !a->max)
			err_usage("%s=%s: not one of the words it can be", a->name, eq + 1);
		set_number(a, eq + 1);
	}
}
