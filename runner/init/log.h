/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * log: the few lines that PID 1 says, to /dev/kmsg, so that they stand in order with the kernel's; to the console where
 * there is no kmsg. Nothing is logged while all goes well: the console is a measuring line.
 */
#ifndef KD_INIT_LOG_H
#define KD_INIT_LOG_H

void log_line(const char *fmt, ...) __attribute__((format(printf, 1, 2)));
/* Straight to the console, whatever its log level, for what the station must hear before a reset. Waits a moment for the line, never for more. */
void log_console(const char *fmt, ...) __attribute__((format(printf, 1, 2)));

#endif
