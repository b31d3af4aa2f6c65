/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * pstore: what a dead kernel left where a reset does not reach (ramoops, ERST, EFI), as /sys/fs/pstore shows it
 * (Documentation/ABI/testing/pstore). It is sent as text, and taken away only when the station, or NFS, has it.
 */
#ifndef KD_BOX_PSTORE_H
#define KD_BOX_PSTORE_H

#include "box/box.h"

#define PSTORE_PATH "/sys/fs/pstore"
#define PSTORE_FILES_MAX 8

struct pstore {
	unsigned files;
	char name[PSTORE_FILES_MAX][64]; /* that were sent */
};

/* Where there is one, and nobody has. May take long. */
void pstore_mount(void);
/* Before bye: `text name=pstore-FILE [of=TAG]` of each dump. */
void pstore_send(struct pstore *p, const char *folder, struct records *r);
/* After a bye that was answered. */
void pstore_forget(struct pstore *p, const char *folder);
/* The try that a dump is of (kmsg_mark), or 0. Pure. */
uint32_t pstore_of(const char *text);

#endif
