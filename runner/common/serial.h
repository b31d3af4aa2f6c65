/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * serial: which serial line a command line names. It is the last serial console= of it, so that what the kernel says of its death goes the same way
 * as records do.
 */
#ifndef KD_SERIAL_H
#define KD_SERIAL_H

#include <stddef.h>

/* Port: node (`ttyS0`) and speed (9600 where none stands, as in the kernel). 0, or -ENOENT: there is none. Pure. */
int serial_find(const char *cmdline, char *node, size_t size, unsigned *baud);
/* 1 where the last console= of all names that port: then what is written to /dev/console comes out there. Pure. */
int serial_is_console(const char *cmdline, const char *node);

#endif
