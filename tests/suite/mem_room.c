/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * mem_room: asks first, then maps.
 */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

#include "common/io.h"
#include "fact.h"
#include "mem_room.h"

#ifndef MADV_NOHUGEPAGE
#define MADV_NOHUGEPAGE 15
#endif

/* Value of the line that begins with `name:`; 0 and *found untouched where there is none. */
static uint64_t value_of(const char *text, const char *name, int *found)
{
	size_t len = strlen(name);

	for (const char *s = text; s && *s; s = strchr(s, '\n') ? strchr(s, '\n') + 1 : NULL)
		if (!strncmp(s, name, len) && s[len] == ':') {
			*found = 1;
			return strtoull(s + len + 1, NULL, 10);
		}
	return 0;
}

uint64_t mem_room_parse(const char *text)
{
	int found = 0;
	uint64_t kb = value_of(text, "MemAvailable", &found);

	if (found)
		return kb;
	return value_of(text, "MemFree", &found) + value_of(text, "Buffers", &found) + value_of(text, "Cached", &found);
}

int mem_room_check(uint64_t bytes)
{
	uint64_t need_kb = (bytes + bytes / 4) >> 10, kb;
	char text[2048];

	if (io_read_small("/proc/meminfo", text, sizeof(text)) <= 0)
		return 0;
	kb = mem_room_parse(text);
	if (!kb || kb >= need_kb)
		return 0;
	return fact_skip("needs %" PRIu64 " KiB of memory, of which %" PRIu64 " can be had", need_kb, kb);
}

void *mem_room_map(size_t bytes, const char **thp)
{
	void *p = mmap(NULL, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

	if (p == MAP_FAILED)
		return NULL;
	*thp = madvise(p, bytes, MADV_NOHUGEPAGE) ? "none" : "off";
	return p;
}
