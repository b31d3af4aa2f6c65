/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * choose: see choose.h. A word that fits nothing is refused here, on the station: a box would find out at night. Trap: what the box takes of
 * a test line is bounded (job.h), so that is checked here too.
 */
#include "host/choose.h"

#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "common/err.h"
#include "common/kv.h"
#include "host/args.h"

#define NAMES_MAX 400
#define NAME_BYTES 128
#define VALUE_BYTES 256
#define ARGS_BYTES_MAX 511 /* of a test, on the box */
#define ARGS_MAX 40

struct chooser {
	const struct choose *c;
	struct plan *plan;
	char *err;
	size_t size;
};

static int fail(struct chooser *r, const char *fmt, ...) __attribute__((format(printf, 2, 3)));
static int fail(struct chooser *r, const char *fmt, ...)
{
	va_list ap;

	va_start(ap, fmt);
	vsnprintf(r->err, r->size, fmt, ap);
	va_end(ap);
	return -EINVAL;
}

static int no_memory(struct chooser *r)
{
	fail(r, "out of memory");
	return -ENOMEM;
}

/* `what 'name'; did you mean ...`, or all that there is. */
static int unknown(struct chooser *r, const char *what, const char *name, const char *const *names)
{
	const char *near = err_nearest(name, names);
	char list[600] = "";
	size_t len = 0;

	for (size_t i = 0; names[i] && len < sizeof list; i++)
		len += (size_t)snprintf(list + len, sizeof list - len, "%s%s", i ? ", " : "", names[i]);
	if (near)
		return fail(r, "%s '%.70s'; did you mean '%s'?", what, name, near);
	return fail(r, "%s '%.70s'; there %s: %s", what, name, names[0] && !names[1] ? "is" : "are", *list ? list : "none");
}

/* ---- names */

/* In the plan are all tests of profile and overlay, before they are narrowed. */
static int find(const struct plan *p, const char *name)
{
	for (size_t i = 0; i < p->tests; i++)
		if (!strcmp(p->test[i].name, name))
			return (int)i;
	return -1;
}

static int unknown_test(struct chooser *r, const char *name)
{
	const char *names[PLAN_TESTS_MAX + 1];
	char what[PLAN_ID_MAX + 32];
	size_t n = 0;

	if (suite_test(r->c->suite, name))
		return fail(r, "test %s is not in profile %s ('kdyno suite %s' says in which it is)", name, r->c->profile->name, name);
	for (; n < r->plan->tests; n++)
		names[n] = r->plan->test[n].name;
	names[n] = NULL;
	snprintf(what, sizeof what, "profile %s has no test", r->c->profile->name);
	return unknown(r, what, name, names);
}

static int unknown_descriptor(struct chooser *r, const struct profile_test *t)
{
	const char *names[NAMES_MAX + 1];
	char what[2 * PLAN_ID_MAX + 64];
	size_t n = 0;

	for (; n < r->c->suite->tests && n < NAMES_MAX; n++)
		names[n] = r->c->suite->test[n].name;
	names[n] = NULL;
	snprintf(what, sizeof what, "profile %s, %s: there is no test", r->c->profile->name, t->name);
	return unknown(r, what, t->like, names);
}

/* ---- parameters */

static int unknown_arg(struct chooser *r, const struct plan_test *t, const char *name)
{
	char word[ARGS_MAX][NAME_BYTES], value[VALUE_BYTES], what[PLAN_ID_MAX + 32];
	const char *names[ARGS_MAX + 1], *p = t->args;
	size_t n = 0;

	while (n < ARGS_MAX && args_next(&p, word[n], NAME_BYTES, value, sizeof value)) {
		names[n] = word[n];
		n++;
	}
	names[n] = NULL;
	snprintf(what, sizeof what, "test %s has no parameter", t->name);
	return unknown(r, what, name, names);
}

static int has_arg(const struct plan_test *t, const char *name)
{
	char value[VALUE_BYTES];

	return plan_arg(t->args, name, value, sizeof value) != -ENOENT;
}

