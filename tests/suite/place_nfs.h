/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * place_nfs: the NFS half of place.h: mounts with what the parameters say, reads back what came of it. For place.c alone.
 */
#ifndef KD_SUITE_PLACE_NFS_H
#define KD_SUITE_PLACE_NFS_H

#include "place.h"

/* The environment and the parameters, a mount point, the first mount, what it became. 0 or the exit status, p->why set. */
int place_nfs_open(struct place *p, const struct arg *args);
/* umount and mount. The same. */
int place_nfs_again(struct place *p);
/* 0 or the exit status, said: a stall. */
int place_nfs_report(const struct place *p);
/* Unmounts and removes the mount point, as far as they are there. */
void place_nfs_close(struct place *p);

#endif
