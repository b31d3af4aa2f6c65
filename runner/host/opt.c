/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * opt: options and help of a subcommand, both from its rows (cmd.h). Trap: an option that may be given once is refused the
 * second time; silently taking the last has hidden typing errors elsewhere.
 */
#include <errno.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "common/err.h"
#include "host/cmd.h"

#define OPTS_MAX 64

static void print_rows(const struct opt *o)
{
	for (; o && o->name; o++) {
		char left[64];
		snprintf(left, sizeof left, "--%s%s%s", o->name, o->type == OPT_FLAG ? "" : " ", o->type == OPT_FLAG ? "" : o->arg);
		printf("  %-22s %s\n", left, o->help);
	}
}

static void print_help(const struct cmd *c)
{
	printf("usage: kdyno %s%s%s\n\n%s\n", c->name, c->args && *c->args ? " " : "", c->args ? c->args : "", c->summary);
	if (c->help)
		printf("\n%s\n", c->help);
	printf("\noptions:\n");
	print_rows(c->opts);
	printf("  %-22s %s\n  %-22s %s\n", "--lab DIR", "where all data lies (KDYNO_LAB, else ./lab)", "--help", "this text");
}

static void unknown(const struct cmd *c, const char *arg)
{
	const char *names[OPTS_MAX + 3];
	size_t n = 0;
	for (const struct opt *o = c->opts; o && o->name && n < OPTS_MAX; o++)
		names[n++] = o->name;
	names[n++] = "lab";
	names[n++] = "help";
	names[n] = NULL;
	char word[64];
	size_t len = strcspn(arg, "=");
	snprintf(word, sizeof word, "%.*s", (int)(len < 60 ? len : 60), arg);
	const char *near = err_nearest(word, names);
	err_usage("%s: unknown option --%s%s%s%s (see kdyno %s --help)", c->name, word, near ? "; did you mean --" : "", near ? near : "",
	          near ? "?" : "", c->name);
}

static void add_to_list(char **list, const char *value)
{
	size_t a = *list ? strlen(*list) : 0, b = strlen(value);
	char *s = realloc(*list, a + b + 2);
	if (!s)
		err_die("out of memory");
	if (a)
		s[a++] = ',';
	memcpy(s + a, value, b + 1);
	*list = s;
}

static void set(const struct cmd *c, const struct opt *o, const char *value)
{
	char *end;
	switch (o->type) {
	case OPT_FLAG:
		*(int *)o->value = 1;
		break;
	case OPT_STR:
		*(const char **)o->value = value;
		break;
	case OPT_U64:
		errno = 0;
		*(uint64_t *)o->value = strtoull(value, &end, 10);
		if (*value < '0' || *value > '9' || *end || errno)
			err_usage("%s: --%s %s: a number was expected", c->name, o->name, value);
		break;
	case OPT_LIST:
		add_to_list(o->value, value);
		break;
	}
}

static void set_lab(const char *dir)
{
	if (!*dir)
		err_usage("--lab wants a directory");
	if (setenv("KDYNO_LAB", dir, 1))
		err_die("out of memory");
}

/* The name of an option: 1 if arg is `name` or `name=...`. */
static int is_option(const char *arg, const char *name)
{
	size_t n = strlen(name);
	return !strncmp(arg, name, n) && (arg[n] == '\0' || arg[n] == '=');
}

/* The value of the option at argv[*i], from behind `=` or from the next word. */
static const char *value_of(const struct cmd *c, int argc, char **argv, int *i)
{
	const char *eq = strchr(argv[*i], '=');
	if (eq)
		return eq + 1;
	if (*i + 1 >= argc)
		err_usage("%s: %s wants a value", c->name, argv[*i]);
	return argv[++*i];
}

static void option(const struct cmd *c, int argc, char **argv, int *i, unsigned char seen[OPTS_MAX])
{
	const char *arg = argv[*i] + 2;
	const struct opt *o = c->opts;
	if (!strcmp(arg, "help")) {
		print_help(c);
		exit(fflush(stdout) ? EXIT_FAIL : EXIT_OK);
	}
	if (is_option(arg, "lab")) {
		set_lab(value_of(c, argc, argv, i));
		return;
	}
	while (o && o->name && !is_option(arg, o->name))
		o++;
	if (!o || !o->name) {
		unknown(c, arg);
		return;
	}
	size_t k = (size_t)(o - c->opts);
	if (k < OPTS_MAX && seen[k]++ && o->type != OPT_LIST)
		err_usage("%s: --%s stands twice", c->name, o->name);
	if (o->type == OPT_FLAG && strchr(arg, '='))
		err_usage("%s: --%s takes no value", c->name, o->name);
	set(c, o, o->type == OPT_FLAG ? NULL : value_of(c, argc, argv, i));
}

int opt_parse(const struct cmd *c, int argc, char **argv)
{
	unsigned char seen[OPTS_MAX] = {0};
	int words = 0, only_words = 0;
	for (int i = 0; i < argc; i++) {
		if (only_words || (c->rest && words >= c->rest) || argv[i][0] != '-' || !argv[i][1])
			argv[words++] = argv[i];
		else if (!strcmp(argv[i], "--"))
			only_words = 1;
		else if (!strcmp(argv[i], "-h"))
			print_help(c), exit(EXIT_OK);
		else if (argv[i][1] != '-')
			err_usage("%s: unknown option %s (see kdyno %s --help)", c->name, argv[i], c->name);
		else
			option(c, argc, argv, &i, seen);
	}
	argv[words] = NULL;
	return words;
}

const char *cmd_lab(void)
{
	const char *lab = getenv("KDYNO_LAB");
	char cwd[PATH_MAX], path[2 * PATH_MAX];
	if (!lab || !*lab)
		lab = "lab";
	if (*lab == '/')
		return lab;
	if (!getcwd(cwd, sizeof cwd))
		err_die("cannot tell the working directory:");
	snprintf(path, sizeof path, "%s/%s", !strcmp(cwd, "/") ? "" : cwd, !strncmp(lab, "./", 2) ? lab + 2 : lab);
	set_lab(path); /* once and for all, for the processes that we start too */
	return getenv("KDYNO_LAB");
}
