/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * sink_serial: the serial line, raw and without echo: records go out, commands come in. The line is the last serial
 * console= of the command line, so that what the kernel says of its death goes the same way.
 */
#ifndef KD_BOX_SINK_SERIAL_H
#define KD_BOX_SINK_SERIAL_H

#include "box/reader.h"
#include "box/sink.h"
#include "common/uart.h"

struct sink_serial {
	struct sink base; /* first */
	int fd;           /* -1: none, or the chip is polled */
	struct uart uart; /* port 0: not polled */
	unsigned baud;
	int stuck; /* the last record missed its deadline: the next ones wait less */
	uint64_t heard_bytes;
	struct reader reader;
};

/* 0, or -errno: then it is not open, and each put counts as dropped. */
int sink_serial_open(struct sink_serial *s, const char *cmdline);
/* Reads what there is; 1 and *c when it held a whole valid command, else 0. Call again until 0. */
int sink_serial_command(struct sink_serial *s, struct command *c);

int sink_serial_is_open(const struct sink_serial *s);
/* For a chip that is polled: looks for input that long, or until there is some. Else nothing: poll(2) of fd tells. */
void sink_serial_wait(const struct sink_serial *s, unsigned ms);

#endif
