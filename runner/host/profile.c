/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * profile: see profile.h. `tests =` has the order; a section [test NAME] says what is not as in the descriptor. Whether descriptors, parameters
 * and metrics of these names exist is for choose.c to check: it has the suite, and what an overlay adds to it.
 */
#include "host/profile.h"

#include <dirent.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "common/err.h"
#include "common/kv.h"
#include "host/args.h"
#include "host/conf.h"
#include "host/lab.h"

#define ENDING ".profile"
#define SECTION "test "
#define ROUNDS_MAX 1000
#define BOOT_S_MAX 86400

static const char *const keys_profile[] = {"summary", "tests", "rounds", "variants", "boot_s", NULL};
static const struct conf_known known[] = {{"profile", 0, keys_profile}, {SECTION, 1, NULL}, {NULL, 0, NULL}};

static int add_tests(struct profile *p, const struct conf_entry *it, struct conf_error *e)
{
	char *words = conf_list(it->value), *save;
	int err = words ? 0 : conf_fail(e, it->line, "out of memory");
	for (char *w = words ? strtok_r(words, ",", &save) : NULL; !err && w; w = strtok_r(NULL, ",", &save)) {
		struct profile_test *t = &p->test[p->tests];
		if (!kv_is_id(w))
			err = conf_fail(e, it->line, "tests: '%.70s' is no name (letters, digits, . _ + -)", w);
		else if (profile_test(p, w))
			err = conf_fail(e, it->line, "tests: %s stands twice; [test OTHER] with like = %s makes a second one", w, w);
		else if (p->tests == PLAN_TESTS_MAX)
			err = conf_fail(e, it->line, "tests: more than %d", PLAN_TESTS_MAX);
		if (err)
			break;
		strcpy(t->name, w);
		strcpy(t->like, w);
		p->tests++;
	}
	free(words);
	return err;
}

static int read_profile_key(struct profile *p, const struct conf_entry *it, struct conf_error *e)
{
	uint64_t v = 0;
	if (!strcmp(it->key, "summary"))
		return conf_copy(it, p->summary, sizeof p->summary, e);
	if (!strcmp(it->key, "tests"))
		return add_tests(p, it, e);
	if (!strcmp(it->key, "rounds"))
		return conf_u64(it, 1, ROUNDS_MAX, &p->rounds, e);
	if (!strcmp(it->key, "variants")) {
		p->variants = conf_list(it->value);
		return p->variants ? 0 : conf_fail(e, it->line, "out of memory");
	}
	int err = conf_u64(it, 1, BOOT_S_MAX, &v, e);
	p->boot_s = (unsigned)v;
	return err;
}

static int read_id(const struct conf_entry *it, char out[PLAN_ID_MAX + 1], struct conf_error *e)
{
	int err = conf_copy(it, out, PLAN_ID_MAX + 1, e);
	return err ? err : kv_is_id(out) ? 0 : conf_fail(e, it->line, "%s: '%s' is no name (letters, digits, . _ + -)", it->key, out);
}

static int check_needs(const char *list, const struct conf_entry *it, struct conf_error *e)
{
	for (const char *p = list; *p; p += strspn(p, ",")) {
		size_t n = strcspn(p, ",");
		char word[32];
		snprintf(word, sizeof word, "%.*s", (int)(n < 31 ? n : 31), p);
		if (!kv_list_has("scratch,nfs,net,early", word))
			return conf_fail(e, it->line, "needs: '%s' is none of scratch, nfs, net, early", word);
		p += n;
	}
	return 0;
}

/* What is none of the keys of a test is a parameter of it. */
static int read_test_key(struct profile *p, const struct conf_entry *it, struct conf_error *e)
{
	struct profile_test *t = (struct profile_test *)profile_test(p, it->section + strlen(SECTION));
	uint64_t v = 0;
	int err;
	if (!t)
		return conf_fail(e, it->line, "[%s] is not in tests of [profile]", it->section);
	if (!strcmp(it->key, "like"))
		return read_id(it, t->like, e);
	if (!strcmp(it->key, "primary"))
		return read_id(it, t->primary, e);
	if (!strcmp(it->key, "needs")) {
		free(t->needs);
		t->needs = conf_list(it->value);
		return t->needs ? check_needs(t->needs, it, e) : conf_fail(e, it->line, "out of memory");
	}
	if (!strcmp(it->key, "mem_kb"))
		return conf_u64(it, 1, 1u << 30, &t->mem_kb, e);
	if (!strcmp(it->key, "deadline_s") || !strcmp(it->key, "quiet_s")) {
		err = conf_u64(it, 1, 86400, &v, e);
		*(!strcmp(it->key, "deadline_s") ? &t->deadline_ms : &t->quiet_ms) = v * 1000;
		return err;
	}
	if (strchr(it->value, ','))
		return conf_fail(e, it->line, "%s: a value may hold no comma", it->key);
	return args_set(&t->args, it->key, it->value) ? conf_fail(e, it->line, "out of memory") : 0;
}

