/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * kv: reading of `word key=value ... *crc`; kv_out.c writes it.
 *
 * The line is untrusted: it may hold any bytes. It is copied once, cut at its single spaces, and each value is unescaped where it
 * lies, which can only make it shorter. There is exactly one way to cut a line: two spaces, a space at either end, or a byte
 * that ought to have been escaped are errors, not taste.
 */
#include <errno.h>
#include <string.h>

#include "common/crc32c.h"
#include "common/kv.h"

#define CRC_TAIL 10 /* ` *` and 8 digits */

static int is_name_byte(unsigned char c) { return (c >= 'a' && c <= 'z') || (c >= '0' && c <= '9') || c == '_' || c == '.' || c == '-'; }

static int is_plain_byte(unsigned char c)
{
	return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || (c && strchr("._:/+,@-", c));
}

static int hex_digit(char c)
{
	if (c >= '0' && c <= '9')
		return c - '0';
	if (c >= 'a' && c <= 'f')
		return c - 'a' + 10;
	if (c >= 'A' && c <= 'F')
		return c - 'A' + 10;
	return -1;
}

int kv_hex32_text(const char *s, uint32_t *out)
{
	uint32_t v = 0;

	for (int i = 0; i < 8; i++) {
		int d = s[i] >= 'A' && s[i] <= 'F' ? -1 : hex_digit(s[i]);

		if (d < 0)
			return -EINVAL;
		v = v << 4 | (uint32_t)d;
	}
	*out = v;
	return 0;
}

static size_t strip_line_end(const char *s, size_t len)
{
	while (len && (s[len - 1] == '\n' || s[len - 1] == '\r'))
		len--;
	return len;
}

long kv_crc_body(const char *s, size_t len)
{
	uint32_t want;

	len = strip_line_end(s, len);
	if (len <= CRC_TAIL || memcmp(s + len - CRC_TAIL, " *", 2) || kv_hex32_text(s + len - 8, &want))
		return -EBADMSG;
	len -= CRC_TAIL;
	return crc32c(0, s, len) == want ? (long)len : -EBADMSG;
}

long kv_escape(char *out, size_t size, const void *in, size_t len)
{
	static const char digits[] = "0123456789ABCDEF";
	const unsigned char *p = in;
	size_t n = 0;

	for (size_t i = 0; i < len; i++) {
		size_t need = is_plain_byte(p[i]) ? 1 : 3;

		if (!p[i])
			return -EINVAL;
		if (size - n <= need) /* n < size holds from here on, so this cannot wrap */
			return -EMSGSIZE;
		if (need == 1) {
			out[n++] = (char)p[i];
			continue;
		}
		out[n++] = '%';
		out[n++] = digits[p[i] >> 4];
		out[n++] = digits[p[i] & 15];
	}
	if (n >= size)
		return -EMSGSIZE;
	out[n] = 0;
	return (long)n;
}

/* May run in place: what is written never overtakes what is read. */
long kv_unescape(char *out, size_t size, const char *in, size_t len)
{
	size_t n = 0;

	for (size_t i = 0; i < len; i++) {
		unsigned char c = (unsigned char)in[i];

		if (c == '%') {
			int hi = i + 2 < len ? hex_digit(in[i + 1]) : -1;
			int lo = i + 2 < len ? hex_digit(in[i + 2]) : -1;

			if (hi < 0 || lo < 0 || !(hi | lo))
				return -EINVAL;
			c = (unsigned char)(hi << 4 | lo);
			i += 2;
		} else if (!is_plain_byte(c)) {
			return -EINVAL;
		}
		if (n + 1 >= size)
			return -EMSGSIZE;
		out[n++] = (char)c;
	}
	if (n >= size)
		return -EMSGSIZE;
	out[n] = 0;
	return (long)n;
}

