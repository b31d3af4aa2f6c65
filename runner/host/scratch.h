/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * scratch: the disk that a box may write over, known by a mark in its last SCRATCH_MARK_BYTES and by nothing else
 * (docs/boards.md): device nodes change places between kernels.
 */
#ifndef KD_SCRATCH_H
#define KD_SCRATCH_H

#include <stddef.h>
#include <stdint.h>

#include "host/board.h"

struct scratch_mark {
	char box[PLAN_ID_MAX + 1], uuid[37];
	uint64_t bytes;
};

/* A sparse file of so many bytes with its mark. Made under a temporary name, fsynced, renamed. 0 or -errno. */
int scratch_create(const char *path, const char *box, uint64_t bytes);
/* Writes the mark into the last SCRATCH_MARK_BYTES of a device or file that is open for writing. 0 or -errno. */
int scratch_mark_write(int fd, const char *box, uint64_t device_bytes);
/* Reads it. -ENOENT when there is none, -EBADMSG when it is damaged, -EINVAL when the device is too small. */
int scratch_mark_read(int fd, uint64_t device_bytes, struct scratch_mark *m);

#endif
