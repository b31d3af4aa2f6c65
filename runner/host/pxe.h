/* SPDX-License-Identifier: GPL-2.0-or-later */
/* pxe: what the firmware of a box loads: tftp/<box>/ with a loader that takes no input and never waits, home's kernel and image. */
#ifndef KD_PXE_H
#define KD_PXE_H

#include "host/board.h"
#include "host/ports.h"
#include "host/sweep.h"

/* ADDR under which the box reaches the station's servers. */
#define PXE_TWIN_ADDR "10.0.2.2"

/* Makes tftp/<box>/ for a sweep. nfs: 1 where the NFS servers run. Dies with one line. */
void pxe_write(const struct sweep *s, const struct board *b, const struct ports *p, int nfs);
/* Home's command line. Length or -EMSGSIZE. */
long pxe_cmdline(const struct sweep *s, const struct board *b, const struct ports *p, int nfs, char *out, size_t size);

#endif
