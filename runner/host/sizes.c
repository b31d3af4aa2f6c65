/* SPDX-License-Identifier: GPL-2.0-or-later */
/* sizes: see sizes.h. */
#include "host/sizes.h"

#include <ctype.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define MIB ((uint64_t)1 << 20)
#define FACTOR_MAX 1024

static int wrong(char *err, size_t size, const char *text)
{
	snprintf(err, size, "'%.60s' is no size: 268435456, 256M, or [N*]mem[/M], [N*]disk[/M], with min SIZE and max SIZE behind it", text);
	return -EINVAL;
}

int sizes_is_size(const char *name)
{
	size_t n = strlen(name);

	return !strcmp(name, "bytes") || (n > 6 && !strcmp(name + n - 6, "_bytes"));
}

/* A number at *p, at most max; steps over it. 0 or -1. */
static int take_number(const char **p, uint64_t max, uint64_t *out)
{
	char *end;

	*p += strspn(*p, " ");
	if (!isdigit((unsigned char)**p))
		return -1;
	errno = 0;
	*out = strtoull(*p, &end, 10);
	*p = end;
	return errno || *out > max ? -1 : 0;
}

/* SIZE at *p; steps over it. */
static int take_size(const char **p, uint64_t *out)
{
	static const char units[] = "KMGT";
	const char *u;

	if (take_number(p, (uint64_t)1 << 62, out))
		return -1;
	u = **p ? strchr(units, **p) : NULL;
	if (u) {
		unsigned shift = 10 * (unsigned)(u - units + 1);

		if (*out > ((uint64_t)1 << 62) >> shift)
			return -1;
		*out <<= shift;
		*p += strncmp(*p + 1, "iB", 2) ? 1 : 3;
	}
	return 0;
}

/* Steps over blanks and, if it stands there, the word. */
static int take_word(const char **p, const char *word)
{
	size_t n = strlen(word);
	const char *s = *p + strspn(*p, " ");

	if (strncmp(s, word, n) != 0)
		return 0;
	*p = s + n;
	return 1;
}

struct expression {
	int of_disk;
	uint64_t times, by, least, most; /* most 0: no bound */
};

static int parse(const char *p, struct expression *x)
{
	*x = (struct expression){.times = 1, .by = 1};
	if (isdigit((unsigned char)*p) && (take_number(&p, FACTOR_MAX, &x->times) || !take_word(&p, "*")))
		return -1;
	x->of_disk = take_word(&p, "disk");
	if (!x->of_disk && !take_word(&p, "mem"))
		return -1;
	if (take_word(&p, "/") && (take_number(&p, FACTOR_MAX, &x->by) || !x->by))
		return -1;
	if (take_word(&p, "min ") && (take_size(&p, &x->least)))
		return -1;
	if (take_word(&p, "max ") && (take_size(&p, &x->most) || !x->most || x->most < x->least))
		return -1;
	return *p ? -1 : 0;
}

static int is_expression(const char *text) { return strstr(text, "mem") || strstr(text, "disk"); }

int sizes_value(const struct sizes *s, const char *text, char *out, size_t size, char *err, size_t err_size)
{
	struct expression x;
	const char *p = text;
	uint64_t v, of;

	if (!is_expression(text)) {
		if (take_size(&p, &v) || *p)
			return wrong(err, err_size, text);
	} else {
		if (parse(text, &x))
			return wrong(err, err_size, text);
		of = x.of_disk ? s->disk_bytes : s->mem_bytes;
		if (!of && s->later) {
			snprintf(out, size, "%s", text);
			return 0;
		}
		if (!of) {
			snprintf(err, err_size, "'%.60s': the board of box %s does not say its %s", text, s->box,
			         x.of_disk ? "scratch disk" : "memory");
			return -EINVAL;
		}
		v = (of >> 50 ? (uint64_t)1 << 50 : of) / x.by * x.times; /* nobody has a PiB of either */
		v = v / MIB * MIB;
		v = x.most && v > x.most ? x.most : v;
		v = v < x.least ? x.least : v;
		if (!v) {
			snprintf(err, err_size, "'%.60s' is less than 1 MiB on box %s: give a min", text, s->box);
			return -EINVAL;
		}
	}
	snprintf(out, size, "%llu", (unsigned long long)v);
	return 0;
}
