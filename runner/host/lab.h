/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * lab: where the station keeps its data (docs/formats.md, "Lab directory"). Paths are built here and nowhere else.
 */
#ifndef KD_LAB_H
#define KD_LAB_H

#include <stddef.h>
#include <stdint.h>

/* printf-style path below the lab, malloc'd; dies when out of memory. lab_path("sweeps/%s/schedule", id). */
char *lab_path(const char *fmt, ...) __attribute__((format(printf, 1, 2)));
/*
 * For what a box may have put there (results/) or may ask for: a regular file below the lab, opened for reading. Of links only the lab's own
 * folders may be some (results -> /mnt/large); nothing that is no regular file is opened at all: a FIFO would hang, a device would act.
 * fd or -errno (-EINVAL: no regular file).
 */
int lab_open_plain(const char *below);
/* io_read_file of such a file. */
int lab_read_plain(const char *below, size_t max, char **text, size_t *len);
/* 1 while somebody flock(2)s this file. It is looked up, never tried: for that moment a `sweep run` would find it taken. */
int lab_locked(const char *below);
/* Creates the lab's folders where they are missing. Dies with one line when it cannot (full disk, read-only). */
void lab_create(void);
/* Dies unless the lab exists: "no lab at PATH: ...". */
void lab_require(void);
/* Names of the entries of a folder below the lab that are valid ids, sorted; NULL-terminated, malloc'd (free each and the array). */
char **lab_list(const char *folder, size_t *n);
void lab_list_free(char **names);
/* Files of the built image: build/<arch>/image.cpio[.xz|.gz|.zst], installed share dir or KDYNO_SHARE. ext "" for none. malloc'd or NULL. */
char *lab_image(const char *arch, const char *ext);
/* Folder of board configs, test descriptors (tests/suite), helper scripts (image/apt-root): found beside the command (build tree) or in the install prefix. malloc'd.
 * "board-configs", "suite", "apt-root"; dies when there is none. */
char *lab_share(const char *name);
/* The same, NULL when there is none. */
char *lab_find_share(const char *name);

#endif
