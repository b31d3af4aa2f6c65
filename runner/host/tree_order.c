/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * tree_order: see tree_order.h.
 */
#include "host/tree_order.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "common/kv.h"

#define PROGRAM "disk-tree"
#define ARG_MAX 32

static const char *program_of(const struct plan_test *t) { return *t->program ? t->program : t->name; }

static int has_part(const struct plan_test *t, const char *part)
{
	char v[ARG_MAX];
	return !strcmp(program_of(t), PROGRAM) && !plan_arg(t->args, "part", v, sizeof v) && !strcmp(v, part);
}

/* What they say of the tree must be alike. NULL, or the first argument in which they differ. */
static const char *differs(const struct plan_test *a, const struct plan_test *b)
{
	static const char *const keys[] = {"files", "dirs", "scale", "median_bytes", "seed"};
	for (size_t i = 0; i < sizeof keys / sizeof *keys; i++) {
		char x[ARG_MAX] = "", y[ARG_MAX] = "";
		plan_arg(a->args, keys[i], x, sizeof x);
		plan_arg(b->args, keys[i], y, sizeof y);
		if (strcmp(x, y))
			return keys[i];
	}
	return NULL;
}

static int keeps_ext4(const struct plan_test *t)
{
	char v[ARG_MAX] = "";
	plan_arg(t->args, "fs", v, sizeof v);
	return strstr(v, "ext4") != NULL;
}

int tree_order_check(const struct plan *p, char *err, size_t size)
{
	const struct plan_test *left = NULL, *make = NULL, *first = NULL, *last = NULL, *twice = NULL;
	for (size_t i = 0; i < p->tests; i++) {
		const struct plan_test *t = &p->test[i];
		if (!kv_list_has(t->needs, "scratch"))
			continue;
		first = first ? first : t;
		last = t;
		if (has_part(t, "left"))
			twice = left ? t : twice, left = t;
		if (has_part(t, "make"))
			twice = make ? t : twice, make = t;
	}
	const char *key = left && make ? differs(left, make) : NULL;
	if (twice)
		snprintf(err, size, "test %s: the scratch disk holds one tree from boot to boot; leave one of the two out", twice->name);
	else if (left && !make)
		snprintf(err, size, "test %s measures the tree of the boot before, and no test makes one (part=make)", left->name);
	else if (left && left != first)
		snprintf(err, size, "test %s would find the disk made anew by %s: put it first of those that need scratch", left->name, first->name);
	else if (make && make != last)
		snprintf(err, size, "the tree that test %s leaves would be lost to %s: put it last of those that need scratch", make->name,
		         last->name);
	else if (key)
		snprintf(err, size, "tests %s and %s differ in %s=: they must speak of the same tree", left->name, make->name, key);
	else if (left && keeps_ext4(left) != keeps_ext4(make))
		snprintf(err, size, "test %s keeps another file system than %s makes: fs = keep goes with ext2, keep-ext4 with ext4", left->name,
		         make->name);
	else
		return 0;
	return -EINVAL;
}
