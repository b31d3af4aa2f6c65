/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * mounts: one line of /proc/mounts, found and taken apart.
 */
#ifndef KD_SUITE_MOUNTS_H
#define KD_SUITE_MOUNTS_H

#include <stddef.h>

struct mounts_line {
	char source[256], dir[256], type[32], options[512];
};

/* Pure: the last line for dir (what is mounted last is on top). \040 and the like are decoded. 0, -ENOENT, -ENAMETOOLONG. */
int mounts_find(const char *text, const char *dir, struct mounts_line *out);
/* The same from /proc/self/mounts, else /proc/mounts. */
int mounts_read(const char *dir, struct mounts_line *out);
/* Pure: the line of the mount that holds path (absolute, without links): the longest dir that begins it, of equals the last. */
int mounts_holding(const char *text, const char *path, struct mounts_line *out);
/* The same from /proc. */
int mounts_read_holding(const char *path, struct mounts_line *out);
/* The value of an option (`rsize` of `rw,rsize=4096`), "" for a bare one; `vers` and `proto` also of the bare words of 2.4 (`v3`, `udp`). 0, -ENOENT, -ENAMETOOLONG. */
int mounts_option(const char *options, const char *name, char *out, size_t size);

#endif
