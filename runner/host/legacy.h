/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * legacy: what a kernel before 2.6 needs that others do not: the image as an ext2 file system (common/ext2.h) that the kernel copies onto a RAM disk,
 * and the words that make it the root. It gets no pack: drivers must be built in.
 */
#ifndef KD_LEGACY_H
#define KD_LEGACY_H

#include "host/work.h"

/* ramdisk_size in KiB: the largest that there can be; only what is used takes memory. */
#define LEGACY_WORDS "root=/dev/ram0 rw init=/init ramdisk_size=8192"
#define LEGACY_CMDLINE_MAX 255 /* COMMAND_LINE_SIZE of i386 less its end, include/asm-i386/setup.h of 2.4 */

/*
 * Makes the file `to` from archives, NULL at the end; one that is missing is left out but for the first. job_at and job_bytes: where a job goes.
 * 0 or -errno with w->err.
 */
int legacy_image(struct work *w, const char *const *archives, const char *to, uint64_t *job_at, uint64_t *job_bytes);
/* The words of a variant behind those above. malloc'd or NULL. */
char *legacy_cmdline(const char *words);

#endif
