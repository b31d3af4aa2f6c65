/* SPDX-License-Identifier: GPL-2.0-or-later */
/* sweep_switch: how a new sweep gets from boot to boot: from the board, --switch, what the kernels can, and what the box is qualified for. */
#ifndef KD_SWEEP_SWITCH_H
#define KD_SWEEP_SWITCH_H

#include <stdio.h>

#include "host/board.h"
#include "host/kernel.h"
#include "host/spec.h"

/* Sets p->sw (p->box is set). kernels: the spec's subjects, then home. Warnings to stderr; remarks: lines for people. */
void sweep_switch_set(struct plan *p, const struct spec *s, const struct kernel *kernels, const struct board *b, FILE *remarks);

#endif
