/* SPDX-License-Identifier: GPL-2.0-or-later */
/* serial: see serial.h. The kernel's own rule: of several console= words the last one is /dev/console (Documentation/admin-guide/serial-console.rst). */
#include "common/serial.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

static int is_serial(const char *name, size_t len)
{
	static const char *const prefix[] = {"ttyS", "ttyAMA", "ttyUSB", "hvc"};

	for (size_t i = 0; i < sizeof prefix / sizeof *prefix; i++) {
		size_t n = strlen(prefix[i]);

		if (len > n && !strncmp(name, prefix[i], n) && name[n] >= '0' && name[n] <= '9')
			return 1;
	}
	return 0;
}

int serial_find(const char *cmdline, char *node, size_t size, unsigned *baud)
{
	int found = -ENOENT;

	while (*cmdline) {
		size_t len = strcspn(cmdline, " \t\n");

		if (len > 8 && !strncmp(cmdline, "console=", 8)) {
			const char *name = cmdline + 8;
			size_t n = strcspn(name, ", \t\n");

			if (is_serial(name, n) && n < size) {
				memcpy(node, name, n);
				node[n] = 0;
				*baud = name[n] == ',' ? (unsigned)strtoul(name + n + 1, NULL, 10) : 0;
				if (*baud < 300 || *baud > 4000000)
					*baud = 9600;
				found = 0;
			}
		}
		cmdline += len;
		cmdline += strspn(cmdline, " \t\n");
	}
	return found;
}

int serial_is_console(const char *cmdline, const char *node)
{
	size_t n = strlen(node);
	int is = 0;

	while (*cmdline) {
		size_t len = strcspn(cmdline, " \t\n");

		if (len > 8 && !strncmp(cmdline, "console=", 8))
			is = len >= 8 + n && !strncmp(cmdline + 8, node, n) && (len == 8 + n || cmdline[8 + n] == ',');
		cmdline += len;
		cmdline += strspn(cmdline, " \t\n");
	}
	return is;
}
