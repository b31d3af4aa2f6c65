/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * promise: reads the runner's promises. A line that is not understood changes nothing: the old promise still stands.
 */
#include "init/promise.h"

#include <string.h>

void promise_init(struct promise *p, uint64_t now_ms)
{
	*p = (struct promise){.until_ms = now_ms + PROMISE_FIRST_MS, .jump_s = p->jump_s, .modules = p->modules};
}

/* A decimal number to the end of the string, at most max. 0 or -1. */
static int parse_number(const char *s, uint64_t max, uint64_t *out)
{
	uint64_t v = 0;

	if (!*s)
		return -1;
	for (; *s; s++) {
		if (*s < '0' || *s > '9' || v > max / 10)
			return -1;
		v = v * 10 + (uint64_t)(*s - '0');
	}
	if (v > max)
		return -1;
	*out = v;
	return 0;
}

static void take_line(struct promise *p, uint64_t now_ms)
{
	uint64_t v;

	if (!strncmp(p->line, "promise ", 8) && parse_number(p->line + 8, PROMISE_MAX_MS, &v) == 0)
		p->until_ms = now_ms + v;
	else if (!strncmp(p->line, "jump ", 5) && parse_number(p->line + 5, 3600, &v) == 0)
		p->jump_s = (unsigned)v;
	else if (!strncmp(p->line, "watch ", 6) && parse_number(p->line + 6, 3600, &v) == 0)
		p->watch_s = (unsigned)v;
	else if (!strcmp(p->line, "modules"))
		p->modules = 1;
}

void promise_feed(struct promise *p, const char *s, size_t n, uint64_t now_ms)
{
	for (size_t i = 0; i < n; i++) {
		if (s[i] != '\n') {
			if (p->len < sizeof p->line) /* one byte too long marks the line as bad */
				p->line[p->len++] = s[i];
			continue;
		}
		if (p->len < sizeof p->line) {
			p->line[p->len] = 0;
			take_line(p, now_ms);
		}
		p->len = 0;
	}
}
