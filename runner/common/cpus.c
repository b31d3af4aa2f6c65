/* SPDX-License-Identifier: GPL-2.0-or-later */
/* cpus: see cpus.h. Trap: the lines stand at the head of the file, before `intr`, whose length has no bound that matters here. */
#include "common/cpus.h"

#include <string.h>
#include <unistd.h>

#include "common/io.h"

unsigned cpus_parse(const char *stat)
{
	unsigned n = 0;

	while (stat && !strncmp(stat, "cpu", 3)) {
		n += stat[3] >= '0' && stat[3] <= '9';
		stat = strchr(stat, '\n');
		stat += !!stat;
	}
	return n;
}

unsigned cpus_online(void)
{
	static char text[65536]; /* of some hundred CPUs; no threads here */
	long n = 0;

	if (io_read_small("/proc/stat", text, sizeof text) > 0)
		n = (long)cpus_parse(text);
	if (n <= 0)
		n = sysconf(_SC_NPROCESSORS_ONLN);
	return n > 0 ? (unsigned)n : 1;
}
