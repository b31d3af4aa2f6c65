/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * reader: lines end at CR or LF; empty ones are what stands around every command.
 */
#include "box/reader.h"

#include <string.h>

size_t reader_room(const struct reader *r) { return sizeof r->buf - r->len; }

void reader_feed(struct reader *r, const char *s, size_t len)
{
	if (len > reader_room(r))
		len = reader_room(r);
	memcpy(r->buf + r->len, s, len);
	r->len += len;
}

static size_t line_end(const char *s, size_t len)
{
	size_t i = 0;

	while (i < len && s[i] != '\r' && s[i] != '\n')
		i++;
	return i;
}

int reader_next(struct reader *r, struct command *c)
{
	for (;;) {
		size_t n = line_end(r->buf, r->len);

		if (n == r->len) { /* no end yet */
			if (r->len == sizeof r->buf) {
				r->len = 0;
				r->skipping = 1;
			}
			return 0;
		}
		int good = !r->skipping && n > 0 && command_parse(c, r->buf, n) == 0;
		if (n > 0 && !good)
			r->bad++;
		r->skipping = 0;
		r->len -= n + 1;
		memmove(r->buf, r->buf + n + 1, r->len);
		if (good)
			return 1;
	}
}
