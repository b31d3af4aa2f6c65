/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * try: assembly of one try from what two channels bring, in any order and any number of times. Untrusted: a box may count to
 * 2^32 or send for hours, so seqs and bytes are bounded, and what is past the bounds is counted and dropped.
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "common/crc32c.h"
#include "host/try.h"

void try_init(struct try *t, uint32_t tag)
{
	memset(t, 0, sizeof(*t));
	t->tag = tag;
}

void try_free(struct try *t)
{
	for (size_t i = 0; i < t->slots; i++)
		free(t->slot[i].line);
	free(t->slot);
	free(t->parts);
	memset(t, 0, sizeof(*t));
}

static struct try_slot *slot_of(struct try *t, uint32_t seq)
{
	if (seq >= TRY_SEQ_MAX)
		return NULL;
	if (seq >= t->slots) {
		size_t n = t->slots ? t->slots : 256;
		struct try_slot *more;

		while (n <= seq)
			n *= 2;
		more = realloc(t->slot, n * sizeof(*more));
		if (!more)
			return NULL;
		memset(more + t->slots, 0, (n - t->slots) * sizeof(*more));
		t->slot = more;
		t->slots = n;
	}
	return &t->slot[seq];
}

static int put(struct try *t, uint32_t seq, const char *line, size_t len, enum store_channel ch)
{
	struct try_slot *s = slot_of(t, seq);

	if (!s || t->bytes + len > TRY_BYTES_MAX) {
		t->dropped++;
		return s ? -ENOSPC : seq < TRY_SEQ_MAX ? -ENOMEM : -ENOSPC;
	}
	if (!s->line) {
		s->line = malloc(len + 1);
		if (!s->line)
			return -ENOMEM;
		memcpy(s->line, line, len);
		s->line[len] = 0;
		t->bytes += len;
		t->news++;
		s->ch = (unsigned char)ch;
		return 0;
	}
	if (strlen(s->line) == len && !memcmp(s->line, line, len)) {
		if (s->ch != STORE_DIFFER)
			s->ch |= (unsigned char)ch;
		return 0;
	}
	if (!seq && (s->ch & (unsigned char)ch))
		t->second_hello = 1;
	if (s->ch != STORE_DIFFER)
		t->differ++;
	s->ch = STORE_DIFFER;
	return 0;
}

static int take_bye(struct try *t, const struct record *r)
{
	uint64_t count;
	uint32_t digest;

	if (kv_u64(&r->kv, "count", &count) || kv_hex32(&r->kv, "digest", &digest) || count != r->seq || count >= TRY_SEQ_MAX)
		return -EINVAL;
	if (t->bye && (t->count != count || t->digest != digest))
		t->differ++;
	t->bye = 1;
	t->count = (uint32_t)count;
	t->digest = digest;
	return 0;
}

static struct try_parts *parts_of(struct try *t, uint32_t of)
{
	struct try_parts *p = NULL;

	if (!t->parts)
		t->parts = calloc(TRY_PARTS_MAX, sizeof(*t->parts));
	if (!t->parts)
		return NULL;
	for (unsigned i = 0; i < TRY_PARTS_MAX; i++) {
		if (t->parts[i].n && t->parts[i].of == of)
			return &t->parts[i];
		if (!t->parts[i].n && !p)
			p = &t->parts[i];
	}
	if (!p) /* all are in use: one that may never be whole makes room */
		p = &t->parts[t->parts_next++ % TRY_PARTS_MAX];
	memset(p, 0, sizeof(*p));
	p->of = of;
	return p;
}

/* All pieces are there: what they make must be a record of this tag and seq. */
static int finish_parts(struct try *t, struct try_parts *p)
{
	char line[TRY_PIECES_MAX * TRY_PIECE_BYTES];
	struct record r;
	size_t len = 0;
	long at;

	for (unsigned i = 0; i < p->n; i++) {
		memcpy(line + len, p->data[i], p->len[i]);
		len += p->len[i];
	}
	at = record_find(line, len);
	if (at >= 0 && !record_parse(&r, line + at, len - (size_t)at) && r.tag == t->tag && r.seq == p->of) {
		p->n = 0;
		return strcmp(r.kv.word, "part") ? try_add(t, &r, line + at, STORE_SERIAL) : -EINVAL;
	}
	p->n = 0;
	t->dropped++;
	return -EINVAL;
}

