/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * unpack: reading of packages and of compressed files, by libarchive. Input is not trusted: names are handed on as they
 * stand (the visitor decides what it wants and where that goes), sizes are bounded, what is truncated is an error.
 */
#ifndef KD_UNPACK_H
#define KD_UNPACK_H

#include <stddef.h>
#include <stdint.h>

struct archive;

/* One regular file of an archive. Read it with unpack_to_file, or leave it. 0 goes on; -errno ends the walk. */
typedef int unpack_visit(void *user, const char *name, uint64_t bytes, struct archive *a);

/*
 * Visits every regular file of a .deb (its data.tar.*), a tar (compressed or not), an rpm or a cpio.
 * 0; what the visitor returned; -EBADMSG with the reason in err: no package, damaged, truncated.
 */
int unpack_walk(const char *path, unpack_visit *visit, void *user, char *err, size_t size);
/* The data of the file that is visited, to a new file. 0 or -errno with the reason in err. */
int unpack_to_file(struct archive *a, const char *path, char *err, size_t size);
/* A whole file, decompressed if it is compressed (gzip, xz, zstd, bzip2, lzma): malloc'd. -EFBIG past max. */
int unpack_file(const char *path, size_t max, char **out, size_t *len, char *err, size_t size);

#endif
