/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * scratch: the disk that tests may overwrite. It is known by its mark, 64 KiB before its end, never by its node; anything that
 * is not as it should be is a reason to skip, never to write.
 *
 *     kdyno-scratch v=1 uuid= box= bytes= *crc
 */
#ifndef KD_BOX_SCRATCH_H
#define KD_BOX_SCRATCH_H

#include "box/mkfs.h"

#include <stddef.h>
#include <stdint.h>

#define SCRATCH_DIR "/mnt/scratch"
#define SCRATCH_MARK_BYTES 65536       /* from the end; mkfs gets what lies before */
#define SCRATCH_NODE "/dev/kd-scratch" /* not on /run, which is mounted nodev */

struct scratch {
	char disk[32];
	int ext4;
	int kept; /* what was there is mounted; else it was made anew */
	struct mkfs_super super;
};

/* Pure. 1: the mark of this box and size; 0: no mark; -1: a mark, but another box, size or version (why says which). */
int scratch_mark_check(const char *s, size_t len, const char *box, uint64_t bytes, const char **why);
/* Pure: 1 if a line of /proc/mounts or /proc/swaps begins with this disk: for kernels that have no better list. */
int scratch_is_listed(const char *text, const char *name);
/* Pure: 1 if it names a whole disk that can be one (no partition, loop, ram, rom or floppy). */
int scratch_is_disk_name(const char *name);

/* Finds the disk, makes on it (or keeps) the file system that the test's args want (mkfs.h), mounts it. 0, or -1 with a reason. Takes seconds. */
int scratch_make(struct scratch *s, const char *box, const char *args, char *reason, size_t size);
/* 0, or -1 where it does not end in 20 s: the file system or its disk hangs. Not mounted is 0. */
int scratch_unmount(void);

#endif
