/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * tree_work: a tree (tree.h) on a file system: made as tar unpacks it, walked as find does, read as grep -r does, removed as rm -r does.
 *
 *     make    mkdir, open, write, close and utime of each, folder by folder
 *     walk    readdir and lstat of each, whatever d_type says: it is lstat that is measured
 *     read    readdir, open, read to the end, close; each byte is compared with what it must be
 *     remove  readdir order, while the folder is read; unlink first, and what says that it is a folder is gone into
 *
 * What is found is summed up and must be the whole tree, no more and no less. Memory: a stack of folders, one buffer of 64 KiB and its pattern.
 * Removing goes by unlinkat (2.6.16 on), where a kernel lacks it by unlink with the whole path; which it was is in the facts. The trap: on some file systems
 * a folder that is changed while it is read skips entries, so it is read again until it is empty.
 */
#ifndef KD_SUITE_TREE_WORK_H
#define KD_SUITE_TREE_WORK_H

#include "pattern.h"
#include "progress.h"
#include "tree.h"

#define TREE_CHUNK 65536
#define TREE_TOP_MAX 400 /* of the path of the top */

struct tree_work {
	/* given */
	const struct tree *tree;
	/* running */
	struct pattern pattern;
	char *buf;
	char path[TREE_TOP_MAX + TREE_PATH_MAX + TREE_NAME_MAX];
	size_t top_len;
	int by_path; /* there is no unlinkat */
	/* result */
	struct tree_sum sum;      /* of the last work */
	struct progress progress; /* of the last work; a file counts 1 KiB */
	char why[200];            /* of an error */
};

/* top: the folder that is, or is to become, the top. 0, -ENOMEM, -ENAMETOOLONG. */
int tree_work_init(struct tree_work *w, const struct tree *t, const char *top);
void tree_work_free(struct tree_work *w);

/* Each 0 or -errno with why; -EILSEQ: something is there that is not of the tree, or is not as it was written. */
int tree_work_make(struct tree_work *w);
int tree_work_walk(struct tree_work *w);
int tree_work_read(struct tree_work *w);
int tree_work_remove(struct tree_work *w); /* the top too */
/* Is what the last work found the whole tree? 0, -EILSEQ with why. with_bytes: sizes were seen. */
int tree_work_whole(struct tree_work *w, const struct tree_sum *whole, int with_bytes);

#endif
