/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * step: one test of the suite (docs/test-programs.md): what it needs, spawn, deadline, its facts as records, its end as one of
 * pass, fail, skip, timeout, crash.
 */
#ifndef KD_BOX_STEP_H
#define KD_BOX_STEP_H

#include "box/box.h"

#define STEP_FACT_MAX 160

void step_run(struct box *b, const struct job_test *t);

/* What a line on fd 3 became. Pure but for the records it draws; reason gets the text of skip and fail lines. */
void step_take_fact(struct records *r, const char *test, const char *line, size_t len, char *reason, size_t reason_size);

#endif
