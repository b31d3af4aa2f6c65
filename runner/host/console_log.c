/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * console_log: lines of console-<box>.log, `<unix ms> <raw offset> <bytes, escaped>`. Readable as it stands, harmless on a
 * terminal, and exact: what is unescaped is what the box sent, so offset + length is where a restart goes on.
 */
#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "host/console.h"

long console_log_format(char *out, size_t size, uint64_t at_ms, uint64_t offset, const void *bytes, size_t len)
{
	static const char digits[] = "0123456789ABCDEF";
	const unsigned char *p = bytes;
	int head = snprintf(out, size, "%" PRIu64 " %" PRIu64 " ", at_ms, offset);
	size_t n;

	if (head < 0 || (size_t)head >= size)
		return -EMSGSIZE;
	n = (size_t)head;
	for (size_t i = 0; i < len; i++) {
		if (n + 5 > size)
			return -EMSGSIZE;
		if (p[i] >= 0x20 && p[i] < 0x7f && p[i] != '%') {
			out[n++] = (char)p[i];
			continue;
		}
		out[n++] = '%';
		out[n++] = digits[p[i] >> 4];
		out[n++] = digits[p[i] & 15];
	}
	if (n + 2 > size)
		return -EMSGSIZE;
	out[n++] = '\n';
	out[n] = 0;
	return (long)n;
}

static int hex(char c) { return c >= '0' && c <= '9' ? c - '0' : c >= 'A' && c <= 'F' ? c - 'A' + 10 : -1; }

static int cut_u64(const char **s, const char *end, uint64_t *out)
{
	const char *p = *s;
	uint64_t v = 0;

	while (p < end && *p >= '0' && *p <= '9' && p - *s < 19)
		v = v * 10 + (unsigned)(*p++ - '0');
	if (p == *s || p == end || *p != ' ')
		return -EINVAL;
	*s = p + 1;
	*out = v;
	return 0;
}

int console_log_parse(const char *s, size_t len, uint64_t *at_ms, uint64_t *offset, char *bytes, size_t *n)
{
	const char *end = s + len;
	size_t k = 0;

	if (len && end[-1] == '\n')
		end--;
	if (cut_u64(&s, end, at_ms) || cut_u64(&s, end, offset))
		return -EINVAL;
	while (s < end) {
		char c = *s++;

		if (k == CONSOLE_LINE_MAX)
			return -EINVAL;
		if (c == '%') {
			int hi = end - s >= 2 ? hex(s[0]) : -1;
			int lo = end - s >= 2 ? hex(s[1]) : -1;

			if (hi < 0 || lo < 0)
				return -EINVAL;
			c = (char)(hi << 4 | lo);
			s += 2;
		}
		bytes[k++] = c;
	}
	*n = k;
	return 0;
}
