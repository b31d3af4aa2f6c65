/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * expand: see expand.h. Trap: rand() and shuffles by modulo differ from machine to machine, or favour some orders; hence a
 * generator of our own and rejection.
 */
#include "host/expand.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "common/record.h"

static uint32_t next(struct expand_rng *r)
{
	uint64_t old = r->state;
	r->state = old * 6364136223846793005u + r->inc;
	uint32_t x = (uint32_t)(((old >> 18) ^ old) >> 27), rot = (uint32_t)(old >> 59);
	return x >> rot | x << (-rot & 31);
}

void expand_seed(struct expand_rng *r, uint64_t seed)
{
	r->state = 0;
	r->inc = 0xda3e39cb94b95bdbu; /* a stream; odd */
	next(r);
	r->state += seed;
	next(r);
}

uint32_t expand_below(struct expand_rng *r, uint32_t bound)
{
	uint32_t threshold = -bound % bound, v;
	do
		v = next(r);
	while (v < threshold);
	return v % bound;
}

static int known(const struct plan *p, uint32_t tag)
{
	for (size_t i = 0; i < p->tries; i++)
		if (p->try[i].tag == tag)
			return 1;
	return 0;
}

static int add(struct plan *p, unsigned round, unsigned subject, int (*draw)(void *, uint32_t *), void *user)
{
	uint32_t tag;
	do {
		int err = draw(user, &tag);
		if (err)
			return err;
		tag &= ~RECORD_TAG_BOX;
	} while (!tag || known(p, tag));
	unsigned line = (unsigned)p->tries + 1;
	p->try[p->tries++] =
		(struct plan_try){.line = line, .tag = tag, .boot = line, .round = round, .subject = subject, .discard = round == 0, .why = "plan"};
	return 0;
}

int expand_tries(struct plan *p, int (*draw)(void *user, uint32_t *tag), void *user)
{
	struct expand_rng r;
	unsigned order[PLAN_SUBJECTS_MAX], n = (unsigned)p->subjects;
	if (!n || n > PLAN_SUBJECTS_MAX || !p->tries_max || (uint64_t)n * p->rounds + 1 > PLAN_TRIES_MAX / p->tries_max)
		return -E2BIG;
	p->try = calloc((size_t)n * p->rounds + 1, sizeof *p->try);
	if (!p->try)
		return -ENOMEM;
	expand_seed(&r, p->seed);
	int err = add(p, 0, expand_below(&r, n), draw, user);
	for (unsigned round = 1; !err && round <= p->rounds; round++) {
		for (unsigned i = 0; i < n; i++)
			order[i] = i;
		for (unsigned i = n; i > 1; i--) { /* Fisher and Yates */
			unsigned j = expand_below(&r, i), keep = order[i - 1];
			order[i - 1] = order[j];
			order[j] = keep;
		}
		for (unsigned i = 0; !err && i < n; i++)
			err = add(p, round, order[i], draw, user);
	}
	return err;
}
