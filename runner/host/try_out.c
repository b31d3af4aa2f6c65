/* SPDX-License-Identifier: GPL-2.0-or-later */
/* try_out: what a try is turned into: joined texts, and records and gaps for the store. */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "host/try.h"

long try_text(const struct try *t, const char *name, char *out, size_t size)
{
	struct record r;
	size_t len = 0;
	unsigned want = 1, of = 0;

	for (long seq = try_find(t, "text", 0, &r); seq >= 0; seq = try_find(t, "text", (uint32_t)seq + 1, &r)) {
		const char *is = kv_get(&r.kv, "name"), *part = kv_get(&r.kv, "part"), *data = kv_get(&r.kv, "data");
		unsigned i, n;
		size_t add;

		if (!is || !part || !data || strcmp(is, name) || sscanf(part, "%5u/%5u", &i, &n) != 2)
			continue;
		if (i != want || (of && n != of))
			return -ENOENT;
		add = strlen(data);
		if (len + add >= size)
			return -EMSGSIZE;
		memcpy(out + len, data, add);
		len += add;
		out[len] = 0;
		of = n;
		if (want++ == n)
			return (long)len;
	}
	return -ENOENT;
}

static int add_gaps(const struct try *t, unsigned line, struct store_gap **out, size_t *gaps)
{
	struct store_gap *g = NULL;
	size_t n = 0;

	for (uint32_t i = 0; t->bye && i < t->count; i++) {
		struct store_gap *more;

		if (i < t->slots && t->slot[i].line)
			continue;
		if (n && g[n - 1].last + 1 == i) {
			g[n - 1].last = i;
			continue;
		}
		more = realloc(g, (n + 1) * sizeof(*g));
		if (!more) {
			free(g);
			return -ENOMEM;
		}
		g = more;
		g[n++] = (struct store_gap){.line = line, .tag = t->tag, .first = i, .last = i};
	}
	*out = g;
	*gaps = n;
	return 0;
}

int try_store(const struct try *t, unsigned line, struct store_record **out, size_t *n, struct store_gap **g, size_t *gaps)
{
	size_t max = t->bye ? (size_t)t->count + 1 : t->slots;
	struct store_record *rec = calloc(max ? max : 1, sizeof(*rec));
	struct record r;
	int err = rec ? 0 : -ENOMEM;

	*n = 0;
	for (uint32_t i = 0; !err && i < max; i++) {
		if (try_record(t, i, &r))
			continue;
		err = store_from_record(&rec[*n], &r, line, (enum store_channel)t->slot[i].ch);
		if (!err)
			++*n;
	}
	*out = rec;
	*g = NULL;
	*gaps = 0;
	if (!err)
		err = add_gaps(t, line, g, gaps);
	if (err) {
		try_store_free(rec, *n, *g);
		*out = NULL;
	}
	return err;
}

void try_store_free(struct store_record *r, size_t n, struct store_gap *g)
{
	for (size_t i = 0; r && i < n; i++)
		free(r[i].pair);
	free(r);
	free(g);
}
