/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * spec: see spec.h. A variant is `name` or `name:word+word`; words that hold a comma or a plus go into a [variant NAME] of
 * a sweep.conf.
 */
#include "host/spec.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "common/job_text.h"
#include "common/kv.h"
#include "host/args.h"

static const char *const keys_sweep[] = {"box",  "kernels", "variants", "rounds", "profile", "tests", "seed",
                                         "home", "tries",   "switch",   "ssh",    "overlay", NULL};
static const char *const keys_variant[] = {"cmdline", NULL};
static const struct conf_known known[] = {{"sweep", 0, keys_sweep}, {"args", 0, NULL}, {"variant ", 1, keys_variant}, {NULL, 0, NULL}};

static int say(char *err, size_t size, const char *what, const char *word)
{
	snprintf(err, size, "%.70s: %s", word, what);
	return -EINVAL;
}

static int add_variant(struct spec *s, const char *name, const char *words, char *err, size_t size)
{
	if (!kv_is_id(name))
		return say(err, size, "no name of a variant (letters, digits, . _ + -; at most 64)", name);
	for (size_t i = 0; i < s->n_variants; i++)
		if (!strcmp(s->variant[i].name, name))
			return say(err, size, "this variant stands twice", name);
	if (s->n_variants == PLAN_SUBJECTS_MAX)
		return say(err, size, "more than 64 variants", name);
	for (const char *p = words; *p; p++)
		if (*p < ' ' || *p > '~' || *p == '"' || *p == '\'')
			return say(err, size, "words of a variant are printable ASCII without quotes", name);
	for (const char *p = words; *p; p += strcspn(p, " "), p += strspn(p, " "))
		if (job_text_own_word(p))
			return say(err, size, "words that start with kd=, kd., initrd= or BOOT_IMAGE= are kdyno's own", name);
	struct spec_variant *v = &s->variant[s->n_variants];
	snprintf(v->name, sizeof v->name, "%s", name);
	v->words = strdup(words);
	s->n_variants += v->words != NULL;
	return v->words ? 0 : -ENOMEM;
}

/* The key's value, where the options have not said it already. */
static int take_text(const struct conf *c, const char *key, char **out, int as_list, struct conf_error *e)
{
	const struct conf_entry *it = conf_get(c, "sweep", key);
	if (!it || *out)
		return 0;
	*out = as_list ? conf_list(it->value) : strdup(it->value);
	return *out ? 0 : conf_fail(e, it->line, "out of memory");
}

static int take_number(const struct conf *c, const char *key, uint64_t max, uint64_t *out, struct conf_error *e)
{
	const struct conf_entry *it = conf_get(c, "sweep", key);
	return !it || *out ? 0 : conf_u64(it, 1, max, out, e);
}

/* [args] TEST.NAME = VALUE, before what the options say: the last word wins. */
static int add_args(struct spec *s, const struct conf *c, struct conf_error *e)
{
	char *all = NULL;
	int err = 0;
	for (size_t i = 0; !err && i < c->n; i++) {
		const struct conf_entry *it = &c->entry[i];
		if (strcmp(it->section, "args") != 0)
			continue;
		if (strchr(it->value, ','))
			err = conf_fail(e, it->line, "%s: a value may hold no comma", it->key);
		else if (args_set(&all, it->key, it->value))
			err = conf_fail(e, it->line, "out of memory");
	}
	char *joined = NULL;
	if (!err && all && asprintf(&joined, "%s%s%s", all, s->args ? "," : "", s->args ? s->args : "") < 0)
		err = conf_fail(e, 0, "out of memory");
	int some = all != NULL;
	free(all);
	if (err || !some)
		return err;
	free(s->args);
	s->args = joined;
	return 0;
}

