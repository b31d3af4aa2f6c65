/* SPDX-License-Identifier: GPL-2.0-or-later */
/* From the sweeps of a box's switches to the verdict: which boots count against kexec, what is a shift, and that too few are never the same. */
#include "results_fixture.h"

#include "host/qualify.h"

/* One kernel, two variants. */
static void init(struct fx *f, enum plan_switch sw, unsigned rounds, unsigned tests)
{
	fx_init(f, 2, rounds, tests);
	f->plan.sw = sw;
	strcpy(f->subject[0].variant, "smp");
	strcpy(f->subject[1].variant, "up");
}

/* Values around `base`, which a factor shifts; every boot as its switch says. */
static void fill(struct fx *f, const double *factor)
{
	static const double noise[] = {1, 1.002, .998, 1.001, .999, 1.003, .997, 1.0005};

	for (unsigned l = 1; l <= f->plan.tries; l++) {
		fx_hello(f, l, plan_switch_name(f->plan.sw));
		for (unsigned t = 0; t < f->plan.tests; t++)
			fx_value(f, l, t, 1e6 * (t + 1) * factor[t] * noise[(l * 7 + t) % 8]);
	}
	fx_measure(f);
}

static void judge(struct qualify *k, struct qualified *q, struct fx *chain, struct fx *home, struct fx *firmware)
{
	memset(k, 0, sizeof *k);
	memset(q, 0, sizeof *q);
	k->m[PLAN_CHAIN] = chain ? &chain->m : NULL;
	k->m[PLAN_VIA_HOME] = home ? &home->m : NULL;
	k->m[PLAN_FIRMWARE] = firmware ? &firmware->m : NULL;
	assert_int_equal(qualify_judge_shifts(k, q), 0);
}

static void test_shift(void **state)
{
	static struct fx chain, home, firmware;
	const double same[] = {1, 1, 1}, second[] = {1, 1.2, 1};
	struct qualify k;
	struct qualified q;

	(void)state;
	init(&chain, PLAN_CHAIN, 8, 3);
	init(&home, PLAN_VIA_HOME, 8, 3);
	init(&firmware, PLAN_FIRMWARE, 8, 3);
	fill(&chain, second);
	fill(&home, same);
	fill(&firmware, same);
	judge(&k, &q, &chain, &home, &firmware);
	assert_int_equal(q.base, PLAN_FIRMWARE);
	assert_int_equal(k.rows, 12);
	assert_int_equal(q.way[PLAN_CHAIN].shift, QUALIFIED_YES);
	assert_string_equal(q.way[PLAN_CHAIN].shifted, "t1.m@smp:1.200,t1.m@up:1.200");
	assert_int_equal(q.way[PLAN_VIA_HOME].shift, QUALIFIED_NO);
	assert_string_equal(q.way[PLAN_VIA_HOME].shifted, "");
	assert_int_equal(q.way[PLAN_FIRMWARE].shift, QUALIFIED_NO);
	qualify_free(&k);

	/* the same of a test that measures the boot itself is another word */
	strcpy(firmware.suite_test[1].needs, "early");
	judge(&k, &q, &chain, &home, &firmware);
	assert_int_equal(q.way[PLAN_CHAIN].shift, QUALIFIED_BOOT);
	qualify_free(&k);

	/* without firmware via-home is the base; without that there is none */
	judge(&k, &q, &chain, &home, NULL);
	assert_int_equal(q.base, PLAN_VIA_HOME);
	assert_int_equal(q.way[PLAN_CHAIN].shift, QUALIFIED_YES);
	assert_int_equal(k.rows, 6);
	qualify_free(&k);
	judge(&k, &q, &chain, NULL, NULL);
	assert_int_equal(q.base, 0);
	assert_int_equal(q.way[PLAN_CHAIN].shift, QUALIFIED_UNKNOWN);
	qualify_free(&k);
	fx_free(&chain);
	fx_free(&home);
	fx_free(&firmware);
}

/* Three boots a side cannot prove anything: not that they differ, and not that they are the same. */
static void test_too_few(void **state)
{
	static struct fx chain, firmware;
	const double same[] = {1}, other[] = {2};
	struct qualify k;
	struct qualified q;

	(void)state;
	for (int differ = 0; differ < 2; differ++) {
		init(&chain, PLAN_CHAIN, 3, 1);
		init(&firmware, PLAN_FIRMWARE, 3, 1);
		fill(&chain, differ ? other : same);
		fill(&firmware, same);
		judge(&k, &q, &chain, NULL, &firmware);
		assert_int_equal(q.way[PLAN_CHAIN].shift, QUALIFIED_UNKNOWN);
		assert_true(k.row[0].v.too_few);
		qualify_free(&k);
		fx_free(&chain);
		fx_free(&firmware);
	}
}

