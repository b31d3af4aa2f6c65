/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * mem_room: asks first, then maps.
 */
#include <inttypes.h>
#include <sys/mman.h>

#include "common/meminfo.h"
#include "fact.h"
#include "mem_room.h"

#ifndef MADV_NOHUGEPAGE
#define MADV_NOHUGEPAGE 15
#endif

int mem_room_check(uint64_t bytes)
{
	uint64_t need_kb = (bytes + bytes / 4) >> 10, kb;

	if (meminfo_free_kb(&kb) || kb >= need_kb)
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
