/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * ext2: the image as an initrd for kernels before 2.6, which unpack no cpio: the same files in an ext2 file system that the kernel copies onto
 * /dev/ram0. Made in memory, without root and without mke2fs (which needs root for device nodes); times are 0: the same input gives the same bytes.
 *
 * The job of a boot has a file of its own, `/kd/job`, in one piece: whoever boots the kernel writes the job straight into the image. Where it is
 * stands in the superblock (s_last_mounted), as text: `job AT BYTES`.
 */
#ifndef KD_EXT2_H
#define KD_EXT2_H

#include <stddef.h>
#include <stdint.h>

#define EXT2_ENTRIES_MAX 4096
#define EXT2_BYTES_MAX (8192u * 1024) /* one group of blocks */
#define EXT2_JOB_BYTES 16384
#define EXT2_JOB_FILL '\n' /* an empty job is empty lines, and so is what follows a job */

struct ext2_entry {
	char path[256]; /* without a slash at either end */
	unsigned mode;  /* with its type */
	unsigned major, minor;
	const void *data; /* of a file, or where a link points; not owned */
	size_t len;
};

struct ext2_tree {
	struct ext2_entry *entry; /* parents before their children */
	size_t count;
};

/*
 * Adds what is in archives of the newc format that follow each other; a path that is there already is replaced (a directory: stays). The tree
 * points into the text. 0, -EINVAL (no such archive, or a path that has no parent), -E2BIG, -ENOMEM. ext2_tree_free in any case.
 */
int ext2_tree_cpio(struct ext2_tree *t, const void *text, size_t len);
void ext2_tree_free(struct ext2_tree *t);

/* The file system: *image of *bytes, malloc'd; free_bytes are left free in it. 0, -EFBIG, -ENOMEM, -EINVAL. */
int ext2_make(const struct ext2_tree *t, size_t free_bytes, unsigned char **image, size_t *bytes);

/* Where the job goes, from the first 2 KiB. 0 or -EINVAL: no such image. Pure. */
#define EXT2_HEAD_BYTES 2048
int ext2_job_find(const void *head, size_t len, uint64_t *at, uint64_t *bytes);

#endif
