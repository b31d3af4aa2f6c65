/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * console: the bytes of a box's console in, records and other text out. Pure: no files, no clock, no allocation.
 *
 * The stream may be split anywhere, hold NULs and CRs, lack bytes, and have lines of the kernel in the middle of a record: where
 * whole kernel lines stand in it they are cut out, and what is left counts only if its CRC then holds. Everything is bounded.
 * Trap: the text handed out is what the box sent, byte for byte; it must be escaped before it meets a terminal.
 */
#ifndef KD_CONSOLE_H
#define KD_CONSOLE_H

#include "common/record.h"

#define CONSOLE_LINE_MAX 4096 /* longer lines are handed out in pieces */
#define CONSOLE_JOIN_LINES 4  /* so many kernel lines may stand in the middle of a record */

struct console_sink {
	/* line: from `kd1` to the last digit of the CRC, NUL-terminated, r->len bytes. */
	void (*record)(void *ctx, const struct record *r, const char *line);
	/* A line, or a piece of one, that is no record; without its line end. May be NULL. */
	void (*text)(void *ctx, const char *s, size_t len);
	void *ctx;
};

struct console_count {
	uint64_t bytes, records, text_bytes;
	uint64_t bad;    /* lines with `kd1 ` of which no record came */
	uint64_t joined; /* records from which kernel lines were cut out */
};

struct console {
	struct console_sink sink;
	struct console_count count;
	/* the line that has begun */
	size_t fill;
	char buf[CONSOLE_LINE_MAX];
	/* the beginning of a record that a kernel line broke */
	size_t head_len; /* 0: none */
	unsigned head_age;
	char head[RECORD_MAX + CONSOLE_LINE_MAX];
	struct record record; /* scratch: too large for a stack frame in a loop */
	char clean[CONSOLE_LINE_MAX];
};

void console_init(struct console *c, const struct console_sink *sink);
void console_feed(struct console *c, const void *data, size_t len);
/* The stream has ended (or the box was reset): what is held back is handed out. */
void console_flush(struct console *c);

/*
 * The console log of a sweep: a line of the console a line, `<unix ms> <raw offset> <bytes>`, where bytes that are not
 * printable ASCII, and %, are %XX: a line says exactly which bytes came, so a restart goes on at the exact offset.
 * At most 3 * CONSOLE_LINE_MAX + 48 bytes. Length without NUL, or -EMSGSIZE.
 */
#define CONSOLE_LOG_MAX (3 * CONSOLE_LINE_MAX + 48)
long console_log_format(char *out, size_t size, uint64_t at_ms, uint64_t offset, const void *bytes, size_t len);
/* One line back into its parts. bytes has room for CONSOLE_LINE_MAX. 0 or -EINVAL. */
int console_log_parse(const char *s, size_t len, uint64_t *at_ms, uint64_t *offset, char *bytes, size_t *n);

#endif