static int set_arg(struct chooser *r, struct plan_test *t, const char *name, const char *value)
{
	if (!has_arg(t, name))
		return unknown_arg(r, t, name);
	return args_set(&t->args, name, value) ? no_memory(r) : 0;
}

/* TEST.NAME=VALUE: the last dot parts test and name. */
static int take_given(struct chooser *r, char *name, const char *value)
{
	char *dot = strrchr(name, '.');
	int i, found = 0, err = 0;

	if (!dot || dot == name || !dot[1])
		return fail(r, "--arg %.70s: TEST.NAME=VALUE was expected", name);
	*dot = '\0';
	if (!strcmp(name, "*")) {
		for (size_t k = 0; !err && k < r->plan->tests; k++)
			if (has_arg(&r->plan->test[k], dot + 1)) {
				err = set_arg(r, &r->plan->test[k], dot + 1, value);
				found = 1;
			}
		return err || found ? err : fail(r, "--arg *.%.70s: no test of the sweep has such a parameter", dot + 1);
	}
	i = find(r->plan, name);
	return i < 0 ? unknown_test(r, name) : set_arg(r, &r->plan->test[i], dot + 1, value);
}

static int set_given(struct chooser *r)
{
	char name[NAME_BYTES + PLAN_ID_MAX], value[VALUE_BYTES];
	int err = 0;

	for (const char *p = r->c->args ? r->c->args : ""; !err && *p;) {
		const char *item = p;

		args_next(&p, name, sizeof name, value, sizeof value);
		if (strcspn(item, ",") >= sizeof value)
			return fail(r, "--arg %.70s...: longer than any parameter is", name);
		for (const char *c = value; *c; c++)
			if (*c < ' ' || *c > '~')
				return fail(r, "--arg %.70s: its value holds other than printable ASCII", name);
		if (!memchr(item, '=', strcspn(item, ",")))
			return fail(r, "--arg %.70s: TEST.NAME=VALUE was expected, and a value holds no comma", name);
		err = take_given(r, name, value);
	}
	return err;
}

/* Sizes become numbers. */
static int set_sizes(struct chooser *r, struct plan_test *t)
{
	char name[NAME_BYTES], text[VALUE_BYTES], number[VALUE_BYTES], why[200], *copy = strdup(t->args);
	const char *p = copy;
	int err = copy ? 0 : no_memory(r);
	unsigned n = 0;

	while (!err && args_next(&p, name, sizeof name, text, sizeof text)) {
		n++;
		if (!sizes_is_size(name))
			continue;
		if (sizes_value(&r->c->sizes, text, number, sizeof number, why, sizeof why))
			err = fail(r, "test %s, %s: %s", t->name, name, why);
		else if (args_set(&t->args, name, number))
			err = no_memory(r);
	}
	free(copy);
	if (!err && (n > ARGS_MAX || strlen(t->args) > ARGS_BYTES_MAX))
		err = fail(r, "test %s: %u parameters in %zu bytes are more than a box takes (%d, %d)", t->name, n, strlen(t->args), ARGS_MAX,
		           ARGS_BYTES_MAX);
	return err;
}

/* ---- tests */

static int add_test(struct chooser *r, const char *name, const struct suite_test *d)
{
	struct plan_test *t = &r->plan->test[r->plan->tests];

	if (r->plan->tests == PLAN_TESTS_MAX)
		return fail(r, "more than %d tests", PLAN_TESTS_MAX);
	*t = (struct plan_test){.deadline_ms = d->deadline_ms, .quiet_ms = d->quiet_ms, .mem_kb = d->mem_kb, .args = strdup(d->args)};
	if (!t->args)
		return no_memory(r);
	r->plan->tests++;
	snprintf(t->name, sizeof t->name, "%s", name);
	snprintf(t->program, sizeof t->program, "%s", d->program);
	if (strcmp(name, d->name) != 0)
		snprintf(t->like, sizeof t->like, "%s", d->name);
	snprintf(t->needs, sizeof t->needs, "%s", d->needs);
	return 0;
}

