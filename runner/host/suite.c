/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * suite: see suite.h. One descriptor (docs/formats.md) is read whole, checked whole, and refused whole: a suite with a wrong
 * descriptor in it is no suite. Trap: args end up in one comma list, so a value may hold no comma.
 */
#include "host/suite.h"

#include <dirent.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "common/err.h"
#include "common/kv.h"
#include "host/conf.h"
#include "host/lab.h"

#define SUITE_TESTS_MAX PLAN_TESTS_MAX
#define SUITE_METRICS_MAX 64
#define NOT_SAID (-1)

const char *const suite_profiles[] = {"smoke", "quick", "full", "rehearse", NULL};

static const char *const needs_known[] = {"scratch", "nfs", "net", "early", NULL};
static const char *const keys_test[] = {"name", "program", "like", "summary", "needs", "deadline_s", "quiet_s", "mem_kb", "profiles", NULL};
static const char *const keys_metric[] = {"unit", "better", "primary", "about", NULL};
static const struct conf_known known[] = {
	{"test", 0, keys_test}, {"args", 0, NULL}, {"args.", 1, NULL}, {"metric ", 1, keys_metric}, {NULL, 0, NULL},
};

static int in_list(const char *const *list, const char *word, size_t len)
{
	for (size_t i = 0; list[i]; i++)
		if (strlen(list[i]) == len && !strncmp(list[i], word, len))
			return (int)i + 1;
	return 0;
}

/* Every word of a comma list is one of known. */
static int check_words(const struct conf_entry *it, const char *words, const char *const *names, struct conf_error *e)
{
	for (const char *w = words; *w;) {
		size_t n = strcspn(w, ",");
		char word[64];
		snprintf(word, sizeof word, "%.*s", (int)(n < 63 ? n : 63), w);
		const char *near = err_nearest(word, names);
		if (!in_list(names, w, n))
			return conf_fail(e, it->line, "%s: '%s' is not known%s%s%s", it->key, word, near ? "; did you mean '" : "", near ? near : "",
			                 near ? "'?" : "");
		w += n + (w[n] == ',');
	}
	return 0;
}

static int read_list(const struct conf_entry *it, char *out, size_t size, const char *const *names, char sep, struct conf_error *e)
{
	char *words = conf_list(it->value);
	if (!words)
		return conf_fail(e, it->line, "out of memory");
	int err = check_words(it, words, names, e);
	if (!err && strlen(words) >= size)
		err = conf_fail(e, it->line, "%s is too long: at most %zu bytes", it->key, size - 1);
	if (!err) {
		strcpy(out, words);
		for (char *p = out; *p; p++)
			*p = *p == ',' ? sep : *p;
	}
	free(words);
	return err;
}

static int read_id(const struct conf_entry *it, char out[PLAN_ID_MAX + 1], struct conf_error *e)
{
	int err = conf_copy(it, out, PLAN_ID_MAX + 1, e);
	return err ? err : kv_is_id(out) ? 0 : conf_fail(e, it->line, "%s: '%s' is no name (letters, digits, . _ + -)", it->key, out);
}

static int read_test_key(struct suite_test *t, const struct conf_entry *it, struct conf_error *e)
{
	uint64_t v = 0;
	int err;
	if (!strcmp(it->key, "name"))
		return read_id(it, t->name, e);
	if (!strcmp(it->key, "program"))
		return read_id(it, t->program, e);
	if (!strcmp(it->key, "like"))
		return read_id(it, t->like, e);
	if (!strcmp(it->key, "summary"))
		return conf_copy(it, t->summary, sizeof t->summary, e);
	if (!strcmp(it->key, "needs")) {
		t->needs_said = 1;
		return read_list(it, t->needs, sizeof t->needs, needs_known, ',', e);
	}
	if (!strcmp(it->key, "profiles"))
		return read_list(it, t->profiles, sizeof t->profiles, suite_profiles, ' ', e);
	if (!strcmp(it->key, "mem_kb"))
		return conf_u64(it, 0, 1u << 30, &t->mem_kb, e);
	err = conf_u64(it, 1, 86400, &v, e);
	*(!strcmp(it->key, "deadline_s") ? &t->deadline_ms : &t->quiet_ms) = v * 1000;
	return err;
}

static int read_metric_key(struct suite_metric *m, const struct conf_entry *it, struct conf_error *e)
{
	static const char *const better[] = {"higher", "lower", "neither", NULL};
	if (!strcmp(it->key, "unit"))
		return conf_copy(it, m->unit, sizeof m->unit, e);
	if (!strcmp(it->key, "about"))
		return conf_copy(it, m->about, sizeof m->about, e);
	if (!strcmp(it->key, "primary"))
		return conf_bool(it, &m->primary, e);
	m->better = (enum suite_better)in_list(better, it->value, strlen(it->value));
	return m->better ? 0 : conf_fail(e, it->line, "better = %s: higher, lower or neither was expected", it->value);
}

