/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * sweep_text: the schedule of a new sweep as text, its command lines, and what a person is told of it.
 */
#ifndef KD_SWEEP_TEXT_H
#define KD_SWEEP_TEXT_H

#include <stdio.h>

#include "common/plan.h"
#include "host/suite.h"
#include "host/work.h"

/* The cmdline lines of the manifest. */
int sweep_text_cmdlines(struct work *w, const struct plan *p, FILE *manifest);
/* Writes w->dir/schedule, after reading it and the manifest back as a box will. */
int sweep_text_write(struct work *w, const struct plan *p, const char *manifest, size_t len);
/* The primaries of the sweep's tests. */
unsigned sweep_text_primaries(const struct plan *p, const struct suite *all);
/* Summary to stdout, warnings to stderr. all: with the plan adopted. boot_s: what a boot takes, about; 0: not known. remarks: lines, or NULL. */
void sweep_text_print(const struct plan *p, const struct suite *all, unsigned boot_s, const char *remarks);

#endif
