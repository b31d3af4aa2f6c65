/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * journal_fixture: an empty journal and a plan of twelve lines for each test.
 */
#ifndef KD_JOURNAL_FIXTURE_H
#define KD_JOURNAL_FIXTURE_H

#include "unit.h"

#include "common/journal.h"

#define LINES 12
#define SUBJECTS 2

static struct journal *j;
static struct plan plan;
static struct plan_try tries[LINES];
static struct plan_subject subjects[SUBJECTS];

/* Lines 1 to 12, boots 1 to 12, subjects in turn; tags 101 to 112. */
static inline int setup(void **state)
{
	(void)state;
	memset(&plan, 0, sizeof(plan));
	memset(tries, 0, sizeof(tries));
	for (unsigned i = 0; i < LINES; i++)
		tries[i] = (struct plan_try){.line = i + 1, .tag = 101 + i, .boot = i + 1, .subject = i % SUBJECTS};
	plan.try = tries;
	plan.tries = LINES;
	plan.subject = subjects;
	plan.subjects = SUBJECTS;
	plan.tries_max = 3;
	j = calloc(1, sizeof(*j));
	if (j)
		journal_init(j);
	return !j;
}

static inline int teardown(void **state)
{
	(void)state;
	free(j);
	return 0;
}

#endif
