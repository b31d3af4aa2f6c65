/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * initcall: a line at a time; the slowest are kept in order by insertion.
 */
#include <ctype.h>
#include <errno.h>
#include <string.h>

#include "initcall.h"

struct text {
	const char *at, *end;
};

static int skip(struct text *t, const char *word)
{
	size_t n = strlen(word);

	if ((size_t)(t->end - t->at) < n || memcmp(t->at, word, n))
		return -EINVAL;
	t->at += n;
	return 0;
}

static int number(struct text *t, uint64_t *v)
{
	const char *start = t->at;

	*v = 0;
	while (t->at < t->end && isdigit((unsigned char)*t->at) && *v < UINT64_MAX / 20)
		*v = *v * 10 + (uint64_t)(*t->at++ - '0');
	return t->at == start ? -EINVAL : 0;
}

static int find_after(struct text *t, const char *word)
{
	const char *p = memmem(t->at, (size_t)(t->end - t->at), word, strlen(word));

	if (!p)
		return -EINVAL;
	t->at = p + strlen(word);
	return 0;
}

int initcall_parse(const char *line, size_t len, struct initcall *out)
{
	struct text t = {line, line + len};
	uint64_t returned;
	size_t n = 0;
	int minus;

	if (find_after(&t, "initcall "))
		return -EINVAL;
	while (t.at < t.end && *t.at != '+' && *t.at != ' ' && n + 1 < sizeof(out->name))
		out->name[n++] = *t.at++;
	out->name[n] = 0;
	if (!n || find_after(&t, " returned "))
		return -EINVAL;
	minus = !skip(&t, "-");
	if (number(&t, &returned) || skip(&t, " after ") || number(&t, &out->us) || returned > 100000)
		return -EINVAL;
	out->returned = minus ? -(long)returned : (long)returned;
	if (!skip(&t, " usecs"))
		return 0;
	out->us *= 1000;
	return skip(&t, " msecs");
}

static void keep(struct initcalls *all, const struct initcall *one)
{
	unsigned at = all->n;

	while (at && all->top[at - 1].us < one->us)
		at--;
	if (at >= all->max)
		return;
	all->n += all->n < all->max;
	memmove(&all->top[at + 1], &all->top[at], (all->n - at - 1) * sizeof(*one));
	all->top[at] = *one;
}

void initcalls_read(struct initcalls *all, const char *log, size_t len, unsigned max)
{
	const char *end = log + len;
	struct initcall one;

	memset(all, 0, sizeof(*all));
	all->max = max < INITCALL_TOP_MAX ? max : INITCALL_TOP_MAX;
	while (log < end) {
		const char *nl = memchr(log, '\n', (size_t)(end - log));
		size_t n = (size_t)((nl ? nl : end) - log);

		all->whole |= memmem(log, n, "Linux version ", 14) != NULL;
		if (!initcall_parse(log, n, &one)) {
			all->count++;
			all->failed += one.returned != 0;
			all->sum_us += one.us;
			keep(all, &one);
		}
		log += n + 1;
	}
}