/* A token of the line: the leading word, or a pair. tok is NUL-terminated and may be written to. */
static int add_token(struct kv_line *l, char *tok, size_t len, int first)
{
	size_t k = 0;
	long vlen;

	while (k < len && is_name_byte((unsigned char)tok[k]))
		k++;
	if (!k)
		return -EINVAL;
	if (k == len) {
		if (!first)
			return -EINVAL;
		l->word = tok;
		return 0;
	}
	if (tok[k] != '=')
		return -EINVAL;
	if (l->n == KV_PAIRS_MAX)
		return -EMSGSIZE;
	tok[k] = 0;
	vlen = kv_unescape(tok + k + 1, len - k, tok + k + 1, len - k - 1);
	if (vlen < 0)
		return (int)vlen;
	l->pair[l->n].key = tok;
	l->pair[l->n].val = tok + k + 1;
	l->n++;
	return 0;
}

int kv_parse(struct kv_line *l, const char *s, size_t len)
{
	size_t start = 0;

	l->word = "";
	l->n = 0;
	l->buf[0] = 0;
	len = strip_line_end(s, len);
	if (len > KV_LINE_MAX)
		return -EMSGSIZE;
	memcpy(l->buf, s, len);
	l->buf[len] = 0;
	if (!len || memchr(l->buf, 0, len))
		return -EINVAL;
	for (size_t i = 0; i <= len; i++) {
		int err;

		if (i < len && l->buf[i] != ' ')
			continue;
		l->buf[i] = 0;
		err = add_token(l, l->buf + start, i - start, start == 0);
		if (err)
			return err;
		start = i + 1;
	}
	return 0;
}

int kv_parse_crc(struct kv_line *l, const char *s, size_t len)
{
	long body = kv_crc_body(s, len);

	if (body < 0) {
		l->word = "";
		l->n = 0;
		l->buf[0] = 0;
		return (int)body;
	}
	return kv_parse(l, s, (size_t)body);
}

const char *kv_get(const struct kv_line *l, const char *key)
{
	for (size_t i = 0; i < l->n; i++)
		if (!strcmp(l->pair[i].key, key))
			return l->pair[i].val;
	return NULL;
}

static int parse_u64(const char *s, uint64_t *out)
{
	uint64_t v = 0;

	if (!*s)
		return -EINVAL;
	for (; *s; s++) {
		unsigned d = (unsigned)(*s - '0');

		if (*s < '0' || *s > '9')
			return -EINVAL;
		/* Against constants: a 64-bit division would be a libgcc call on i386. */
		if (v > UINT64_MAX / 10 || (v == UINT64_MAX / 10 && d > UINT64_MAX % 10))
			return -ERANGE;
		v = v * 10 + d;
	}
	*out = v;
	return 0;
}

int kv_u64(const struct kv_line *l, const char *key, uint64_t *out)
{
	const char *s = kv_get(l, key);

	return s ? parse_u64(s, out) : -ENOENT;
}

int kv_hex32(const struct kv_line *l, const char *key, uint32_t *out)
{
	const char *s = kv_get(l, key);

	if (!s)
		return -ENOENT;
	return strlen(s) == 8 ? kv_hex32_text(s, out) : -EINVAL;
}

int kv_str(const struct kv_line *l, const char *key, char *out, size_t size)
{
	const char *s = kv_get(l, key);
	size_t len;

	if (!s)
		return -ENOENT;
	len = strlen(s);
	if (len >= size)
		return -ENAMETOOLONG;
	memcpy(out, s, len + 1);
	return 0;
}

int kv_list_has(const char *list, const char *word)
{
	size_t len = strlen(word);

	while (*list) {
		size_t n = strcspn(list, ",");

		if (n == len && !memcmp(list, word, n))
			return 1;
		list += n + (list[n] == ',');
	}
	return 0;
}

int kv_is_id(const char *s)
{
	size_t n = 0;

	for (; s[n]; n++) {
		char c = s[n];
		int alnum = (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9');

		if (n == 64 || !(alnum || (n && strchr("._+-", c))))
			return 0;
	}
	return n > 0;
}
