/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * ptable: does a disk begin with somebody's partition table, of whatever kind? Both who marks a scratch disk and who writes on one ask this: what is said
 * to be one is left alone, so rather too often than too seldom. Pure.
 *
 * Sources: UEFI 2.10, 5.3 (GPT, MBR); the layouts that Linux reads in block/partitions/.
 */
#ifndef KD_PTABLE_H
#define KD_PTABLE_H

#include <stddef.h>

#define PTABLE_BYTES (4096 + 512) /* of the disk's beginning */

/* The name of the table that is there, or NULL. */
const char *ptable_find(const unsigned char *s, size_t len);

#endif