static int add_arg(char **list, const struct conf_entry *it, struct conf_error *e)
{
	char *more;
	if (strchr(it->value, ','))
		return conf_fail(e, it->line, "%s: a value may hold no comma", it->key);
	if (asprintf(&more, "%s%s%s=%s", *list ? *list : "", *list ? "," : "", it->key, it->value) < 0)
		return conf_fail(e, it->line, "out of memory");
	free(*list);
	*list = more;
	return 0;
}

static struct suite_metric *metric_of(struct suite_test *t, const char *name)
{
	for (size_t i = 0; i < t->metrics; i++)
		if (!strcmp(t->metric[i].name, name))
			return &t->metric[i];
	if (t->metrics == SUITE_METRICS_MAX)
		return NULL;
	struct suite_metric *m = &t->metric[t->metrics++];
	*m = (struct suite_metric){.primary = NOT_SAID};
	snprintf(m->name, sizeof m->name, "%s", name);
	return m;
}

static int read_entry(struct suite_test *t, const struct conf_entry *it, struct conf_error *e)
{
	if (!strcmp(it->section, "test"))
		return read_test_key(t, it, e);
	if (!strcmp(it->section, "args"))
		return add_arg(&t->args[0], it, e);
	if (!strncmp(it->section, "args.", 5)) {
		int i = in_list(suite_profiles, it->section + 5, strlen(it->section + 5));
		return i ? add_arg(&t->args[i], it, e) : conf_fail(e, it->line, "[%s]: no such profile; smoke, quick, full or rehearse", it->section);
	}
	struct suite_metric *m = metric_of(t, it->section + strlen("metric "));
	return m ? read_metric_key(m, it, e) : conf_fail(e, it->line, "more than %d metrics", SUITE_METRICS_MAX);
}

/* When what it is like has been added. */
static int check_test(struct suite_test *t, struct conf_error *e)
{
	unsigned primaries = 0;
	if (!t->deadline_ms || !t->quiet_ms || !*t->profiles)
		return conf_fail(e, 0, "deadline_s, quiet_s or profiles is missing in [test]");
	for (size_t i = 0; i < t->metrics; i++) {
		t->metric[i].primary = t->metric[i].primary == 1;
		primaries += t->metric[i].primary != 0;
		if (!*t->metric[i].unit || !t->metric[i].better)
			return conf_fail(e, 0, "[metric %s] lacks unit or better", t->metric[i].name);
	}
	return primaries > 1 ? conf_fail(e, 0, "%u metrics are primary; at most one may be", primaries) : 0;
}

static void free_test(struct suite_test *t)
{
	for (size_t i = 0; i < sizeof t->args / sizeof *t->args; i++)
		free(t->args[i]);
	free(t->metric);
}

static int read_one(struct suite_test *t, const char *path, const char *stem, struct conf_error *e)
{
	struct conf c;
	*t = (struct suite_test){.metric = calloc(SUITE_METRICS_MAX, sizeof *t->metric)};
	if (!t->metric)
		return conf_fail(e, 0, "out of memory");
	int err = conf_read(&c, path, e);
	if (!err)
		err = conf_check(&c, known, e);
	for (size_t i = 0; !err && i < c.n; i++)
		err = read_entry(t, &c.entry[i], e);
	if (!err && strcmp(t->name, stem))
		err = conf_fail(e, 0, "name = %s, but the file is %s.test", t->name, stem);
	conf_free(&c);
	if (err)
		free_test(t);
	return err;
}

/* What the own metric does not say is as in the other. */
static void fill_metric(struct suite_metric *own, const struct suite_metric *other, int other_is_primary)
{
	if (!*own->unit)
		memcpy(own->unit, other->unit, sizeof own->unit);
	if (!own->better)
		own->better = other->better;
	if (!*own->about)
		memcpy(own->about, other->about, sizeof own->about);
	if (own->primary == NOT_SAID && other_is_primary)
		own->primary = other->primary;
}

/* Those of the other in their order, with what the own ones say of them; then the rest of the own. */
static int inherit_metrics(struct suite_test *t, const struct suite_test *other, struct conf_error *e)
{
	struct suite_metric *all = calloc(SUITE_METRICS_MAX, sizeof *all);
	struct suite_test joined = {.metric = all};
	int own_primary = 0;
	if (!all)
		return conf_fail(e, 0, "out of memory");
	for (size_t i = 0; i < t->metrics; i++)
		own_primary |= t->metric[i].primary == 1;
	for (size_t i = 0; i < other->metrics; i++)
		metric_of(&joined, other->metric[i].name);
	int err = 0;
	for (size_t i = 0; !err && i < t->metrics; i++) {
		struct suite_metric *m = metric_of(&joined, t->metric[i].name);
		if (m)
			*m = t->metric[i];
		else
			err = conf_fail(e, 0, "more than %d metrics with those of %s", SUITE_METRICS_MAX, other->name);
	}
	for (size_t i = 0; i < other->metrics; i++)
		fill_metric(&all[i], &other->metric[i], !own_primary);
	free(t->metric);
	t->metric = all;
	t->metrics = joined.metrics;
	return err;
}

static char *join_args(const char *args, const char *over);

