/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * loader: the entry of a box (pxe.h) for QEMU's own loader, for twins whose firmware cannot boot from the network: iPXE of today wants more than a 486.
 */
#ifndef KD_LOADER_H
#define KD_LOADER_H

#include "host/board.h"

struct loader {
	char *kernel, *initrd, *cmdline; /* malloc'd; paths of the lab, and -append */
};

/* Pure: cuts an entry as pxe_entry writes it. files: the names behind INITRD, as they stand. 0, -EBADMSG or -ENOMEM. */
int loader_parse(const char *entry, char **kernel, char **files, char **cmdline);
/* Reads the entry and lays its initrd files behind each other into tftp/<box>/loader. 0 or -errno; *l is to be freed in any case. */
int loader_read(struct loader *l, const struct board *b);
void loader_free(struct loader *l);

#endif
