/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * pxe: what the firmware of a box loads: tftp/<box>/ with a loader that takes no input and never waits, home's kernel and image, and where the
 * firmware boots the subjects, the next one's. The entry says which; it is replaced whole.
 */
#ifndef KD_PXE_H
#define KD_PXE_H

#include "host/board.h"
#include "host/ports.h"
#include "host/sweep.h"

/* ADDR under which the box reaches the station's servers. */
#define PXE_TWIN_ADDR "10.0.2.2"

/* Makes tftp/<box>/ for a sweep. nfs: 1 where the NFS servers run. Dies with one line. */
void pxe_write(const struct sweep *s, const struct board *b, const struct ports *p, int nfs);
/* Only the entry, so that home is what boots next. 0 or -errno (-EMSGSIZE: its command line is too long). */
int pxe_write_home(const struct sweep *s, const struct board *b, const struct ports *p, int nfs);
/* The files of a line and its job, then the entry: it is what boots next. prev: the tag of the boot that asked. 0 or -errno. */
int pxe_write_subject(const struct sweep *s, const struct board *b, const struct ports *p, int nfs, unsigned line, uint32_t prev);
/* Text of an entry for files `<prefix>kernel`, `image`, `pack` and `job`; a legacy image holds its job, and has no pack. Pure. Length or -EMSGSIZE. */
enum pxe_job { PXE_NO_JOB, PXE_JOB_BEHIND, PXE_JOB_INSIDE };
long pxe_entry(const char *label, const char *prefix, enum pxe_job job, const char *cmdline, char *out, size_t size);
/* Home's command line. Length or -EMSGSIZE. */
long pxe_cmdline(const struct sweep *s, const struct board *b, const struct ports *p, int nfs, char *out, size_t size);

#endif
