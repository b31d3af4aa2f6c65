/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * tree_order: can the tests of a boot share the scratch disk with a tree that goes from boot to boot (disk-tree, docs/suite.md)? What measures the
 * tree of the boot before (part=left) must be the first that uses the disk, what leaves one for the next (part=make) the last, since all others make a
 * file system over it; and both must speak of the same tree.
 */
#ifndef KD_TREE_ORDER_H
#define KD_TREE_ORDER_H

#include <stddef.h>

#include "common/plan.h"

/* Pure. The tests of a plan in their order: 0, or -EINVAL and what is wrong, in one line. */
int tree_order_check(const struct plan *p, char *err, size_t size);

#endif
