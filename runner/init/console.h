/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * console: makes fds 0, 1 and 2 valid, whatever the kernel could open. /dev/console, else /dev/null, else a pipe.
 */
#ifndef KD_INIT_CONSOLE_H
#define KD_INIT_CONSOLE_H

/* 0: the console; 1: something else, try again when /dev has been mounted. */
int console_open(void);

#endif
