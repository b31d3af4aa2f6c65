/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * tree_mark: the line beside a tree that is left for the next boot. It is written when the tree is whole and on the disk, and removed before anything
 * of the tree is touched: where there is a mark, the tree is as it was made.
 *
 *     kdyno-tree v=1 seed= files= dirs= median_bytes= tag= subject= release= *crc
 */
#ifndef KD_SUITE_TREE_MARK_H
#define KD_SUITE_TREE_MARK_H

#include <stddef.h>

#include "tree.h"

#define TREE_MARK_MAX 512

struct tree_mark {
	struct tree tree;                        /* its parameters; not the weights */
	char tag[16], subject[136], release[72]; /* of the boot that made it; "" unknown */
};

/* Pure. The line, with newline. Its length or -EMSGSIZE. */
long tree_mark_format(const struct tree_mark *m, char *out, size_t size);
/* Pure. 0, -EBADMSG: no whole line of this kind. */
int tree_mark_parse(struct tree_mark *m, const char *text, size_t len);

#endif
