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

#define CONLOG_BYTES (1ull << 30)     /* a sweep's, unless KDYNO_CONSOLE_MAX says otherwise; what comes past that is counted, not kept */
#define CONLOG_HELD_BYTES (16u << 20) /* kept in memory while the disk is full */
#define CONLOG_SKIP_BYTES (64u << 20) /* past the end of the log its offset is noted so often */

struct conlog {
	int fd;
	char path[1024];
	uint64_t size, max; /* of the file */
	int capped;         /* it has its size */
	uint64_t skipped;   /* bytes since the offset was noted last */
	/* what could not be written, from the byte held_at on; held NULL: all was */
	char *held;
	size_t held_len;
	uint64_t held_at, held_lost; /* held_lost: bytes behind them that are not kept at all */
	int err;
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
/*
 * Bytes of the console, received at at_ms (Unix). 0, or -errno: then they are held, as is all that comes until conlog_retry has written it.
 */
int conlog_feed(struct conlog *l, const void *bytes, size_t len, uint64_t at_ms);
/* A remark of the station's own between the lines (`# <ms> text`); skipped by a replay. */
int conlog_note(struct conlog *l, const char *text, uint64_t at_ms);
/*
 * Opens the file anew and writes what is held; what did not fit in memory is noted as lost. source_keeps: the source has it all, so nothing
 * is. 0 or -errno.
 */
int conlog_retry(struct conlog *l, int source_keeps, uint64_t at_ms);
/* Writes the line that has not ended too. */
void conlog_close(struct conlog *l, uint64_t at_ms);

#endif
