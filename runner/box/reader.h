/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * reader: finds commands in a stream of untrusted bytes. Bounded: a line that is too long is thrown away up to its end.
 * Pure over bytes; takes any split of the stream.
 */
#ifndef KD_BOX_READER_H
#define KD_BOX_READER_H

#include "common/command.h"

#define READER_BYTES 512

struct reader {
	char buf[READER_BYTES];
	size_t len;
	int skipping; /* inside a line that was too long */
	unsigned bad; /* lines that were no command */
};

/* Bytes that reader_feed takes at once, at least 1 after reader_next has returned 0. */
size_t reader_room(const struct reader *r);
void reader_feed(struct reader *r, const char *s, size_t len);
/* 1 and *c: the next whole valid command. 0: none yet. */
int reader_next(struct reader *r, struct command *c);

#endif
