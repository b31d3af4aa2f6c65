/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * sink_serial: the serial line, raw and without echo: records go out, commands come in. The line is the last serial
 * console= of the command line, so that what the kernel says of its death goes the same way.
 */
#ifndef KD_BOX_SINK_SERIAL_H
#define KD_BOX_SINK_SERIAL_H

#include "box/reader.h"
#include "box/sink.h"

struct sink_serial {
	struct sink base; /* first */
	int fd;           /* -1: none */
	unsigned baud;
	int stuck; /* the last record missed its deadline: the next ones wait less */
	uint64_t heard_bytes;
	struct reader reader;
};

/* Finds the port in a command line: node (`ttyS0`) and speed (9600 where none stands, as in the kernel). -ENOENT. Pure. */
int sink_serial_find(const char *cmdline, char *node, size_t size, unsigned *baud);
/* 0, or -errno: then fd is -1, and each put counts as dropped. */
int sink_serial_open(struct sink_serial *s, const char *cmdline);
/* Reads what there is; 1 and *c when it held a whole valid command, else 0. Call again until 0. */
int sink_serial_command(struct sink_serial *s, struct command *c);

#endif
