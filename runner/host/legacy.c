/* SPDX-License-Identifier: GPL-2.0-or-later */
/* legacy: see legacy.h. Trap: the whole of it lies twice in the memory of the box while the kernel copies it, so little is left free in it. */
#include "host/legacy.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "common/ext2.h"
#include "common/io.h"

#define FREE_BYTES (256u * 1024) /* for /dev, mount points, and a kernel without tmpfs */
#define ARCHIVE_MAX (64u << 20)
#define ARCHIVES_MAX 4

static int make(struct work *w, const struct ext2_tree *t, const char *to, uint64_t *job_at, uint64_t *job_bytes)
{
	unsigned char *image;
	size_t bytes;
	int err = ext2_make(t, FREE_BYTES, &image, &bytes);

	if (err == -EFBIG)
		return work_fail(w, err, "the image for kernels before 2.6 is larger than %u MiB; leave something out of the sweep's overlays",
		                 EXT2_BYTES_MAX >> 20);
	if (err)
		return work_fail(w, err, "the image for kernels before 2.6:");
	err = ext2_job_find(image, bytes, job_at, job_bytes);
	if (!err)
		err = io_write_file(to, image, bytes, 0644);
	free(image);
	return err ? work_fail(w, err, "write %s:", to) : 0;
}

int legacy_image(struct work *w, const char *const *archives, const char *to, uint64_t *job_at, uint64_t *job_bytes)
{
	char *text[ARCHIVES_MAX] = {NULL};
	struct ext2_tree tree = {0};
	int err = 0;

	for (size_t i = 0; !err && archives[i] && i < ARCHIVES_MAX; i++) {
		size_t len;

		err = io_read_file(archives[i], ARCHIVE_MAX, &text[i], &len);
		if (err == -ENOENT && i) {
			err = 0;
			continue;
		}
		if (!err)
			err = ext2_tree_cpio(&tree, text[i], len);
		if (err)
			work_fail(w, err, "read %s:", archives[i]);
	}
	if (!err)
		err = make(w, &tree, to, job_at, job_bytes);
	ext2_tree_free(&tree);
	for (size_t i = 0; i < ARCHIVES_MAX; i++)
		free(text[i]);
	return err;
}

char *legacy_cmdline(const char *words)
{
	char *all;

	return asprintf(&all, LEGACY_WORDS "%s%s", *words ? " " : "", words) < 0 ? NULL : all;
}
