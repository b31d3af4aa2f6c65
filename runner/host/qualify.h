/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * qualify: from the sweeps of `kdyno box qualify` (one a switch, the same kernel and variants) to the verdict on a box: whether every boot of
 * a switch came up as expected, how long it takes from boot to boot, and whether it shifts a primary metric.
 *
 * A shift is judged as compare does it (verdict.h): exact Mann-Whitney on one value a boot, Holm over all primaries and variants of a switch
 * against the base, no-change only where the whole interval is within the threshold. Too few boots are never "the same".
 */
#ifndef KD_QUALIFY_H
#define KD_QUALIFY_H

#include <stdio.h>

#include "host/measure.h"
#include "host/qualified.h"
#include "host/verdict.h"

#define QUALIFY_ALPHA .05
#define QUALIFY_THRESHOLD .03

struct qualify_row { /* a primary of a variant: a switch against the base */
	enum plan_switch sw;
	const struct measure_metric *metric;
	const char *variant;
	int early; /* of a test that measures the boot itself */
	struct verdict v;
};

struct qualify {
	const struct measure *m[PLAN_FIRMWARE + 1]; /* given, by switch; NULL: not tried */
	struct qualify_row *row;
	size_t rows;
};

/* How the boots of a sweep went: safe, boots, complete, bad, why, turn_ms. Pure. */
void qualify_judge_way(struct qualified_way *w, const struct plan *p, const struct journal *j);
/* Fills q->base and the shifts of its ways, and the rows. 0 or -ENOMEM. */
int qualify_judge_shifts(struct qualify *k, struct qualified *q);
void qualify_print(const struct qualify *k, const struct qualified *q, FILE *f);
void qualify_free(struct qualify *k);

#endif
