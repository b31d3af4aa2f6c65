/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * plan_fixture: a schedule that is right, line by line, for tests that put something wrong into it.
 */
#ifndef KD_PLAN_FIXTURE_H
#define KD_PLAN_FIXTURE_H

#include "unit.h"

#include "common/kv.h"
#include "common/plan.h"

#define SWEEP "sweep v=1 id=s1 box=b1 seed=42 rounds=2 tries=3 switch=chain suite=quick home=h1 again_s=60 deaf_s=180 jump_s=90 made=0"
#define SUBJECT_A "subject id=6.1/smp kernel=6.1 variant=smp"
#define SUBJECT_B "subject id=6.1/up kernel=6.1 variant=up"
#define TEST_A "test name=fork deadline_ms=60000 quiet_ms=30000 mem_kb=2048 needs= args=loops%3D3"
#define TEST_B "test name=disk-seq deadline_ms=60000 quiet_ms=30000 mem_kb=0 needs=scratch,net args=size_bytes%3D16,loops%3D3,x%3D"
#define TRY_1 "try line=1 tag=00000001 boot=1 round=1 subject=6.1/smp discard=1 why=plan"
#define TRY_2 "try line=2 tag=00000002 boot=2 round=1 subject=6.1/up discard=0 why=plan"
#define TRY_3 "try line=3 tag=7fffffff boot=1 round=1 subject=6.1/smp discard=0 why=again of=1"

struct text {
	char s[65536];
	size_t len;
};

static struct text schedule;
static struct plan plan;
static struct plan_error why;

static inline void add(struct text *t, const char *line)
{
	struct kv_out o;

	kv_out_init(&o, t->s + t->len, sizeof(t->s) - t->len);
	kv_out_raw(&o, line);
	kv_out_crc(&o, 0);
	assert_int_equal(o.err, 0);
	t->len += o.len;
	t->s[t->len++] = '\n';
	t->s[t->len] = 0;
}

static inline void add_all(struct text *t, const char *const *lines)
{
	t->len = 0;
	for (; *lines; lines++)
		add(t, *lines);
}

static const char *const good_schedule[] = {SWEEP, SUBJECT_A, SUBJECT_B, TEST_A, TEST_B, TRY_1, TRY_2, TRY_3, NULL};

static inline int read_schedule(void)
{
	char *exact = malloc(schedule.len); /* not NUL-terminated: a read past the end is seen */
	int err;

	assert_non_null(exact);
	memcpy(exact, schedule.s, schedule.len);
	err = plan_read_schedule(&plan, exact, schedule.len, &why);
	free(exact);
	return err;
}

#endif
