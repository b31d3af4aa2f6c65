/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * descriptor: see descriptor.h. It is read whole, checked whole, and refused whole. Trap: args end up in one comma list, so a value may hold no
 * comma.
 */
#include "host/descriptor.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "common/err.h"
#include "common/kv.h"
#include "host/args.h"
#include "host/conf.h"
#include "host/json_path.h"

#define NOT_SAID (-1)

static const char *const needs_known[] = {"scratch", "nfs", "net", "early", NULL};
static const char *const keys_test[] = {"name", "program", "like", "summary", "reads", "needs", "deadline_s", "quiet_s", "mem_kb", NULL};
static const char *const keys_metric[] = {"unit", "better", "primary", "about", "path", NULL};
static const struct conf_known known[] = {{"test", 0, keys_test}, {"args", 0, NULL}, {"metric ", 1, keys_metric}, {NULL, 0, NULL}};

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

static int read_needs(struct suite_test *t, const struct conf_entry *it, struct conf_error *e)
{
	char *words = conf_list(it->value);
	t->needs_said = 1;
	if (!words)
		return conf_fail(e, it->line, "out of memory");
	int err = check_words(it, words, needs_known, e);
	if (!err && strlen(words) >= sizeof t->needs)
		err = conf_fail(e, it->line, "needs is too long: at most %zu bytes", sizeof t->needs - 1);
	if (!err)
		strcpy(t->needs, words);
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
	if (!strcmp(it->key, "reads"))
		return read_id(it, t->reads, e);
	if (!strcmp(it->key, "summary"))
		return conf_copy(it, t->summary, sizeof t->summary, e);
	if (!strcmp(it->key, "needs"))
		return read_needs(t, it, e);
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
	if (!strcmp(it->key, "path"))
		return json_path_is(it->value)
		               ? conf_copy(it, m->path, sizeof m->path, e)
		               : conf_fail(e, it->line, "path = %.60s: steps joined by dots were expected (docs/formats.md)", it->value);
	if (!strcmp(it->key, "primary"))
		return conf_bool(it, &m->primary, e);
	m->better = (enum suite_better)in_list(better, it->value, strlen(it->value));
	return m->better ? 0 : conf_fail(e, it->line, "better = %s: higher, lower or neither was expected", it->value);
}

static int add_arg(char **list, const struct conf_entry *it, struct conf_error *e)
{
	if (strchr(it->value, ','))
		return conf_fail(e, it->line, "%s: a value may hold no comma", it->key);
	return args_set(list, it->key, it->value) ? conf_fail(e, it->line, "out of memory") : 0;
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
		return add_arg(&t->args, it, e);
	const char *name = it->section + strlen("metric ");
	if (!kv_is_id(name) || !strcmp(name, "none"))
		return conf_fail(e, it->line, "[%s]: '%s' is no name of a metric", it->section, name);
	struct suite_metric *m = metric_of(t, name);
	return m ? read_metric_key(m, it, e) : conf_fail(e, it->line, "more than %d metrics", SUITE_METRICS_MAX);
}

int descriptor_check(struct suite_test *t, struct conf_error *e)
{
	unsigned primaries = 0;
	if (!*t->program)
		memcpy(t->program, t->name, sizeof t->program);
	if (!t->args && !(t->args = strdup("")))
		return conf_fail(e, 0, "out of memory");
	if (!t->deadline_ms || !t->quiet_ms)
		return conf_fail(e, 0, "deadline_s or quiet_s is missing in [test]");
	for (size_t i = 0; i < t->metrics; i++) {
		t->metric[i].primary = t->metric[i].primary == 1;
		primaries += t->metric[i].primary != 0;
		if (*t->metric[i].path && !*t->reads)
			return conf_fail(e, 0, "[metric %s] has a path, but [test] does not say which text it reads", t->metric[i].name);
		if (!*t->metric[i].unit || !t->metric[i].better)
			return conf_fail(e, 0, "[metric %s] lacks unit or better", t->metric[i].name);
	}
	return primaries > 1 ? conf_fail(e, 0, "%u metrics are primary; at most one may be", primaries) : 0;
}

void descriptor_free(struct suite_test *t)
{
	free(t->args);
	free(t->metric);
	*t = (struct suite_test){.name = ""};
}

/* c is read, or err says why not; frees it. */
static int take(struct suite_test *t, struct conf *c, int err, const char *stem, struct conf_error *e)
{
	*t = (struct suite_test){.metric = calloc(SUITE_METRICS_MAX, sizeof *t->metric)};
	if (!t->metric && !err)
		err = conf_fail(e, 0, "out of memory");
	if (!err)
		err = conf_check(c, known, e);
	for (size_t i = 0; !err && i < c->n; i++)
		err = read_entry(t, &c->entry[i], e);
	if (!err && strcmp(t->name, stem))
		err = conf_fail(e, 0, "name = %s, but the file is %s.test", t->name, stem);
	conf_free(c);
	if (err)
		descriptor_free(t);
	return err;
}

int descriptor_read(struct suite_test *t, const char *path, const char *stem, struct conf_error *e)
{
	struct conf c = {0};
	int err = conf_read(&c, path, e);
	return take(t, &c, err, stem, e);
}

int descriptor_parse(struct suite_test *t, const char *text, size_t len, const char *stem, struct conf_error *e)
{
	struct conf c = {0};
	int err = conf_parse(&c, text, len, e);
	if (err)
		c = (struct conf){0};
	return take(t, &c, err, stem, e);
}

/* What the own metric does not say is as in the other. */
static void fill_metric(struct suite_metric *own, const struct suite_metric *other, int other_is_primary)
{
	if (!*own->unit)
		memcpy(own->unit, other->unit, sizeof own->unit);
	if (!own->better)
		own->better = other->better;
	if (!*own->path)
		memcpy(own->path, other->path, sizeof own->path);
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

int descriptor_inherit(struct suite_test *t, const struct suite_test *other, struct conf_error *e)
{
	if (!*t->program)
		memcpy(t->program, *other->program ? other->program : other->name, sizeof t->program);
	if (!*t->summary)
		memcpy(t->summary, other->summary, sizeof t->summary);
	if (!*t->reads)
		memcpy(t->reads, other->reads, sizeof t->reads);
	if (!t->needs_said)
		memcpy(t->needs, other->needs, sizeof t->needs);
	t->deadline_ms = t->deadline_ms ? t->deadline_ms : other->deadline_ms;
	t->quiet_ms = t->quiet_ms ? t->quiet_ms : other->quiet_ms;
	t->mem_kb = t->mem_kb ? t->mem_kb : other->mem_kb;
	char *args = args_join(other->args, t->args);
	if (!args)
		return conf_fail(e, 0, "out of memory");
	free(t->args);
	t->args = args;
	return inherit_metrics(t, other, e);
}