static int set_primary(struct chooser *r, struct plan_test *t, const struct suite_test *d, const char *primary)
{
	const char *names[SUITE_METRICS_MAX + 2] = {"none"};
	char what[PLAN_ID_MAX + 32];
	int known = !strcmp(primary, "none");

	for (size_t i = 0; i < d->metrics; i++) {
		names[i + 1] = d->metric[i].name;
		known |= !strcmp(primary, d->metric[i].name);
	}
	names[d->metrics + 1] = NULL;
	snprintf(what, sizeof what, "test %s has no metric", t->name);
	if (!known)
		return unknown(r, what, primary, names);
	snprintf(t->primary, sizeof t->primary, "%s", primary);
	return 0;
}

static int add_from_profile(struct chooser *r, const struct profile_test *from)
{
	const struct suite_test *d = suite_test(r->c->suite, from->like);
	char name[NAME_BYTES], value[VALUE_BYTES];
	int err;

	if (!d)
		return unknown_descriptor(r, from);
	if (strcmp(from->name, from->like) != 0 && suite_test(r->c->suite, from->name))
		return fail(r, "profile %s: %s is a test of the suite; another name is wanted for what is like %s", r->c->profile->name, from->name,
		            from->like);
	if ((err = add_test(r, from->name, d)))
		return err;
	struct plan_test *t = &r->plan->test[r->plan->tests - 1];
	t->deadline_ms = from->deadline_ms ? from->deadline_ms : t->deadline_ms;
	t->quiet_ms = from->quiet_ms ? from->quiet_ms : t->quiet_ms;
	t->mem_kb = from->mem_kb ? from->mem_kb : t->mem_kb;
	if (from->needs && strlen(from->needs) >= sizeof t->needs)
		return fail(r, "profile %s, %s: needs is too long", r->c->profile->name, from->name);
	if (from->needs)
		strcpy(t->needs, from->needs);
	if (*from->primary && (err = set_primary(r, t, d, from->primary)))
		return err;
	for (const char *p = from->args ? from->args : ""; !err && args_next(&p, name, sizeof name, value, sizeof value);)
		err = set_arg(r, t, name, value);
	return err;
}

static int is_in_profile(const struct profile *p, const char *descriptor)
{
	for (size_t i = 0; i < p->tests; i++)
		if (!strcmp(p->test[i].like, descriptor))
			return 1;
	return 0;
}

static int add_all(struct chooser *r)
{
	const struct suite *s = r->c->suite;
	int err = 0;

	for (size_t i = 0; !err && i < r->c->profile->tests; i++)
		err = add_from_profile(r, &r->c->profile->test[i]);
	for (size_t i = 0; !err && r->c->more && i < s->tests; i++)
		if (kv_list_has(r->c->more, s->test[i].name) && !is_in_profile(r->c->profile, s->test[i].name))
			err = add_test(r, s->test[i].name, &s->test[i]);
	return err;
}

/* Every word of --tests is a test; the others go. */
static int narrow(struct chooser *r)
{
	struct plan *p = r->plan;
	char name[NAME_BYTES], none[1];
	size_t n = 0;

	for (const char *w = r->c->tests; args_next(&w, name, sizeof name, none, sizeof none);)
		if (find(p, name) < 0)
			return unknown_test(r, name);
	for (size_t i = 0; i < p->tests; i++) {
		if (kv_list_has(r->c->tests, p->test[i].name))
			p->test[n++] = p->test[i];
		else
			free(p->test[i].args);
	}
	p->tests = n;
	return n ? 0 : fail(r, "--tests names no test");
}

int choose_tests(const struct choose *c, struct plan *p, char *err, size_t size)
{
	struct chooser r = {c, p, err, size};
	int code;

	p->tests = 0;
	p->test = calloc(PLAN_TESTS_MAX, sizeof *p->test);
	if (!p->test)
		return no_memory(&r);
	code = add_all(&r);
	if (!code && c->tests)
		code = narrow(&r);
	if (!code)
		code = set_given(&r);
	for (size_t i = 0; !code && i < p->tests; i++)
		code = set_sizes(&r, &p->test[i]);
	return code;
}
