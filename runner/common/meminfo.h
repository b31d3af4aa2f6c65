/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * meminfo: what /proc/meminfo says is to be had, on kernels old and new.
 */
#ifndef KD_COMMON_MEMINFO_H
#define KD_COMMON_MEMINFO_H

#include <stdint.h>

/*
 * Pure: KiB that can be had without swapping: MemAvailable, else (before 3.14) free, buffers and cached. 0, or -ENOENT where even free memory is not said.
 */
int meminfo_parse(const char *text, uint64_t *kb);
/* The same of this machine, now. 0, or -ENOENT, -errno; *kb is 0 then. */
int meminfo_free_kb(uint64_t *kb);

#endif