/* A variant that never came up under one switch: no numbers, and so not the same. */
static void test_one_side_empty(void **state)
{
	static struct fx chain, firmware;
	const double same[] = {1};
	struct qualify k;
	struct qualified q;

	(void)state;
	init(&chain, PLAN_CHAIN, 8, 1);
	init(&firmware, PLAN_FIRMWARE, 8, 1);
	for (unsigned l = 2; l <= 16; l += 2)
		fx_state(&chain, l, JOURNAL_FAILED, "no-hello");
	fill(&chain, same);
	fill(&firmware, same);
	judge(&k, &q, &chain, NULL, &firmware);
	assert_int_equal(q.way[PLAN_CHAIN].shift, QUALIFIED_UNKNOWN);
	qualify_free(&k);
	fx_free(&chain);
	fx_free(&firmware);
}

static struct qualified_way way_of(struct fx *f)
{
	struct qualified_way w = {0};

	qualify_judge_way(&w, &f->plan, f->journal);
	return w;
}

static void test_way(void **state)
{
	static struct fx f;
	struct qualified_way w;

	(void)state;
	init(&f, PLAN_CHAIN, 3, 1);
	w = way_of(&f);
	assert_int_equal(w.safe, QUALIFIED_OPEN);
	for (unsigned l = 1; l <= 5; l++)
		fx_state(&f, l, JOURNAL_COMPLETE, NULL);
	w = way_of(&f);
	assert_int_equal(w.safe, QUALIFIED_OPEN);
	assert_int_equal(w.boots, 6);
	assert_int_equal(w.complete, 5);
	fx_state(&f, 6, JOURNAL_COMPLETE, NULL);
	w = way_of(&f);
	assert_int_equal(w.safe, QUALIFIED_SAFE);

	/* further lines of boot 6, before the one that is complete: stopped, and a network that was away, say nothing of kexec */
	f.try[6] = (struct plan_try){.line = 7, .tag = 0x70, .boot = 6, .subject = 1, .of = 6};
	f.try[7] = (struct plan_try){.line = 8, .tag = 0x80, .boot = 6, .subject = 1, .of = 6};
	f.plan.tries = 8;
	fx_state(&f, 7, JOURNAL_VOID, NULL);
	fx_state(&f, 8, JOURNAL_FAILED, "fetch");
	w = way_of(&f);
	assert_int_equal(w.safe, QUALIFIED_SAFE);
	assert_int_equal(w.boots, 6);

	/* these do, though the boot came up at the next try */
	journal_init(f.journal);
	for (unsigned l = 1; l <= 6; l++)
		fx_state(&f, l, JOURNAL_COMPLETE, NULL);
	fx_state(&f, 7, JOURNAL_NOT_RUN, NULL);
	w = way_of(&f);
	assert_int_equal(w.safe, QUALIFIED_UNSAFE);
	assert_string_equal(w.why, "not-run");
	fx_state(&f, 8, JOURNAL_FAILED, "wrong-kernel");
	fx_state(&f, 8, JOURNAL_VOID, NULL);
	w = way_of(&f);
	assert_int_equal(w.bad, 2);
	assert_string_equal(w.why, "wrong-kernel");
	fx_free(&f);
}

static void at(struct fx *f, unsigned line, enum journal_state_id s, uint64_t ms)
{
	struct journal_entry e = {.line = line, .tag = f->try[line - 1].tag, .state = s, .name = s == JOURNAL_FAILED ? "silent" : NULL};

	journal_apply(f->journal, &e, ms);
}

/* From the end of a boot to the next hello; not over a failure, which costs more. */
static void test_turn(void **state)
{
	static struct fx f;

	(void)state;
	init(&f, PLAN_CHAIN, 3, 1);
	assert_int_equal(way_of(&f).turn_ms, 0);
	at(&f, 1, JOURNAL_HELLO, 10000);
	at(&f, 1, JOURNAL_COMPLETE, 20000);
	at(&f, 2, JOURNAL_HELLO, 23000); /* 3 s */
	at(&f, 2, JOURNAL_COMPLETE, 30000);
	at(&f, 3, JOURNAL_HELLO, 34000); /* 4 s */
	at(&f, 3, JOURNAL_FAILED, 40000);
	at(&f, 4, JOURNAL_HELLO, 400000);
	at(&f, 4, JOURNAL_COMPLETE, 410000);
	at(&f, 5, JOURNAL_HELLO, 415000); /* 5 s */
	assert_int_equal(way_of(&f).turn_ms, 4000);
	fx_free(&f);
}

int main(void)
{
	const struct CMUnitTest list[] = {
		cmocka_unit_test(test_shift), cmocka_unit_test(test_too_few), cmocka_unit_test(test_one_side_empty),
		cmocka_unit_test(test_way),   cmocka_unit_test(test_turn),
	};

	return cmocka_run_group_tests(list, NULL, NULL);
}
