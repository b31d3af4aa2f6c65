/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * measure_reads: values of metrics that have a `path` in the JSON text which their test `reads` (docs/formats.md). For measure.c.
 */
#ifndef KD_MEASURE_READS_H
#define KD_MEASURE_READS_H

#include "host/measure.h"

/* Of one boot, after its metric records were read. 0 or -ENOMEM. */
int measure_reads(struct measure *m, size_t boot);

#endif