static int inherit(struct suite_test *t, const struct suite_test *other, struct conf_error *e)
{
	if (!*t->program)
		memcpy(t->program, *other->program ? other->program : other->name, sizeof t->program);
	if (!*t->summary)
		memcpy(t->summary, other->summary, sizeof t->summary);
	if (!*t->profiles)
		memcpy(t->profiles, other->profiles, sizeof t->profiles);
	if (!t->needs_said)
		memcpy(t->needs, other->needs, sizeof t->needs);
	t->deadline_ms = t->deadline_ms ? t->deadline_ms : other->deadline_ms;
	t->quiet_ms = t->quiet_ms ? t->quiet_ms : other->quiet_ms;
	t->mem_kb = t->mem_kb ? t->mem_kb : other->mem_kb;
	for (size_t i = 0; i < sizeof t->args / sizeof *t->args; i++) {
		char *own = t->args[i];
		t->args[i] = join_args(other->args[i], own);
		free(own);
		if (!t->args[i])
			return conf_fail(e, 0, "out of memory");
	}
	return inherit_metrics(t, other, e);
}

/* One deep: a descriptor that is like another is nobody's model. */
static int resolve(const struct suite *s, struct suite_test *t, struct conf_error *e)
{
	const char *names[SUITE_TESTS_MAX + 1];
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
		int err = inherit(t, other, e);
		if (err)
			return err;
	}
	if (!*t->program)
		memcpy(t->program, t->name, sizeof t->program);
	return 0;
}

/* Those that are like others first, since they copy what the others say as it stands in the file. */
static int resolve_all(struct suite *s, const char *folder, char *err, size_t size)
{
	for (int pass = 0; pass < 2; pass++)
		for (size_t i = 0; i < s->tests; i++) {
			struct conf_error e = {0};
			int code = !pass == !*s->test[i].like ? 0 : resolve(s, &s->test[i], &e);
			if (!code && pass)
				code = check_test(&s->test[i], &e);
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

int suite_read(struct suite *s, const char *folder, char *err, size_t size)
{
	struct dirent **entry;
	*s = (struct suite){0};
	int n = scandir(folder, &entry, is_descriptor, alphasort), code = 0;
	if (n < 0) {
		code = -errno;
		snprintf(err, size, "%s: %s", folder, strerror(errno));
		return code;
	}
	s->test = calloc(SUITE_TESTS_MAX, sizeof *s->test);
	for (int i = 0; i < n; i++) {
		struct conf_error e = {0};
		char path[4096];
		if (!code && (!s->test || s->tests == SUITE_TESTS_MAX)) {
			code = -ENOMEM;
			snprintf(err, size, "%s: more than %d tests", folder, SUITE_TESTS_MAX);
		} else if (!code) {
			snprintf(path, sizeof path, "%s/%s", folder, entry[i]->d_name);
			entry[i]->d_name[strlen(entry[i]->d_name) - 5] = '\0';
			code = read_one(&s->test[s->tests], path, entry[i]->d_name, &e);
			if (code && e.line)
				snprintf(err, size, "%s:%u: %s", path, e.line, e.text);
			else if (code)
				snprintf(err, size, "%s: %s", path, e.text);
			s->tests += !code;
		}
		free(entry[i]);
	}
	free(entry);
	if (!code)
		code = resolve_all(s, folder, err, size);
	if (code)
		suite_free(s);
	else
		qsort(s->test, s->tests, sizeof *s->test, test_order);
	return code;
}

void suite_load(struct suite *s)
{
	char err[512], *folder = lab_share("suite");
	if (suite_read(s, folder, err, sizeof err))
		err_die("%s", err);
	free(folder);
}

void suite_free(struct suite *s)
{
	for (size_t i = 0; i < s->tests; i++)
		free_test(&s->test[i]);
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

int suite_in_profile(const struct suite_test *t, const char *profile)
{
	size_t len = strlen(profile);
	for (const char *w = t->profiles; *w;) {
		size_t n = strcspn(w, " ");
		if (n == len && !strncmp(w, profile, n))
			return 1;
		w += n + (w[n] == ' ');
	}
	return 0;
}

/* Appends a,b,c to out, leaving out those whose name is in `but`. */
static void append_args(char *out, const char *args, const char *but)
{
	for (const char *a = args ? args : ""; *a;) {
		size_t n = strcspn(a, ","), name = strcspn(a, "=");
		char key[PLAN_ID_MAX + 1], dummy[4];
		snprintf(key, sizeof key, "%.*s", (int)name, a);
		if (!but || plan_arg(but, key, dummy, sizeof dummy) == -ENOENT) {
			if (*out)
				strcat(out, ",");
			strncat(out, a, n);
		}
		a += n + (a[n] == ',');
	}
}

/* malloc'd. */
static char *join_args(const char *args, const char *over)
{
	char *out = calloc(1, (args ? strlen(args) : 0) + (over ? strlen(over) : 0) + 2);
	if (!out)
		return NULL;
	append_args(out, args, over);
	append_args(out, over, NULL);
	return out;
}

char *suite_args(const struct suite_test *t, const char *profile)
{
	int i = in_list(suite_profiles, profile, strlen(profile));
	return i && suite_in_profile(t, profile) ? join_args(t->args[0], t->args[i]) : NULL;
}
