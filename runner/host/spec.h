/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * spec: what a person wants of a sweep, from options and a sweep.conf, before anything is looked up: docs/sweeps.md lists the keys.
 */
#ifndef KD_SPEC_H
#define KD_SPEC_H

#include <stddef.h>
#include <stdint.h>

#include "common/plan.h"
#include "host/conf.h"

struct spec_variant {
	char name[PLAN_ID_MAX + 1];
	char *words; /* for the command line; "" for none */
};

struct spec {
	char *box, *profile, *home;       /* malloc'd; defaults filled by spec_finish */
	char *sw;                         /* chain, via-home, firmware; NULL: the board's */
	char *kernels, *variants, *tests; /* comma lists as given, NULL: not given */
	char *overlay;                    /* comma list of files, or NULL */
	char *args;                       /* comma list of TEST.NAME=VALUE, or NULL */
	int seed_given, ssh;
	uint64_t seed, rounds, tries;
	struct spec_variant variant[PLAN_SUBJECTS_MAX];
	size_t n_variants;
	char *kernel[PLAN_SUBJECTS_MAX];
	size_t n_kernels;
};

/* Fills what is not yet given (options come first). 0 or -errno with *e. */
int spec_read(struct spec *s, const struct conf *c, struct conf_error *e);
/* Takes the lists apart, fills defaults, checks words. 0 or -EINVAL with what is wrong in err. */
int spec_finish(struct spec *s, char *err, size_t size);
void spec_free(struct spec *s);

#endif