int spec_read(struct spec *s, const struct conf *c, struct conf_error *e)
{
	char why[200];
	int err = conf_check(c, known, e);
	int given = s->variants != NULL;
	if (err || (err = add_args(s, c, e)) || (err = take_text(c, "box", &s->box, 0, e)) || (err = take_text(c, "kernels", &s->kernels, 1, e)) ||
	    (err = take_text(c, "variants", &s->variants, 1, e)) || (err = take_text(c, "tests", &s->tests, 1, e)) ||
	    (err = take_text(c, "profile", &s->profile, 0, e)) || (err = take_text(c, "home", &s->home, 0, e)) ||
	    (err = take_text(c, "switch", &s->sw, 0, e)) || (err = take_text(c, "overlay", &s->overlay, 1, e)) ||
	    (err = take_number(c, "rounds", PLAN_TRIES_MAX, &s->rounds, e)) || (err = take_number(c, "tries", 100, &s->tries, e)))
		return err;
	const struct conf_entry *ssh = conf_get(c, "sweep", "ssh"), *seed = conf_get(c, "sweep", "seed");
	if (ssh && !s->ssh && (err = conf_bool(ssh, &s->ssh, e)))
		return err;
	if (seed && !s->seed_given) {
		s->seed_given = 1;
		err = conf_u64(seed, 0, UINT64_MAX, &s->seed, e);
	}
	for (size_t i = 0; !err && !given && i < c->n; i++)
		if (!strncmp(c->entry[i].section, "variant ", 8) && add_variant(s, c->entry[i].section + 8, c->entry[i].value, why, sizeof why))
			err = conf_fail(e, c->entry[i].line, "%s", why);
	return err;
}

/* `name:word+word`. A name that begins with a digit is what `isolcpus=1,2` leaves behind its comma. */
static int take_variant(struct spec *s, char *text, char *err, size_t size)
{
	if (*text >= '0' && *text <= '9')
		return say(err, size, "a variant's name does not begin with a digit; words with commas go into a sweep.conf, [variant NAME]", text);
	char *colon = strchr(text, ':');
	if (colon)
		*colon = '\0';
	for (char *p = colon ? colon + 1 : NULL; p && *p; p++)
		*p = *p == '+' ? ' ' : *p;
	return add_variant(s, text, colon ? colon + 1 : "", err, size);
}

static int take_kernel(struct spec *s, char *text, char *err, size_t size)
{
	for (size_t i = 0; i < s->n_kernels; i++)
		if (!strcmp(s->kernel[i], text))
			return say(err, size, "this kernel stands twice; 'kdyno kernel add ID --as OTHER' gives it another name", text);
	if (s->n_kernels == PLAN_SUBJECTS_MAX)
		return say(err, size, "more than 64 kernels", text);
	s->kernel[s->n_kernels] = strdup(text);
	s->n_kernels += s->kernel[s->n_kernels] != NULL;
	return 0;
}

static int each_word(struct spec *s, const char *list, int (*take)(struct spec *, char *, char *, size_t), char *err, size_t size)
{
	char *copy = strdup(list), *save;
	int code = copy ? 0 : -ENOMEM;
	for (char *w = copy ? strtok_r(copy, ",", &save) : NULL; !code && w; w = strtok_r(NULL, ",", &save))
		code = take(s, w, err, size);
	free(copy);
	return code;
}

static int set_default(char **p, const char *value)
{
	if (!*p)
		*p = strdup(value);
	return *p ? 0 : -ENOMEM;
}

int spec_finish(struct spec *s, char *err, size_t size)
{
	snprintf(err, size, "out of memory");
	if (!s->box || !*s->box)
		return say(err, size, "which box? (kdyno box list)", "--box");
	if (!s->kernels || !*s->kernels)
		return say(err, size, "which kernels? (kdyno kernel list)", "--kernels");
	int code = each_word(s, s->kernels, take_kernel, err, size);
	if (!code && s->variants)
		code = each_word(s, s->variants, take_variant, err, size);
	if (!code && !s->n_variants)
		code = add_variant(s, "default", "", err, size);
	if (code || (code = set_default(&s->profile, "smoke")) || (code = set_default(&s->home, "home")))
		return code;
	enum plan_switch sw;
	if (s->sw && plan_switch_parse(s->sw, &sw))
		return say(err, size, "no such switch; it is chain, via-home or firmware", s->sw);
	s->rounds = s->rounds ? s->rounds : 6;
	s->tries = s->tries ? s->tries : 3;
	if (s->rounds > PLAN_TRIES_MAX || s->tries > 100)
		return say(err, size, "at most 4096 rounds and 100 tries", "--rounds, --tries");
	if (s->n_kernels * s->n_variants > PLAN_SUBJECTS_MAX)
		return say(err, size, "kernels x variants make more than 64 subjects", "--kernels");
	return 0;
}

void spec_free(struct spec *s)
{
	for (size_t i = 0; i < s->n_kernels; i++)
		free(s->kernel[i]);
	for (size_t i = 0; i < s->n_variants; i++)
		free(s->variant[i].words);
	free(s->box);
	free(s->profile);
	free(s->home);
	free(s->sw);
	free(s->kernels);
	free(s->variants);
	free(s->tests);
	free(s->args);
	free(s->overlay);
	*s = (struct spec){0};
}
