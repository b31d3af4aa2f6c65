/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * suite: see suite.h. A suite with a wrong descriptor in it is no suite. Trap: a box reports an instance under its own name, and a sweep lives
 * longer than the profile that named it: what its schedule says is all there is.
 */
#include "host/suite.h"

#include <dirent.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "common/err.h"
#include "host/descriptor.h"
#include "host/lab.h"

#define TESTS_MAX 256

/* One deep: a descriptor that is like another is nobody's model. */
static int resolve(const struct suite *s, struct suite_test *t, struct conf_error *e)
{
	const char *names[TESTS_MAX + 1];
	size_t n = 0;
	if (*t->like) {
		const struct suite_test *other = suite_test(s, t->like);
		for (size_t i = 0; i < s->tests; i++)
			if (!*s->test[i].like)
				names[n++] = s->test[i].name;
		names[n] = NULL;
		const char *near = other ? NULL : err_nearest(t->like, names);
		if (!other)
			return conf_fail(e, 0, "like = %s: there is no %s.test%s%s%s", t->like, t->like, near ? "; did you mean '" : "",
			                 near ? near : "", near ? "'?" : "");
		if (*other->like)
			return conf_fail(e, 0, "like = %s, which is like %s itself: name that one", t->like, other->like);
		return descriptor_inherit(t, other, e);
	}
	return 0;
}

/* Those that are like others first, since they copy what the others say as it stands in the file. */
static int resolve_all(struct suite *s, size_t from, const char *folder, char *err, size_t size)
{
	for (int pass = 0; pass < 2; pass++)
		for (size_t i = from; i < s->tests; i++) {
			struct conf_error e = {0};
			int code = pass ? descriptor_check(&s->test[i], &e) : resolve(s, &s->test[i], &e);
			if (code) {
				snprintf(err, size, "%s/%s.test: %s", folder, s->test[i].name, e.text);
				return code;
			}
		}
	return 0;
}

static int test_order(const void *a, const void *b)
{
	const struct suite_test *x = a, *y = b;
	int ex = !strcmp(x->name, "boot-time"), ey = !strcmp(y->name, "boot-time");
	return ex != ey ? ey - ex : strcmp(x->name, y->name);
}

static int is_descriptor(const struct dirent *d)
{
	size_t n = strlen(d->d_name);
	return n > 5 && d->d_name[0] != '.' && !strcmp(d->d_name + n - 5, ".test");
}

/* One file more; its name less `.test` is the test's. */
static int add_file(struct suite *s, const char *folder, char *file, char *err, size_t size)
{
	struct conf_error e = {0};
	char path[4096];
	snprintf(path, sizeof path, "%s/%s", folder, file);
	file[strlen(file) - 5] = '\0';
	if (s->tests == TESTS_MAX) {
		snprintf(err, size, "%s: more than %d tests", folder, TESTS_MAX);
		return -E2BIG;
	}
	if (suite_test(s, file)) {
		snprintf(err, size, "%s: there is a test %s already", path, file);
		return -EEXIST;
	}
	int code = descriptor_read(&s->test[s->tests], path, file, &e);
	if (code && e.line)
		snprintf(err, size, "%s:%u: %s", path, e.line, e.text);
	else if (code)
		snprintf(err, size, "%s: %s", path, e.text);
	s->tests += !code;
	return code;
}

int suite_add(struct suite *s, const char *folder, char *err, size_t size)
{
	struct dirent **entry;
	size_t from = s->tests;
	int n = scandir(folder, &entry, is_descriptor, alphasort), code = 0;
	if (n < 0) {
		code = -errno;
		snprintf(err, size, "%s: %s", folder, strerror(errno));
		suite_free(s);
		return code;
	}
	if (!s->test && !(s->test = calloc(TESTS_MAX, sizeof *s->test))) {
		code = -ENOMEM;
		snprintf(err, size, "out of memory");
	}
	for (int i = 0; i < n; i++) {
		if (!code)
			code = add_file(s, folder, entry[i]->d_name, err, size);
		free(entry[i]);
	}
	free(entry);
	if (!code)
		code = resolve_all(s, from, folder, err, size);
	if (code)
		suite_free(s);
	else
		qsort(s->test, s->tests, sizeof *s->test, test_order);
	return code;
}

