/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * pack: the modules of a kernel that a board needs, with all that these need, decompressed, as a cpio to append to the image
 * (docs/formats.md, "pack"). The same kernel and board give the same bytes.
 */
#ifndef KD_PACK_H
#define KD_PACK_H

#include "host/board.h"
#include "host/kernel.h"
#include "host/module.h"

struct pack {
	size_t modules;
	uint64_t bytes;
	char missing[512]; /* optional modules that the kernel lacks, comma list */
	char watchdog[64]; /* the first of the board's watchdog drivers that the kernel has; "": none, or software */
	int unproven;      /* the kernel has no modules and no list of what is built in: taken on trust */
};

/* Writes the pack. 0 or -errno with the reason in err, which names kernel and module. */
int pack_write(struct pack *p, const struct kernel *k, const struct board *b, const char *path, char *err, size_t size);
/* The modules of a kernel of the lab. *unproven as above. 0 or -errno with the reason. */
int pack_index(struct module_index *m, const struct kernel *k, int *unproven, char *err, size_t size);

#endif
