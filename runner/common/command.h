/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * command: what the station says to a box, only ever in reply to `bye`, `ask` or `jump`:
 *
 *     \r\nkd1 <tag> <verb> ... *<crc32c>\r\n
 *
 * Verbs: ok [line=], again what=RANGES, go line= tag=, hold [ssh=1]. They name lines of the schedule, never a path or a command line.
 */
#ifndef KD_COMMAND_H
#define KD_COMMAND_H

#include "common/kv.h"

#define COMMAND_MAX 200

enum command_verb { COMMAND_OK = 1, COMMAND_AGAIN, COMMAND_GO, COMMAND_HOLD };

struct command {
	uint32_t tag; /* of the line that is answered */
	enum command_verb verb;
	unsigned line;     /* go; ok: of the jump that it answers, 0 for a bye */
	uint32_t next_tag; /* go */
	int ssh;           /* hold: a person may come in */
	char what[128];    /* again: ranges */
};

/* Line without line ends; CRs, LFs and noise before `kd1 ` are skipped. 0, -EBADMSG, -EINVAL. */
int command_parse(struct command *c, const char *s, size_t len);
/* Formats with \r\n on both sides. Length or -EMSGSIZE. */
long command_format(const struct command *c, char *out, size_t size);

#endif