static int read_entries(struct profile *p, const struct conf *c, struct conf_error *e)
{
	int err = conf_check(c, known, e);
	for (size_t i = 0; !err && i < c->n; i++)
		if (!strcmp(c->entry[i].section, "profile"))
			err = read_profile_key(p, &c->entry[i], e);
	if (!err && !p->tests)
		err = conf_fail(e, 0, "[profile] lacks tests");
	for (size_t i = 0; !err && i < c->n; i++)
		if (strcmp(c->entry[i].section, "profile") != 0)
			err = read_test_key(p, &c->entry[i], e);
	return err;
}

/* The file's name without folder and ending. */
static int take_name(struct profile *p, const char *path, char *err, size_t size)
{
	const char *slash = strrchr(path, '/'), *base = slash ? slash + 1 : path;
	size_t n = strlen(base), end = strlen(ENDING);
	if (n > end && !strcmp(base + n - end, ENDING))
		n -= end;
	if (n < sizeof p->name)
		memcpy(p->name, base, n);
	if (n < sizeof p->name && kv_is_id(p->name))
		return 0;
	snprintf(err, size, "%s: the file's name, less %s, is the profile's: letters, digits, . _ + -", path, ENDING);
	return -EINVAL;
}

int profile_read(struct profile *p, const char *path, char *err, size_t size)
{
	struct conf_error e = {0};
	struct conf c;
	*p = (struct profile){.test = calloc(PLAN_TESTS_MAX, sizeof *p->test)};
	if (!p->test) {
		snprintf(err, size, "out of memory");
		return -ENOMEM;
	}
	int code = take_name(p, path, err, size);
	if (!code) {
		code = conf_read(&c, path, &e);
		if (!code) {
			code = read_entries(p, &c, &e);
			conf_free(&c);
		}
		if (code && e.line)
			snprintf(err, size, "%s:%u: %s", path, e.line, e.text);
		else if (code)
			snprintf(err, size, "%s: %s", path, e.text);
	}
	if (code)
		profile_free(p);
	return code;
}

static int is_profile(const struct dirent *d)
{
	size_t n = strlen(d->d_name), end = strlen(ENDING);
	return n > end && d->d_name[0] != '.' && !strcmp(d->d_name + n - end, ENDING);
}

char **profile_names(size_t *n)
{
	struct dirent **entry;
	char *folder = lab_share("suite");
	int found = scandir(folder, &entry, is_profile, alphasort);
	if (found < 0)
		err_die("%s:", folder);
	char **names = calloc((size_t)found + 1, sizeof *names);
	if (!names)
		err_die("out of memory");
	for (int i = 0; i < found; i++) {
		names[i] = strndup(entry[i]->d_name, strlen(entry[i]->d_name) - strlen(ENDING));
		if (!names[i])
			err_die("out of memory");
		free(entry[i]);
	}
	free(entry);
	free(folder);
	*n = (size_t)found;
	return names;
}

void profile_names_free(char **names)
{
	for (size_t i = 0; names[i]; i++)
		free(names[i]);
	free(names);
}

static void die_unknown(const char *name)
{
	size_t n, len = 0;
	char list[512] = "", **names = profile_names(&n);
	const char *near = err_nearest(name, (const char *const *)names);
	for (size_t i = 0; i < n && len < sizeof list; i++)
		len += (size_t)snprintf(list + len, sizeof list - len, "%s%s", i ? ", " : "", names[i]);
	if (near)
		err_usage("no profile '%.70s'; did you mean '%s'?", name, near);
	err_usage("no profile '%.70s'; there are: %s", name, list);
}

void profile_load(struct profile *p, const char *name)
{
	char err[512], *path = NULL, *folder;
	size_t n = strlen(name), end = strlen(ENDING);
	if (strchr(name, '/') || (n > end && !strcmp(name + n - end, ENDING))) {
		if (profile_read(p, name, err, sizeof err))
			err_die("%s", err);
		return;
	}
	folder = lab_share("suite");
	if (asprintf(&path, "%s/%s" ENDING, folder, name) < 0)
		err_die("out of memory");
	int code = profile_read(p, path, err, sizeof err);
	if (code == -ENOENT)
		die_unknown(name);
	if (code)
		err_die("%s", err);
	free(path);
	free(folder);
}

void profile_free(struct profile *p)
{
	for (size_t i = 0; p->test && i < p->tests; i++) {
		free(p->test[i].args);
		free(p->test[i].needs);
	}
	free(p->test);
	free(p->variants);
	*p = (struct profile){0};
}

const struct profile_test *profile_test(const struct profile *p, const char *name)
{
	for (size_t i = 0; i < p->tests; i++)
		if (!strcmp(p->test[i].name, name))
			return &p->test[i];
	return NULL;
}
