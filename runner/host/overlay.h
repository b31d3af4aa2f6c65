/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * overlay: tests from elsewhere, brought in a cpio (newc, compressed or not): kd/suite/<name>, kd/suite/<name>.test and what they need, all
 * below kd/suite (docs/external-tests.md). It is not trusted: what is no plain file, folder or relative link in there is refused, and so is
 * what is larger than the bounds, and a name that the suite has. What is taken is written anew, as root's, into every pack of the sweep.
 */
#ifndef KD_OVERLAY_H
#define KD_OVERLAY_H

#include "host/suite.h"
#include "host/work.h"

#define OVERLAY_ARCHIVE "overlay.cpio" /* in the work folder, while kernels are frozen */
#define OVERLAY_BYTES_MAX (64u << 20)  /* of all overlays of a sweep, unpacked */
#define OVERLAY_FILES_MAX 4096

struct overlay_entry {
	char *path;     /* kd/suite/... */
	char *data;     /* of a file; of a link what it says; NULL: a folder */
	size_t len;     /* of data */
	int link, exec; /* neither: a plain file */
};

struct overlay {
	struct overlay_entry *entry;
	size_t entries;
	uint64_t bytes;
	char *tests; /* comma list of those that it adds; NULL: none */
};

/* Adds one archive. 0 or -errno with one line in err; o is for overlay_free in any case. */
int overlay_read(struct overlay *o, const char *path, const struct suite *own, char *err, size_t size);
/* Adds the descriptors of all archives to the suite. 0 or -errno with err; the suite is empty then. */
int overlay_join(struct overlay *o, struct suite *s, char *err, size_t size);
/* The archive for the packs, and the descriptors in tests/ of the work folder; nothing where there is no overlay. 0 or -errno in w. */
int overlay_write(const struct overlay *o, struct work *w);
void overlay_free(struct overlay *o);

#endif
