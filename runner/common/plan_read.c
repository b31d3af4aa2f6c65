/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * plan_read: see plan_read.h. A line that is torn or damaged (CRC missing or wrong) is skipped and counted: the station may be
 * appending while a box reads. A line with a right CRC that makes no sense was written so, and is an error.
 */
#include <errno.h>
#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "common/plan_read.h"

int plan_fail(struct plan_reader *r, const char *fmt, ...)
{
	va_list ap;

	if (r->err)
		return r->err;
	r->err = -EINVAL;
	r->e->line = r->line;
	va_start(ap, fmt);
	vsnprintf(r->e->text, sizeof(r->e->text), fmt, ap);
	va_end(ap);
	return r->err;
}

static void cut_line(struct plan_reader *r)
{
	const char *nl = memchr(r->text, '\n', r->len);
	size_t whole = nl ? (size_t)(nl - r->text) + 1 : r->len;

	r->raw = r->text;
	r->raw_len = nl ? whole - 1 : whole;
	if (r->raw_len && r->raw[r->raw_len - 1] == '\r')
		r->raw_len--;
	r->text += whole;
	r->len -= whole;
	r->line++;
}

static int is_comment(const char *s, size_t len) { return !len || (len >= 2 && !memcmp(s, "# ", 2) && !(len >= 5 && !memcmp(s + 2, "kd1", 3))); }

int plan_next_line(struct plan_reader *r, const char *text_words)
{
	while (!r->err && r->len) {
		long body;
		int err;

		cut_line(r);
		if (is_comment(r->raw, r->raw_len))
			continue;
		body = kv_crc_body(r->raw, r->raw_len);
		if (body < 0) {
			r->bad_lines++;
			continue;
		}
		err = kv_parse(&r->kv, r->raw, (size_t)body);
		if (err == -EMSGSIZE)
			return plan_fail(r, "the line is too long or has too many pairs");
		if (err)
			return plan_fail(r, "not a line of `word key=value ...`");
		if (!*r->kv.word)
			return plan_fail(r, "a line without a word, want %s", text_words);
		return 1;
	}
	return r->err;
}

const char *plan_take(struct plan_reader *r, const char *key)
{
	const char *s = kv_get(&r->kv, key);

	if (s)
		return s;
	plan_fail(r, "%s: no %s=", r->kv.word, key);
	return "";
}

uint64_t plan_take_u64(struct plan_reader *r, const char *key, uint64_t min, uint64_t max)
{
	uint64_t v = 0;
	int err = kv_u64(&r->kv, key, &v);

	if (err == -ENOENT)
		plan_take(r, key);
	else if (err || v < min || v > max)
		plan_fail(r, "%s: %s= wants a number from %" PRIu64 " to %" PRIu64, r->kv.word, key, min, max);
	return v;
}

void plan_take_id(struct plan_reader *r, const char *key, char *out, size_t size)
{
	const char *s = plan_take(r, key);

	if (!kv_is_id(s) || strlen(s) >= size)
		plan_fail(r, "%s: %s= wants an id of letters, digits and ._+-, at most %d", r->kv.word, key, PLAN_ID_MAX);
	else
		memcpy(out, s, strlen(s) + 1);
}

char *plan_take_text(struct plan_reader *r, const char *key, size_t max)
{
	const char *s = plan_take(r, key);
	char *copy;

	if (r->err)
		return NULL;
	if (strlen(s) > max) {
		plan_fail(r, "%s: %s= is longer than %zu bytes", r->kv.word, key, max);
		return NULL;
	}
	for (const unsigned char *p = (const unsigned char *)s; *p; p++) {
		if (*p < ' ' || *p == 0x7f) {
			plan_fail(r, "%s: %s= holds a control byte", r->kv.word, key);
			return NULL;
		}
	}
	copy = strdup(s);
	if (!copy) {
		plan_fail(r, "no memory");
		r->err = -ENOMEM;
	}
	return copy;
}

size_t plan_count_lines(const char *text, size_t len, const char *word)
{
	size_t n = 0, wlen = strlen(word);

	while (len) {
		const char *nl = memchr(text, '\n', len);
		size_t whole = nl ? (size_t)(nl - text) + 1 : len;

		if (whole > wlen && !memcmp(text, word, wlen) && text[wlen] == ' ')
			n++;
		text += whole;
		len -= whole;
	}
	return n;
}

void *plan_table(struct plan_reader *r, size_t n, size_t max, size_t size, const char *what)
{
	void *p;

	if (r->err)
		return NULL;
	if (n > max) {
		plan_fail(r, "%zu lines of %s, at most %zu", n, what, max);
		r->err = -E2BIG;
		return NULL;
	}
	p = calloc(n ? n : 1, size);
	if (!p) {
		plan_fail(r, "no memory for %zu lines of %s", n, what);
		r->err = -ENOMEM;
	}
	return p;
}