static int take_part(struct try *t, const struct record *r)
{
	uint64_t of, i, n;
	const char *data = kv_get(&r->kv, "data");
	struct try_parts *p;
	size_t len = data ? strlen(data) : 0;

	if (kv_u64(&r->kv, "of", &of) || kv_u64(&r->kv, "i", &i) || kv_u64(&r->kv, "n", &n) || of >= TRY_SEQ_MAX || !n || n > TRY_PIECES_MAX || !i ||
	    i > n || !len || len > TRY_PIECE_BYTES) {
		t->dropped++;
		return -EINVAL;
	}
	if (of < t->slots && t->slot[of].line)
		return 0; /* it is there already */
	p = parts_of(t, (uint32_t)of);
	if (!p)
		return -ENOMEM;
	if (p->n != n)
		p->have = 0;
	p->n = (unsigned)n;
	memcpy(p->data[i - 1], data, len);
	p->len[i - 1] = (unsigned char)len;
	t->news += !(p->have & 1u << (i - 1));
	p->have |= 1u << (i - 1);
	return p->have == (1u << n) - 1 ? finish_parts(t, p) : 0;
}

int try_add(struct try *t, const struct record *r, const char *line, enum store_channel ch)
{
	const char *kind = r->kv.word;

	if (r->tag != t->tag)
		return -EINVAL;
	if (!strcmp(kind, "ask") || !strcmp(kind, "jump"))
		return 0;
	if (!strcmp(kind, "part"))
		return take_part(t, r);
	if (!strcmp(kind, "bye") && take_bye(t, r)) {
		t->dropped++;
		return -EINVAL;
	}
	if (!strcmp(kind, "ident"))
		t->ident = 1;
	return put(t, r->seq, line, r->len, ch);
}

void try_add_text(struct try *t, const char *text, size_t len, enum store_channel ch)
{
	const char *end = text + len;
	struct record r;

	while (text < end) {
		const char *nl = memchr(text, '\n', (size_t)(end - text));
		size_t n = (size_t)((nl ? nl : end) - text);
		long at = record_find(text, n);

		if (at >= 0 && !record_parse(&r, text + at, n - (size_t)at) && r.tag == t->tag)
			try_add(t, &r, text + at, ch);
		text += n + 1;
	}
}

size_t try_missing(const struct try *t, uint32_t *seq, size_t max, size_t *total)
{
	return try_missing_below(t, t->bye ? t->count : 0, seq, max, total);
}

size_t try_missing_below(const struct try *t, uint32_t end, uint32_t *seq, size_t max, size_t *total)
{
	size_t n = 0, all = 0;

	for (uint32_t i = 0; i < end && i < TRY_SEQ_MAX; i++) {
		if (i < t->slots && t->slot[i].line)
			continue;
		all++;
		if (n < max)
			seq[n++] = i;
	}
	if (total)
		*total = all;
	return n;
}

size_t try_count(const struct try *t, enum store_channel ch)
{
	size_t n = 0;

	for (uint32_t i = 0; i < t->slots && (!t->bye || i < t->count); i++)
		if (t->slot[i].line && (t->slot[i].ch & (unsigned)ch) && t->slot[i].ch != STORE_DIFFER)
			n++;
	return n;
}

enum try_state try_state(const struct try *t)
{
	uint32_t crc = 0;
	size_t missing;

	if (!t->bye)
		return TRY_OPEN;
	if (t->differ || t->second_hello)
		return TRY_DIFFER;
	try_missing(t, NULL, 0, &missing);
	if (missing)
		return TRY_GAPS;
	for (uint32_t i = 0; i < t->count; i++)
		crc = crc32c(crc, t->slot[i].line, strlen(t->slot[i].line));
	return crc == t->digest ? TRY_WHOLE : TRY_DIGEST;
}

int try_record(const struct try *t, uint32_t seq, struct record *r)
{
	if (seq >= t->slots || !t->slot[seq].line)
		return -ENOENT;
	return record_parse(r, t->slot[seq].line, strlen(t->slot[seq].line)) ? -ENOENT : 0;
}

long try_find(const struct try *t, const char *kind, uint32_t from, struct record *r)
{
	for (uint32_t i = from; i < t->slots; i++)
		if (!try_record(t, i, r) && !strcmp(r->kv.word, kind))
			return (long)i;
	return -1;
}
