/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * mem_room: anonymous memory of a size that the parameters fix. Memory is overcommitted: a box that is too small would not refuse it but kill for it,
 * so what the kernel says is free, or easily made free, is asked first, and the test skips.
 */
#ifndef KD_SUITE_MEM_ROOM_H
#define KD_SUITE_MEM_ROOM_H

#include <stddef.h>
#include <stdint.h>

/* 0, or the exit status after `skip`: less than bytes and a quarter more is to be had. Unknown counts as enough. */
int mem_room_check(uint64_t bytes);
/* Fresh pages, of the base size where that can be asked for (MADV_NOHUGEPAGE, 2.6.38): *thp is "off", or "none" where there are no others. NULL. */
void *mem_room_map(size_t bytes, const char **thp);

#endif
