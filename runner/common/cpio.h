/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * cpio: writes newc archives (Documentation/driver-api/early-userspace/buffer-format.rst of the kernel), the one
 * format that a kernel unpacks: the image and packs on the station, jobs on the box. Times are 0, owner root, inodes count up: the same
 * input gives the same bytes. An archive is a multiple of 512 bytes, so that the next may follow.
 */
#ifndef KD_CPIO_H
#define KD_CPIO_H

#include <stddef.h>
#include <stdint.h>

struct cpio {
	int fd;
	uint32_t ino;
	uint64_t bytes;
	int err; /* the first error, -errno; sticks */
};

void cpio_open(struct cpio *c, int fd);
void cpio_dir(struct cpio *c, const char *path, unsigned mode);
void cpio_file(struct cpio *c, const char *path, unsigned mode, const void *data, size_t len);
/* mode with its type, S_IFCHR or S_IFBLK. */
void cpio_node(struct cpio *c, const char *path, unsigned mode, unsigned major, unsigned minor);
void cpio_link(struct cpio *c, const char *path, const char *target);
/* Trailer and padding to 512. The sticky error, or 0. */
int cpio_close(struct cpio *c);

#endif
