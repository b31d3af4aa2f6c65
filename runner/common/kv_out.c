/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * kv_out: writing of `word key=value ... *crc` into a caller's buffer.
 *
 * A pair is in the buffer whole or not at all. The first error sticks, and nothing is appended after it: a line that lost a
 * pair must never get a good CRC.
 */
#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "common/crc32c.h"
#include "common/kv.h"

void kv_out_init(struct kv_out *o, char *buf, size_t size)
{
	o->buf = buf;
	o->size = size;
	o->len = 0;
	o->err = size ? 0 : -EMSGSIZE;
	if (size)
		buf[0] = 0;
}

/* Appends bytes that need no escaping. */
static void put(struct kv_out *o, const char *s, size_t len)
{
	if (o->err)
		return;
	if (len >= o->size - o->len) {
		o->err = -EMSGSIZE;
		return;
	}
	memcpy(o->buf + o->len, s, len);
	o->len += len;
	o->buf[o->len] = 0;
}

static void put_space(struct kv_out *o)
{
	if (o->len)
		put(o, " ", 1);
}

/* Takes back what a failed pair has left behind. */
static void rewind_to(struct kv_out *o, size_t len)
{
	if (o->err && o->size && o->len > len) {
		o->len = len;
		o->buf[len] = 0;
	}
}

void kv_out_word(struct kv_out *o, const char *word)
{
	size_t start = o->len;

	if (!*word && !o->err)
		o->err = -EINVAL;
	for (const char *p = word; *p && !o->err; p++)
		if (*p <= ' ' || *p > '~')
			o->err = -EINVAL;
	put_space(o);
	put(o, word, strlen(word));
	rewind_to(o, start);
}

static void put_key(struct kv_out *o, const char *key)
{
	size_t len = strlen(key);

	if (!o->err && (!len || strspn(key, "abcdefghijklmnopqrstuvwxyz0123456789_.-") != len))
		o->err = -EINVAL;
	put_space(o);
	put(o, key, len);
	put(o, "=", 1);
}

void kv_out_bytes(struct kv_out *o, const char *key, const void *val, size_t len)
{
	size_t start = o->len;
	long n;

	put_key(o, key);
	if (!o->err) {
		n = kv_escape(o->buf + o->len, o->size - o->len, val, len);
		if (n < 0)
			o->err = (int)n;
		else
			o->len += (size_t)n;
	}
	if (o->err && start < o->size)
		o->buf[o->len] = 0;
	rewind_to(o, start);
}

void kv_out_str(struct kv_out *o, const char *key, const char *val) { kv_out_bytes(o, key, val, strlen(val)); }

void kv_out_u64(struct kv_out *o, const char *key, uint64_t v)
{
	char num[24];

	snprintf(num, sizeof(num), "%" PRIu64, v);
	kv_out_str(o, key, num);
}

void kv_out_hex32(struct kv_out *o, const char *key, uint32_t v)
{
	char num[12];

	snprintf(num, sizeof(num), "%08" PRIx32, v);
	kv_out_str(o, key, num);
}

void kv_out_raw(struct kv_out *o, const char *pairs)
{
	size_t start = o->len;

	if (!*pairs)
		return;
	put_space(o);
	put(o, pairs, strlen(pairs));
	rewind_to(o, start);
}

void kv_out_crc(struct kv_out *o, size_t from)
{
	char tail[16];

	if (!o->err && from >= o->len)
		o->err = -EINVAL;
	if (o->err)
		return;
	snprintf(tail, sizeof(tail), " *%08" PRIx32, crc32c(0, o->buf + from, o->len - from));
	put(o, tail, strlen(tail));
}
