/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * command: the few words of the station to a box. A box obeys a command only whole: right CRC, known verb, every argument of it
 * there and in range. Whatever else stands on the line is noise of the serial line, and is skipped.
 */
#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "common/command.h"
#include "common/plan.h"
#include "common/record.h"

static const char *const verbs[] = {
	[COMMAND_OK] = "ok",
	[COMMAND_AGAIN] = "again",
	[COMMAND_GO] = "go",
	[COMMAND_HOLD] = "hold",
};

static int parse_verb(const char *word, enum command_verb *out)
{
	for (size_t i = COMMAND_OK; i < sizeof(verbs) / sizeof(verbs[0]); i++) {
		if (!strcmp(word, verbs[i])) {
			*out = (enum command_verb)i;
			return 0;
		}
	}
	return -EINVAL;
}

static int parse_args(struct command *c, const struct kv_line *l)
{
	uint64_t line;

	switch (c->verb) {
	case COMMAND_AGAIN:
		if (kv_str(l, "what", c->what, sizeof(c->what)))
			return -EINVAL;
		return record_ranges_parse(c->what, NULL, UINT32_MAX) > 0 ? 0 : -EINVAL;
	case COMMAND_GO:
		if (kv_u64(l, "line", &line) || !line || line > PLAN_TRIES_MAX || kv_hex32(l, "tag", &c->next_tag))
			return -EINVAL;
		c->line = (unsigned)line;
		return 0;
	case COMMAND_OK:
		if (!kv_get(l, "line"))
			return 0;
		if (kv_u64(l, "line", &line) || !line || line > PLAN_TRIES_MAX)
			return -EINVAL;
		c->line = (unsigned)line;
		return 0;
	case COMMAND_HOLD:
		if (!kv_u64(l, "ssh", &line)) {
			if (line > 1)
				return -EINVAL;
			c->ssh = (int)line;
		}
		return 0;
	}
	return -EINVAL;
}

/* s begins with `kd1 `, and the CRC holds over its first len bytes. */
static int parse_body(struct command *c, const char *s, size_t len)
{
	struct kv_line l;

	if (len < 14 || s[12] != ' ' || kv_hex32_text(s + 4, &c->tag))
		return -EINVAL;
	if (kv_parse(&l, s + 13, len - 13) || parse_verb(l.word, &c->verb))
		return -EINVAL;
	return parse_args(c, &l);
}

int command_parse(struct command *c, const char *s, size_t len)
{
	memset(c, 0, sizeof(*c));
	while (len && (s[len - 1] == '\r' || s[len - 1] == '\n'))
		len--;
	if (len > COMMAND_MAX) { /* the command is at the end, what is before it is noise */
		s += len - COMMAND_MAX;
		len = COMMAND_MAX;
	}
	for (;;) {
		long at = record_find(s, len);
		long body;

		if (at < 0)
			return -EBADMSG;
		s += at;
		len -= (size_t)at;
		body = kv_crc_body(s, len);
		if (body > 0) {
			int err = parse_body(c, s, (size_t)body);

			if (err)
				memset(c, 0, sizeof(*c));
			return err;
		}
		s++;
		len--;
	}
}

long command_format(const struct command *c, char *out, size_t size)
{
	struct kv_out o;
	char head[24];

	if (c->verb < COMMAND_OK || c->verb > COMMAND_HOLD)
		return -EINVAL;
	kv_out_init(&o, out, size);
	snprintf(head, sizeof(head), "\r\nkd1 %08" PRIx32, c->tag);
	kv_out_raw(&o, head);
	kv_out_word(&o, verbs[c->verb]);
	if (c->verb == COMMAND_AGAIN) {
		if (!memchr(c->what, 0, sizeof(c->what)) || record_ranges_parse(c->what, NULL, UINT32_MAX) <= 0)
			return -EINVAL;
		kv_out_str(&o, "what", c->what);
	}
	if (c->verb == COMMAND_OK && c->line)
		kv_out_u64(&o, "line", c->line);
	if (c->verb == COMMAND_GO) {
		if (!c->line || c->line > PLAN_TRIES_MAX)
			return -EINVAL;
		kv_out_u64(&o, "line", c->line);
		kv_out_hex32(&o, "tag", c->next_tag);
	}
	if (c->verb == COMMAND_HOLD && c->ssh)
		kv_out_u64(&o, "ssh", 1);
	kv_out_crc(&o, 2);
	if (!o.err && o.len - 2 > COMMAND_MAX)
		return -EMSGSIZE;
	if (o.err)
		return o.err;
	if (size - o.len <= 2)
		return -EMSGSIZE;
	memcpy(out + o.len, "\r\n", 3);
	return (long)o.len + 2;
}