int suite_add_text(struct suite *s, const char *name, const char *text, size_t len, char *err, size_t size)
{
	struct conf_error e = {0};
	int code = s->tests == TESTS_MAX ? -E2BIG : suite_test(s, name) ? -EEXIST : 0;
	if (code) {
		snprintf(err, size, "%s.test: %s", name, code == -EEXIST ? "there is such a test already" : "too many tests");
		return code;
	}
	code = descriptor_parse(&s->test[s->tests], text, len, name, &e);
	if (code)
		snprintf(err, size, "%s.test:%u: %s", name, e.line, e.text);
	s->added += !code;
	s->tests += !code;
	return code;
}

int suite_settle(struct suite *s, char *err, size_t size)
{
	int code = resolve_all(s, s->tests - s->added, "overlay", err, size);
	s->added = 0;
	if (!code)
		qsort(s->test, s->tests, sizeof *s->test, test_order);
	return code;
}

int suite_read(struct suite *s, const char *folder, char *err, size_t size)
{
	*s = (struct suite){0};
	return suite_add(s, folder, err, size);
}

void suite_load(struct suite *s)
{
	char err[512], *folder = lab_share("suite");
	if (suite_read(s, folder, err, sizeof err))
		err_die("%s", err);
	free(folder);
}

void suite_load_sweep(struct suite *s, const struct plan *p)
{
	char err[512], *folder = lab_path("sweeps/%s/tests", p->id);
	suite_load(s);
	if (!access(folder, F_OK) && suite_add(s, folder, err, sizeof err))
		err_die("%s", err);
	if (suite_adopt(s, p))
		err_die("out of memory");
	free(folder);
}

/* A copy of a descriptor under the name of a test of the schedule. */
static int copy_as(struct suite_test *to, const struct suite_test *from, const struct plan_test *t)
{
	*to = *from;
	memcpy(to->name, t->name, sizeof to->name);
	memcpy(to->like, from->name, sizeof to->like);
	to->args = strdup(from->args ? from->args : "");
	to->metric = calloc(SUITE_METRICS_MAX, sizeof *to->metric);
	if (!to->args || !to->metric) {
		descriptor_free(to);
		return -ENOMEM;
	}
	if (from->metrics)
		memcpy(to->metric, from->metric, from->metrics * sizeof *to->metric);
	return 0;
}

static void set_primary(struct suite_test *t, const char *primary)
{
	for (size_t i = 0; *primary && i < t->metrics; i++)
		t->metric[i].primary = !strcmp(t->metric[i].name, primary);
}

int suite_adopt(struct suite *s, const struct plan *p)
{
	struct suite_test *all = calloc(s->tests + p->tests + 1, sizeof *all);
	size_t n = 0;
	if (!all)
		return -ENOMEM;
	/* All are copied before one is changed: what an instance is like may be an instance's name in a later suite. */
	for (size_t i = 0; i < p->tests; i++) {
		const struct plan_test *t = &p->test[i];
		const struct suite_test *from = suite_test(s, *t->like ? t->like : t->name);
		if (!from || (!*t->like && !*t->primary))
			continue;
		if (copy_as(&all[n], from, t))
			goto fail;
		set_primary(&all[n++], t->primary);
	}
	size_t own = n;
	for (size_t i = 0; i < s->tests; i++) {
		size_t k = 0;
		while (k < own && strcmp(all[k].name, s->test[i].name) != 0)
			k++;
		if (k < own)
			descriptor_free(&s->test[i]);
		else
			all[n++] = s->test[i];
	}
	free(s->test);
	*s = (struct suite){all, n, 0};
	return 0;
fail:
	while (n)
		descriptor_free(&all[--n]);
	free(all);
	return -ENOMEM;
}

void suite_free(struct suite *s)
{
	for (size_t i = 0; i < s->tests; i++)
		descriptor_free(&s->test[i]);
	free(s->test);
	*s = (struct suite){0};
}

const struct suite_test *suite_test(const struct suite *s, const char *name)
{
	for (size_t i = 0; i < s->tests; i++)
		if (!strcmp(s->test[i].name, name))
			return &s->test[i];
	return NULL;
}

const struct suite_metric *suite_metric(const struct suite *s, const char *test, const char *metric)
{
	const struct suite_test *t = suite_test(s, test);
	for (size_t i = 0; t && i < t->metrics; i++)
		if (!strcmp(t->metric[i].name, metric))
			return &t->metric[i];
	return NULL;
}

const struct suite_metric *suite_primary(const struct suite_test *t)
{
	for (size_t i = 0; t && i < t->metrics; i++)
		if (t->metric[i].primary)
			return &t->metric[i];
	return NULL;
}
