/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * meminfo: lines `Name:   123 kB`. Before 2.6 a table in bytes stands above them, whose lines begin otherwise.
 */
#include "common/meminfo.h"

#include <ctype.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "common/io.h"

static int take_kb(const char *text, const char *name, uint64_t *kb)
{
	size_t len = strlen(name);

	for (const char *line = text; line; line = strchr(line, '\n')) {
		line += *line == '\n';
		if (strncmp(line, name, len) || line[len] != ':')
			continue;
		line += len + 1;
		line += strspn(line, " \t");
		if (!isdigit((unsigned char)*line))
			return -ENOENT;
		*kb = strtoull(line, NULL, 10);
		return 0;
	}
	return -ENOENT;
}

int meminfo_parse(const char *text, uint64_t *kb)
{
	static const char *const also[] = {"Buffers", "Cached"};
	uint64_t more;
	int err;

	if (!take_kb(text, "MemAvailable", kb))
		return 0;
	err = take_kb(text, "MemFree", kb);
	for (size_t i = 0; i < 2 && !err; i++)
		if (!take_kb(text, also[i], &more))
			*kb += more;
	return err;
}

int meminfo_free_kb(uint64_t *kb)
{
	char text[4096];
	int n = (int)io_read_small("/proc/meminfo", text, sizeof(text)), err = n < 0 ? n : meminfo_parse(text, kb);

	if (err)
		*kb = 0;
	return err;
}
