/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * mkfs: which file system a test wants on the scratch disk (its argument fs=), how that is made, and what is on the disk by its superblock.
 *
 *     ext2       made anew, by busybox's mke2fs (default)
 *     ext4       made anew, by mkfs.ext4 of e2fsprogs
 *     keep       the ext2 that the boot before left; made anew where there is none
 *     keep-ext4  the same with ext4
 *
 * Every option that decides the layout is given, identifiers included: the same disk is made alike in every boot, whatever the kernel. ext4 gets the
 * features that its first kernels mount (2.6.28) and nothing that goes on in the background (no lazy inode tables, no discard).
 * Superblock: the layout of linux/fs/ext4/ext4.h, little endian, 1024 bytes from the start.
 */
#ifndef KD_BOX_MKFS_H
#define KD_BOX_MKFS_H

#include <stddef.h>
#include <stdint.h>

#define MKFS_SUPER_AT 1024
#define MKFS_SUPER_BYTES 1024

struct mkfs_want {
	int ext4, keep;
};

struct mkfs_super {
	uint32_t inodes, blocks, block_bytes, inode_bytes, compat, incompat, ro_compat;
	int ext4; /* with extents or a journal */
};

/* Pure. fs= in a test's arguments (a comma list). 0 or -EINVAL: not one of the words. */
int mkfs_want(struct mkfs_want *w, const char *args);
/* Pure. The superblock as it stands on the disk. 0; -EBADMSG: none, or one that contradicts itself. */
int mkfs_super_parse(struct mkfs_super *s, const unsigned char *text, size_t len);
/* Pure. 1 where text (/proc/filesystems) has the type. */
int mkfs_kernel_has(const char *text, const char *type);
/* The command line of it, for people. */
const char *mkfs_words(int ext4);
/* On node, which has `bytes` for it. 0 or -errno, with the reason. */
int mkfs_run(int ext4, const char *node, uint64_t bytes, char *reason, size_t size);

#endif
