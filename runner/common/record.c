/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * record: `# kd1 <tag> <seq> <ms> <kind> key=value ... *<crc>`, formatted on the box, parsed on the station.
 *
 * What is parsed came over a serial line from a machine that may be dying: nothing is looked at before the CRC holds, and
 * after that every field is still checked, since a box may be wrong with a right CRC.
 */
#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "common/record.h"

#define MARK "kd1 "
#define MARK_LEN 4

long record_find(const char *s, size_t len)
{
	for (size_t i = 0; i + MARK_LEN <= len; i++)
		if (s[i] == 'k' && !memcmp(s + i, MARK, MARK_LEN))
			return (long)i;
	return -1;
}

/* Cuts the next token, up to a single space, off the front of a string. NULL where there is none. */
static const char *next_token(const char **s, const char *end, size_t *len)
{
	const char *tok = *s;
	const char *space = memchr(tok, ' ', (size_t)(end - tok));

	if (!space || space == tok)
		return NULL;
	*len = (size_t)(space - tok);
	*s = space + 1;
	return tok;
}

/* Decimal, without a leading zero: a record's identity has one spelling. */
static int parse_count(const char *s, size_t len, uint64_t max, uint64_t *out)
{
	uint64_t v = 0;

	if (!len || len > 19 || (len > 1 && s[0] == '0'))
		return -EINVAL;
	for (size_t i = 0; i < len; i++) {
		if (s[i] < '0' || s[i] > '9')
			return -EINVAL;
		v = v * 10 + (unsigned)(s[i] - '0'); /* 19 digits fit into 64 bits */
	}
	if (v > max)
		return -EINVAL;
	*out = v;
	return 0;
}

int record_parse(struct record *r, const char *s, size_t len)
{
	const char *end, *tok;
	size_t n;
	uint64_t seq;
	long body;

	while (len && (s[len - 1] == '\n' || s[len - 1] == '\r'))
		len--;
	if (len > RECORD_MAX)
		return -EMSGSIZE;
	body = kv_crc_body(s, len);
	if (body < 0)
		return -EBADMSG;
	if (body < MARK_LEN || memcmp(s, MARK, MARK_LEN))
		return -EINVAL;
	end = s + body;
	r->len = len;
	s += MARK_LEN;
	tok = next_token(&s, end, &n);
	if (!tok || n != 8 || kv_hex32_text(tok, &r->tag))
		return -EINVAL;
	tok = next_token(&s, end, &n);
	if (!tok || parse_count(tok, n, UINT32_MAX, &seq))
		return -EINVAL;
	r->seq = (uint32_t)seq;
	tok = next_token(&s, end, &n);
	if (!tok || parse_count(tok, n, UINT64_MAX, &r->ms))
		return -EINVAL;
	if (kv_parse(&r->kv, s, (size_t)(end - s)) || !*r->kv.word)
		return -EINVAL;
	return 0;
}

void record_open(struct kv_out *o, uint32_t tag, uint32_t seq, uint64_t ms, const char *kind)
{
	char head[64];

	o->len = 0;
	if (o->size)
		o->buf[0] = 0;
	o->err = o->size ? 0 : -EMSGSIZE;
	snprintf(head, sizeof(head), "# kd1 %08" PRIx32 " %" PRIu32 " %" PRIu64, tag, seq, ms);
	kv_out_raw(o, head);
	if (!*kind || strspn(kind, "abcdefghijklmnopqrstuvwxyz0123456789_.-") != strlen(kind))
		o->err = o->err ? o->err : -EINVAL;
	kv_out_word(o, kind);
}

long record_close(struct kv_out *o)
{
	kv_out_crc(o, 2); /* from `kd1` */
	if (!o->err && o->len > RECORD_MAX)
		o->err = -EMSGSIZE;
	return o->err ? o->err : (long)o->len;
}

long record_ranges_format(char *out, size_t size, const uint32_t *seq, size_t n)
{
	size_t len = 0;

	if (!size)
		return -EMSGSIZE;
	out[0] = 0;
	for (size_t i = 0; i < n;) {
		size_t first = i;
		int k;

		if (i && seq[i] <= seq[i - 1])
			return -EINVAL;
		while (i + 1 < n && seq[i] != UINT32_MAX && seq[i + 1] == seq[i] + 1)
			i++;
		k = snprintf(out + len, size - len, i > first ? "%s%" PRIu32 "-%" PRIu32 : "%s%" PRIu32, len ? "," : "", seq[first], seq[i]);
		if (k < 0 || (size_t)k >= size - len) {
			out[len] = 0;
			return -EMSGSIZE;
		}
		len += (size_t)k;
		i++;
	}
	return (long)len;
}

/* One number, which must end at one of the bytes of `stop` or at the end. */
static int cut_number(const char **s, uint32_t *out)
{
	size_t n = strspn(*s, "0123456789");
	uint64_t v;

	if (parse_count(*s, n, UINT32_MAX, &v))
		return -EINVAL;
	*out = (uint32_t)v;
	*s += n;
	return 0;
}

long record_ranges_parse(const char *s, uint32_t *seq, size_t max)
{
	uint64_t next = 0; /* the smallest number that may follow */
	size_t n = 0;

	while (*s) {
		uint32_t a, b;

		if (cut_number(&s, &a))
			return -EINVAL;
		b = a;
		if (*s == '-') {
			s++;
			if (cut_number(&s, &b) || b < a)
				return -EINVAL;
		}
		if (a < next)
			return -EINVAL;
		next = (uint64_t)b + 1;
		if ((uint64_t)b - a >= max - n)
			return -EMSGSIZE;
		for (uint64_t v = a; seq && v <= b; v++)
			seq[n + (size_t)(v - a)] = (uint32_t)v;
		n += (size_t)(b - a) + 1;
		if (*s == ',' && s[1])
			s++;
		else if (*s)
			return -EINVAL;
	}
	return (long)n;
}
