/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * freeze: what a sweep boots, put beside its schedule, so that a later build or another kernel of the same name changes nothing: image
 * in a compression that the kernel knows, pack, and the manifest with hashes, command lines and what each kernel must say of itself.
 */
#ifndef KD_FREEZE_H
#define KD_FREEZE_H

#include <stdio.h>

#include "common/kv.h"
#include "host/board.h"
#include "host/kernel.h"
#include "host/work.h"

/* The compression to use for a kernel: "gz", "xz", "zst" or "" (none), among those that a built image has; NULL: none fits. */
const char *freeze_compression(const struct kernel *k, int (*have)(void *user, const char *ext), void *user);
/* Freezes one kernel's files into w->dir and writes its manifest lines. remarks: a line each for people. */
int freeze_kernel(struct work *w, const char *sweep, const struct kernel *k, const struct board *b, FILE *manifest, FILE *remarks);
/* Takes away what the kernels shared while they were frozen. */
void freeze_finish(struct work *w);
/* Writes a built line (its CRC is added here) and a newline. */
int freeze_line(struct work *w, struct kv_out *o, FILE *out);

#endif
