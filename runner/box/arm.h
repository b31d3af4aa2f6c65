/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * arm: loads home as crash kernel beside the one that runs, where the sweep wants it. Never fails a boot: an env record says whether the
 * box is armed, by what, how long it took, or why not.
 */
#ifndef KD_BOX_ARM_H
#define KD_BOX_ARM_H

#include "box/box.h"

/* When the network is up, before the timed tests. */
void arm_crash(struct box *b);

/* The crash kernel's command line. ram and bsp: what it must find again (crash.h). Length or -errno. Pure. */
long arm_format_cmdline(const struct job *me, const struct plan *p, uint64_t ram_bytes, unsigned bsp, char *out, size_t size);

#endif
