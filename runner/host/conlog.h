/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * conlog: the file console-<box>.log of a sweep (console_log_format), written as the bytes come and replayed at a restart, which
 * then goes on reading at exactly the byte behind the last one that is in the file.
 */
#ifndef KD_CONLOG_H
#define KD_CONLOG_H

#include <stddef.h>
#include <stdint.h>

#include "host/console.h"

struct conlog {
	int fd;
	uint64_t offset;  /* of the next byte that comes */
	uint64_t dropped; /* bytes that the file does not have, since it was opened */
	size_t fill;      /* bytes of a line that has not ended, not in the file yet */
	char buf[CONSOLE_LINE_MAX];
	size_t ready; /* bytes of out, written by the end of each call: a write(2) a line is too dear where lines are empty */
	char out[4 * CONSOLE_LOG_MAX];
};

/*
 * Opens it (a torn last line is cut off) and hands all its bytes to replay, in order. offset is then where to go on. replay may be
 * NULL. 0 or -errno.
 */
int conlog_open(struct conlog *l, const char *path, void (*replay)(void *ctx, const char *bytes, size_t len), void *ctx);
/* Bytes of the console, received at at_ms (Unix). 0 or -errno. */
int conlog_feed(struct conlog *l, const void *bytes, size_t len, uint64_t at_ms);
/* A remark of the station's own between the lines (`# <ms> text`); skipped by a replay. */
int conlog_note(struct conlog *l, const char *text, uint64_t at_ms);
/* Writes the line that has not ended too. */
void conlog_close(struct conlog *l, uint64_t at_ms);

#endif
