/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * fact_line: pairs spread over lines.
 */
#include "fact_line.h"

static void begin(struct fact_line *l)
{
	fact_open(&l->f, "fact");
	kv_out_str(&l->f.o, l->what, l->name);
	l->pairs = 0;
}

void fact_line_open(struct fact_line *l, const char *what, const char *name)
{
	l->what = what;
	l->name = name;
	begin(l);
}

/* A pair that is escaped already. */
static void put(struct fact_line *l, const char *pair, size_t len)
{
	if (l->f.o.len + 1 + len > FACT_MAX && l->pairs) {
		fact_send(&l->f);
		begin(l);
	}
	kv_out_raw(&l->f.o, pair);
	l->pairs++;
}

void fact_line_str(struct fact_line *l, const char *key, const char *val)
{
	char pair[FACT_MAX + 1];
	struct kv_out o;

	kv_out_init(&o, pair, sizeof(pair));
	kv_out_str(&o, key, val);
	if (o.err)
		fact_note("a pair of %s=%s did not fit: %s", l->what, l->name, key);
	else
		put(l, pair, o.len);
}

void fact_line_u64(struct fact_line *l, const char *key, uint64_t v)
{
	char pair[FACT_MAX + 1];
	struct kv_out o;

	kv_out_init(&o, pair, sizeof(pair));
	kv_out_u64(&o, key, v);
	put(l, pair, o.len);
}

void fact_line_send(struct fact_line *l)
{
	if (l->pairs)
		fact_send(&l->f);
}
