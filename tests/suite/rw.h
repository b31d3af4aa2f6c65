/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * rw: whole reads and writes, at the file's position or at an offset. A short read or write is legal and not an error: what is left is
 * asked for again. 0, -errno, -ENODATA at end of file.
 */
#ifndef KD_SUITE_RW_H
#define KD_SUITE_RW_H

#include <stddef.h>
#include <stdint.h>

int rw_read(int fd, void *buf, size_t len);
int rw_read_at(int fd, void *buf, size_t len, uint64_t at);
int rw_write_at(int fd, const void *buf, size_t len, uint64_t at);
/* Writing at the file's position is io_write_all (common/io.h). */

#endif
