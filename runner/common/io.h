/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * io: whole reads, whole writes, and the two ways in which kdyno puts a file down: atomically (temporary, fsync,
 * rename, fsync of the folder) and by appending one line (fsynced). Return 0 or -errno; nothing prints.
 */
#ifndef KD_IO_H
#define KD_IO_H

#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

/* malloc'd, NUL-terminated, *len without the NUL. -EFBIG past max. */
int io_read_file(const char *path, size_t max, char **out, size_t *len);
/* The same of a regular file (or a link to one), and of nothing else: -EINVAL. Opening a FIFO hangs until somebody writes to it. */
int io_read_plain(const char *path, size_t max, char **out, size_t *len);
/* Into a fixed buffer, NUL-terminated, cut at size - 1; length or -errno. For /proc and /sys. */
ssize_t io_read_small(const char *path, char *buf, size_t size);
int io_write_all(int fd, const void *data, size_t len);
int io_write_file(const char *path, const void *data, size_t len, mode_t mode); /* atomic */
/* Opens for io_append: O_APPEND, created; writes a newline first where the file does not end in one. fd or -errno. */
int io_append_open(const char *path);
/*
 * Writes the bytes in one write(2) and fsyncs. A short write is an error (-ENOSPC, -EIO), and what it left is cut off again, where that can
 * be done: each file has one writer.
 */
int io_append(int fd, const void *line, size_t len);
int io_mkdirs(const char *path, mode_t mode);
int io_set_nonblock(int fd, int on);
int io_set_cloexec(int fd);
int io_pipe(int fd[2]);           /* both ends close-on-exec */
int io_pipes(int a[2], int b[2]); /* two of them, or none */
/* Copies up to max bytes from one fd to another, -EFBIG past it. *bytes may be NULL. */
int io_copy(int from, int to, uint64_t max, uint64_t *bytes);

#endif
