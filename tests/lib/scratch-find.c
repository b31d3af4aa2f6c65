/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * scratch-find: what the runner does before a test that needs the scratch disk, by the runner's own code: finds it, makes the file system that ARGS
 * want, mounts it; then unmounts. usage: scratch-find BOX [ARGS]. Prints `disk NAME`, or `skip REASON` and exits with 4.
 * Trap: it overwrites the disk with the mark of BOX, as the runner would; run it in a mount namespace with a /proc/partitions of its own.
 */
#include <stdio.h>

#include "box/scratch.h"

int main(int argc, char **argv)
{
	struct scratch s;
	char reason[256];

	if (argc < 2 || argc > 3) {
		fprintf(stderr, "usage: scratch-find BOX [ARGS]\n");
		return 2;
	}
	if (scratch_make(&s, argv[1], argc > 2 ? argv[2] : "", reason, sizeof reason)) {
		printf("skip %s\n", reason);
		return 4;
	}
	printf("disk %s %s\n", s.disk, s.kept ? "kept" : "made");
	return scratch_unmount() ? 1 : 0;
}
