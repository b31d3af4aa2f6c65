/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * mkext2 FREE_BYTES [JOB] <ARCHIVES >IMAGE: the legacy initrd, as the station makes it (runner/common/ext2.h). JOB: a file of lines without CRC, which go in
 * as the job. Prints where that is to standard error.
 */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "common/ext2.h"
#include "common/io.h"
#include "common/kv.h"

/* Lines closed with their CRC, straight into the image. 0 or -errno. */
static int put_job(const char *path, char *out, size_t size)
{
	static char line[KV_LINE_MAX + 1];
	FILE *f = fopen(path, "r");
	size_t len = 0;
	int err = f ? 0 : -errno;

	while (!err && fgets(line, sizeof(line), f)) {
		struct kv_out o;

		line[strcspn(line, "\n")] = 0;
		kv_out_init(&o, out + len, size - len);
		kv_out_raw(&o, line);
		kv_out_crc(&o, 0);
		if (o.err || len + o.len + 2 > size)
			err = -EFBIG;
		len += o.len;
		out[len++] = '\n';
	}
	if (f)
		fclose(f);
	return err;
}

int main(int argc, char **argv)
{
	struct ext2_tree tree = {0};
	unsigned char *image = NULL;
	size_t len = 0, bytes = 0;
	uint64_t at = 0, room = 0;
	char *text = NULL;
	int err;

	if (argc != 2 && argc != 3) {
		fprintf(stderr, "usage: mkext2 FREE_BYTES [JOB] <ARCHIVES >IMAGE\n");
		return 2;
	}
	err = io_read_file("/dev/stdin", 64u << 20, &text, &len);
	if (!err)
		err = ext2_tree_cpio(&tree, text, len);
	if (!err)
		err = ext2_make(&tree, strtoul(argv[1], NULL, 10), &image, &bytes);
	if (!err)
		err = ext2_job_find(image, bytes, &at, &room);
	if (!err && argc == 3)
		err = put_job(argv[2], (char *)image + at, (size_t)room);
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
