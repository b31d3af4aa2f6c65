/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * log: one write(2) a line, because /dev/kmsg makes a message of each write.
 */
#include "init/log.h"

#include "common/clock.h"
#include "common/io.h"
#include "common/serial.h"
#include "common/uart.h"

#include <fcntl.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#define LINE_MS 200 /* of 9600 baud */

void log_line(const char *fmt, ...)
{
	char line[256] = "<4>kd-init: ";
	const size_t prefix = sizeof "<4>kd-init: " - 1;
	va_list ap;

	va_start(ap, fmt);
	int n = vsnprintf(line + prefix, sizeof line - prefix - 1, fmt, ap);
	va_end(ap);
	if (n < 0)
		return;
	size_t len = prefix + (size_t)n;
	if (len > sizeof line - 2)
		len = sizeof line - 2;
	line[len++] = '\n';

	int fd = open("/dev/kmsg", O_WRONLY | O_CLOEXEC | O_NONBLOCK);
	ssize_t done = fd < 0 ? -1 : write(fd, line, len);
	if (fd >= 0)
		close(fd);
	if (done < 0)
		done = write(2, line + 3, len - 3);
	(void)done;
}

/*
 * To the line on which the station listens, where that is not the console: by its node, or, where the kernel has no driver for it, by the chip itself.
 */
static void write_serial(const char *line, size_t len)
{
	static char cmdline[4096];
	char node[32], path[48];
	unsigned baud;
	struct uart u;

	if (io_read_small("/proc/cmdline", cmdline, sizeof cmdline) <= 0 || serial_find(cmdline, node, sizeof node, &baud) < 0)
		return;
	snprintf(path, sizeof path, "/dev/%s", node);
	int fd = open(path, O_WRONLY | O_NOCTTY | O_NONBLOCK | O_CLOEXEC);
	if (fd < 0) {
		if (uart_open(&u, node, baud) == 0)
			uart_write(&u, line, len, clock_now_ms() + LINE_MS);
		return;
	}
	ssize_t done = serial_is_console(cmdline, node) ? 0 : write(fd, line, len);
	(void)done;
	close(fd);
}

void log_console(const char *fmt, ...)
{
	char line[160] = "\r\nkd-init: ";
	size_t len = strlen(line);
	va_list ap;

	va_start(ap, fmt);
	int n = vsnprintf(line + len, sizeof line - len - 2, fmt, ap);
	va_end(ap);
	if (n < 0)
		return;
	len = strlen(line);
	memcpy(line + len, "\r\n", 2); /* the runner may have left the line raw */
	io_set_nonblock(2, 1);
	ssize_t done = write(2, line, len + 2);
	(void)done;
	write_serial(line, len + 2);
	clock_sleep_ms(LINE_MS);
}
