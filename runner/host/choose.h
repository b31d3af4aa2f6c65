/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * choose: the tests of a sweep: those of a profile in its order, behind them those that an overlay brought and the profile does not name, narrowed
 * by --tests, with the parameters of the descriptor, over them the profile's, over them --arg; sizes as numbers (sizes.h). Pure.
 */
#ifndef KD_CHOOSE_H
#define KD_CHOOSE_H

#include "host/profile.h"
#include "host/sizes.h"
#include "host/suite.h"

#define CHOOSE_PRIMARIES_MAX 10

struct choose {
	const struct suite *suite;
	const struct profile *profile;
	const char *more;  /* comma list of tests that are added at the end, or NULL */
	const char *tests; /* comma list, or NULL: all */
	const char *args;  /* comma list of TEST.NAME=VALUE, or NULL; TEST may be *: every test that has NAME */
	struct sizes sizes;
};

/* Fills p->test and p->tests. 0, or -EINVAL or -ENOMEM with one line in err; what p has then is for plan_free. */
int choose_tests(const struct choose *c, struct plan *p, char *err, size_t size);

#endif
