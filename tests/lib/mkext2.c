/* SPDX-License-Identifier: GPL-2.0-or-later */
/* mkext2 FREE_BYTES <ARCHIVES >IMAGE: the legacy initrd, as the station makes it (runner/common/ext2.h). Prints where the job goes, to standard error. */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "common/ext2.h"
#include "common/io.h"

int main(int argc, char **argv)
{
	struct ext2_tree tree = {0};
	unsigned char *image = NULL;
	size_t len = 0, bytes = 0;
	uint64_t at = 0, room = 0;
	char *text = NULL;
	int err;

	if (argc != 2) {
		fprintf(stderr, "usage: mkext2 FREE_BYTES <ARCHIVES >IMAGE\n");
		return 2;
	}
	err = io_read_file("/dev/stdin", 64u << 20, &text, &len);
	if (!err)
		err = ext2_tree_cpio(&tree, text, len);
	if (!err)
		err = ext2_make(&tree, strtoul(argv[1], NULL, 10), &image, &bytes);
	if (!err)
		err = ext2_job_find(image, bytes, &at, &room);
	if (!err)
		err = io_write_all(1, image, bytes);
	ext2_tree_free(&tree);
	free(text);
	free(image);
	if (err) {
		fprintf(stderr, "mkext2: %s\n", strerror(-err));
		return 1;
	}
	fprintf(stderr, "job %llu %llu\n", (unsigned long long)at, (unsigned long long)room);
	return 0;
}
