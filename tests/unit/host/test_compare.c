/* SPDX-License-Identifier: GPL-2.0-or-later */
/* compare: failures apart from numbers, strata not mixed, differences noted, and the text and JSON of it. */
#include "results_fixture.h"

#include <jansson.h>

#include "host/compare.h"

static void make_of(struct fx *f, struct compare *c, int armed)
{
	struct compare_options o = {.base = 0, .alpha = .05, .threshold = .03, .armed = armed};
	fx_measure(f);
	assert_int_equal(compare_make(c, &f->m, &o), 0);
}

static void make(struct fx *f, struct compare *c) { make_of(f, c, 0); }

static void done(struct fx *f, struct compare *c)
{
	compare_free(c);
	fx_free(f);
}

/* The row of a test's primary metric in a pair. */
static const struct compare_row *row(const struct compare *c, size_t pair, const char *test)
{
	for (size_t i = 0; i < c->pair[pair].rows; i++)
		if (c->pair[pair].row[i].primary && !strcmp(c->m->metric[c->pair[pair].row[i].metric].test, test))
			return &c->pair[pair].row[i];
	fail_msg("no row for %s", test);
	return NULL;
}

static const struct compare_note *note(const struct compare *c, size_t pair, const char *about)
{
	for (size_t i = 0; i < c->pair[pair].notes; i++)
		if (!strcmp(c->pair[pair].note[i].about, about))
			return &c->pair[pair].note[i];
	return NULL;
}

static void is(const struct compare_row *r, enum verdict_id id, const char *why)
{
	assert_string_equal(verdict_name(r->v.id), verdict_name(id));
	if (why)
		assert_string_equal(r->why, why);
}

static void has(const char *text, const char *part)
{
	if (!strstr(text, part))
		fail_msg("no '%s' in: %s", part, text);
}

/* Line l's value: a little different every round, `factor` times as much for the second subject. */
static double value(unsigned l, double factor) { return 1e6 * (1 + .001 * ((l - 1) / 2)) * (l % 2 ? 1 : factor); }

static void fill(struct fx *f, unsigned tests, const double *factor)
{
	for (unsigned l = 1; l <= f->plan.tries; l++) {
		fx_hello(f, l, "chain");
		for (unsigned t = 0; t < tests; t++)
			fx_value(f, l, t, value(l, factor[t]));
	}
}

static void test_order_and_text(void **state)
{
	static const double factor[] = {1, 1.2, .8, 1.5};
	struct fx f;
	struct compare c;
	(void)state;
	fx_init(&f, 2, 6, 4);
	fill(&f, 4, factor);
	make(&f, &c);
	assert_int_equal(c.pairs, 1);
	assert_int_equal(c.pair[0].family, 4);
	is(&c.pair[0].row[0], VERDICT_REGRESSION, "");
	assert_string_equal(f.m.metric[c.pair[0].row[0].metric].test, "t3"); /* the worst first */
	is(row(&c, 0, "t1"), VERDICT_REGRESSION, "");
	is(row(&c, 0, "t2"), VERDICT_IMPROVEMENT, "");
	is(row(&c, 0, "t0"), VERDICT_NO_CHANGE, "");
	char *line = compare_summary(&c, &c.pair[0]);
	has(line, "two/smp against one/smp: slower at t3 (+50.0 %, CI +");
	has(line, "), t1 (+20.0 %");
	has(line, "; faster at t2 (-20.0 %");
	has(line, "; no change: t0");
	free(line);
	done(&f, &c);
}

static void test_failures(void **state)
{
	struct fx f;
	struct compare c;
	(void)state;
	fx_init(&f, 2, 6, 6);
	for (unsigned l = 1; l <= 12; l++) {
		int second = l % 2 == 0;
		fx_value(&f, l, 0, value(l, 1));
		if (l == 4)
			fx_test(&f, l, 1, "timeout", NULL); /* a hang is no slowness */
		else
			fx_value(&f, l, 1, value(l, 1));
		fx_test(&f, l, 2, "skip", NULL);
		if (second)
			fx_record(&f, l, "note", "msg=x"); /* t3 is missing in the second subject */
		else
			fx_value(&f, l, 3, value(l, 1));
		fx_test(&f, l, 4, second ? "pass" : "crash", second ? "name=m v=5" : NULL);
		fx_test(&f, l, 5, "pass", NULL);
	}
	make(&f, &c);
	assert_int_equal(c.pair[0].family, 1);
	is(row(&c, 0, "t0"), VERDICT_NO_CHANGE, "");
	is(row(&c, 0, "t1"), VERDICT_FAILED, "timeout in 1 of 6 boots of two/smp");
	is(row(&c, 0, "t2"), VERDICT_SKIPPED, "no reason given");
	is(row(&c, 0, "t3"), VERDICT_FAILED, "missing in two/smp: absent");
	is(row(&c, 0, "t4"), VERDICT_FAILED, "crash in 6 of 6 boots of one/smp");
	is(row(&c, 0, "t5"), VERDICT_FAILED, "missing on both sides: no usable value");
	is(&c.pair[0].row[0], VERDICT_FAILED, NULL); /* ranked first */
	is(&c.pair[0].row[5], VERDICT_SKIPPED, NULL);
	char *line = compare_summary(&c, &c.pair[0]);
	has(line, "FAILED: t1 (timeout in 1 of 6 boots of two/smp)");
	free(line);
	done(&f, &c);
}

static void test_lost_and_pending(void **state)
{
	static const double factor[] = {1};
	struct fx f;
	struct compare c;
	(void)state;
	fx_init(&f, 3, 6, 1);
	for (unsigned l = 1; l <= 18; l++) {
		if (f.try[l - 1].subject == 0)
			fx_value(&f, l, 0, 100 * factor[0]);
		else if (f.try[l - 1].subject == 1 && l <= 9)
			f.try[l - 1].boot = 2, fx_state(&f, l, JOURNAL_FAILED, "oops");
		else if (f.try[l - 1].subject == 2)
			fx_state(&f, l, l == 3 ? JOURNAL_START : JOURNAL_GO, NULL);
	}
	make(&f, &c);
	assert_int_equal(note(&c, 0, "boots")->weight, COMPARE_FAILURE);
	has(note(&c, 0, "boots")->text, "boots of two/smp lost: oops");
	is(row(&c, 0, "t0"), VERDICT_FAILED, NULL);
	is(row(&c, 1, "t0"), VERDICT_INCONCLUSIVE, "no boot of two/up is complete yet");
	has(note(&c, 1, "pending")->text, "still to come: 6 of 6 boots of two/up");
	done(&f, &c);
}

static void test_strata(void **state)
{
	static const double factor[] = {1};
	struct fx f;
	struct compare c;
	(void)state;
	fx_init(&f, 2, 6, 1);
	fill(&f, 1, factor);
	f.store.record[0].pair[0].val = "via-home"; /* line 1's hello */
	make(&f, &c);
	assert_string_equal(c.pair[0].start, "chain");
	assert_int_equal(c.pair[0].boots_a, 5);
	assert_int_equal(row(&c, 0, "t0")->v.na, 5);
	assert_int_equal(row(&c, 0, "t0")->v.nb, 6);
	has(note(&c, 0, "start")->text, "1 of 12 boots, which were not started by chain");
	done(&f, &c);

	fx_init(&f, 2, 6, 1);
	for (unsigned l = 1; l <= 12; l++) {
		fx_hello(&f, l, l % 2 ? "chain" : "via-home");
		fx_value(&f, l, 0, 100);
	}
	make(&f, &c);
	assert_true(c.pair[0].refused);
	assert_int_equal(c.pair[0].rows, 0);
	char *line = compare_summary(&c, &c.pair[0]);
	has(line, "REFUSED: no boots of one/smp and two/smp were started alike");
	free(line);
	done(&f, &c);
}

static void test_environment(void **state)
{
	static const char *const env[3] =
		{"cpus=2 clocksource=tsc clock_ns=50 mem_kb=1000000 machine=q35 mitigations=off wander=1 uuid=a gov=x",
	         "cpus=2 clocksource=hpet clock_ns=900 mem_kb=999000 machine=q35 mitigations=auto wander=2 uuid=b gov=x",
	         "cpus=1 clocksource=tsc clock_ns=51 mem_kb=800000 machine=other mitigations=off wander=1 uuid=a nic=new%1b"};
	struct fx f;
	struct compare c;
	char text[256];
	(void)state;
	fx_init(&f, 3, 6, 1);
	for (unsigned l = 1; l <= 18; l++) {
		fx_record(&f, l, "env", env[(l - 1) % 3]);
		snprintf(text, sizeof text, "wander=%u uuid=%u", l % 5, l); /* changes from boot to boot */
		fx_record(&f, l, "env", text);
		fx_value(&f, l, 0, 100 + l);
	}
	make(&f, &c);
	assert_int_equal(note(&c, 0, "clocksource")->weight, COMPARE_WARNING);
	has(note(&c, 0, "clocksource")->text, "clocksource: tsc in one/smp, hpet in two/smp; times were not taken with the same clock");
	assert_int_equal(note(&c, 0, "clock_ns")->weight, COMPARE_FACT);
	assert_int_equal(note(&c, 0, "mitigations")->weight, COMPARE_FACT);
	assert_null(note(&c, 0, "cpus"));
	assert_null(note(&c, 0, "mem_kb")); /* a tenth of a percent */
	assert_null(note(&c, 0, "wander"));
	assert_null(note(&c, 0, "uuid"));
	assert_null(note(&c, 0, "gov"));
	assert_false(c.pair[0].refused);
	assert_int_equal(note(&c, 1, "cpus")->weight, COMPARE_FACT); /* another variant: that is the point */
	has(note(&c, 1, "cpus")->text, "cpus: 2 in one/smp, 1 in two/up; the variants differ");
	assert_non_null(note(&c, 1, "mem_kb"));
	assert_non_null(note(&c, 1, "nic"));
	assert_int_equal(note(&c, 1, "machine")->weight, COMPARE_REFUSAL);
	assert_true(c.pair[1].refused && c.pair[1].rows == 0);
	assert_int_equal(c.pair[1].note[0].weight, COMPARE_REFUSAL); /* gravest first */
	done(&f, &c);
}

/* Memory kept for a crash kernel: on all boots or on none, and as much of it. */
static void test_crash_kernel(void **state)
{
	static const char *const env[][2] = {{"crashkernel=0", "crashkernel=0"},
	                                     {"crashkernel=0", "crashkernel=201326592"},
	                                     {"crashkernel=201326592", "crashkernel=134217728"},
	                                     {"crashkernel=201326592 crash_armed=yes crash_armed_ns=5",
	                                      "crashkernel=201326592 crash_armed=yes crash_armed_ns=9"}};
	struct fx f;
	struct compare c;
	(void)state;
	for (size_t i = 0; i < sizeof env / sizeof *env; i++)
		for (int mixed = 0; mixed < 2; mixed++) { /* a side each, or from boot to boot */
			fx_init(&f, 2, 6, 1);
			for (unsigned l = 1; l <= 12; l++) {
				fx_hello(&f, l, l % 5 ? "chain" : "crash"); /* no difference */
				fx_record(&f, l, "env", env[i][(mixed ? (l - 1) / 2 : l - 1) % 2]);
				fx_value(&f, l, 0, 100 + l);
			}
			make(&f, &c);
			assert_int_equal(c.pair[0].refused, i == 1 || i == 2);
			assert_true(!c.pair[0].refused || note(&c, 0, "crashkernel")->weight == COMPARE_REFUSAL);
			assert_null(note(&c, 0, "start"));
			assert_null(note(&c, 0, "crash_armed_ns"));
			done(&f, &c);
		}
}

/* The first `unarmed` boots of each side went without their crash kernel, and were slower; `silent` boots of the second did not say. */
static void fill_armed(struct fx *f, const unsigned *unarmed, unsigned silent)
{
	fx_init(f, 2, 6, 1);
	f->plan.crash_bytes = 192 << 20;
	for (unsigned l = 1; l <= 12; l++) {
		unsigned side = (l - 1) % 2, round = (l - 1) / 2;
		int armed = round >= unarmed[side];
		fx_hello(f, l, "chain");
		if (!side || round < 6 - silent)
			fx_record(f, l, "env", armed ? "crash_armed=yes crash_armed_ns=50000000" : "crash_armed=no crash_why=fetch crash_armed_ns=9");
		fx_value(f, l, 0, armed ? value(l, 1) : 3e6);
	}
}

static void test_armed(void **state)
{
	static const struct {
		unsigned unarmed[2], silent;
		int refused, refused_armed; /* as they are; only the armed ones */
		unsigned na, nb;            /* boots of the latter */
	} t[] = {
		{{0, 0}, 0, 0, 0, 6, 6}, {{6, 6}, 0, 0, 1, 0, 0}, {{0, 6}, 0, 1, 1, 0, 0}, {{0, 1}, 0, 1, 0, 6, 5},
		{{2, 1}, 0, 1, 0, 4, 5}, {{0, 0}, 6, 0, 1, 0, 0}, {{1, 0}, 6, 1, 1, 0, 0}, {{0, 0}, 1, 0, 0, 6, 5},
	};
	struct fx f;
	struct compare c;
	(void)state;
	for (size_t i = 0; i < sizeof t / sizeof *t; i++)
		for (int armed = 0; armed < 2; armed++) {
			fill_armed(&f, t[i].unarmed, t[i].silent);
			make_of(&f, &c, armed);
			int refused = armed ? t[i].refused_armed : t[i].refused;
			const struct compare_note *n = note(&c, 0, "crash_armed");
			assert_int_equal(c.pair[0].refused, refused);
			if (refused) {
				assert_int_equal(c.pair[0].rows, 0);
				assert_int_equal(n->weight, COMPARE_REFUSAL);
				has(n->text, "sweep without crash_kernel");
			} else {
				is(row(&c, 0, "t0"), VERDICT_NO_CHANGE, "");
				assert_int_equal(row(&c, 0, "t0")->v.na, armed ? t[i].na : 6);
				assert_int_equal(row(&c, 0, "t0")->v.nb, armed ? t[i].nb : 6);
				assert_int_equal(n ? n->weight : 0,
				                 armed ? (t[i].na + t[i].nb < 12 ? COMPARE_WARNING : 0) : (t[i].silent == 6 ? COMPARE_FACT : 0));
			}
			done(&f, &c);
		}
}

/* Without a verdict, in the table of the others. */
static void test_arming_time(void **state)
{
	static const unsigned none[2];
	struct fx f;
	struct compare c;
	(void)state;
	fill_armed(&f, none, 0);
	make(&f, &c);
	assert_int_equal(c.pair[0].rows, 2);
	const struct compare_row *r = &c.pair[0].row[1];
	assert_string_equal(f.m.metric[r->metric].test, "crash-kernel");
	assert_false(r->primary);
	assert_int_equal(r->v.id, VERDICT_NONE);
	assert_int_equal(r->v.na + r->v.nb, 12);
	assert_int_equal(c.pair[0].family, 1);
	done(&f, &c);
}

static void test_values_not_taken(void **state)
{
	struct fx f;
	struct compare c;
	(void)state;
	fx_init(&f, 2, 6, 2);
	for (unsigned l = 1; l <= 12; l++) {
		fx_test(&f, l, 0, "pass", l == 2 ? "name=m v=1 ns=0" : "name=m v=100");
		fx_record(&f, l, "begin", "test=t1"); /* never ends */
	}
	make(&f, &c);
	assert_int_equal(row(&c, 0, "t0")->v.nb, 5);
	assert_int_equal(row(&c, 0, "t0")->bad_b, 1);
	has(note(&c, 0, "values")->text, "t0 m: 1 value of two/smp not taken: ns is not a positive number");
	has(note(&c, 0, "torn")->text, "t1: records missing or differing in 6 boots of one/smp");
	done(&f, &c);
}

/* Text and JSON of a pair whose box sent escape sequences and bytes that are not UTF-8. */
static void test_output_is_harmless(void **state)
{
	struct fx f;
	struct compare c;
	char *text = NULL;
	size_t len;
	(void)state;
	fx_init(&f, 2, 6, 2);
	for (unsigned l = 1; l <= 12; l++) {
		fx_record(&f, l, "env", l % 2 ? "nic=a%1b%5b2J cpu=%ff%fe" : "nic=b cpu=c");
		fx_value(&f, l, 0, 100);
		fx_record(&f, l, "begin", "test=t1");
		fx_record(&f, l, "end", "test=t1 records=2 status=fail reason=%1b%5b31m%9b%ff");
	}
	make(&f, &c);
	FILE *out = open_memstream(&text, &len);
	assert_non_null(out);
	compare_print(&c, out);
	fclose(out);
	for (size_t i = 0; i < len; i++)
		assert_true(text[i] == '\n' || (text[i] >= ' ' && text[i] < 0x7f));
	has(text, "\\x1b[31m");
	free(text);
	json_t *o = compare_json(&c);
	text = json_dumps(o, JSON_COMPACT);
	assert_non_null(text);
	assert_null(strchr(text, '\x1b'));
	json_decref(o);
	o = json_loads(text, 0, NULL);
	assert_non_null(o);
	json_t *rows = json_object_get(json_array_get(json_object_get(o, "pairs"), 0), "rows");
	assert_string_equal(json_string_value(json_object_get(json_array_get(rows, 0), "verdict")), "failed");
	json_decref(o);
	free(text);
	done(&f, &c);
}

static void test_empty(void **state)
{
	struct fx f;
	struct compare c;
	(void)state;
	fx_init(&f, 2, 6, 1);
	for (unsigned l = 1; l <= 12; l++)
		fx_state(&f, l, JOURNAL_GO, NULL);
	make(&f, &c);
	is(row(&c, 0, "t0"), VERDICT_INCONCLUSIVE, NULL);
	assert_true(row(&c, 0, "t0")->v.too_few);
	json_t *o = compare_json(&c);
	assert_non_null(o);
	json_decref(o);
	done(&f, &c);
}

/* A failed test with a primary is a row; one without would be nowhere. */
static void test_failed_without_primary(void **state)
{
	struct fx f;
	struct compare c;
	(void)state;
	fx_init(&f, 2, 3, 2);
	f.metric[1][0].primary = 0;
	for (unsigned l = 1; l <= 6; l++) {
		fx_hello(&f, l, "chain");
		fx_value(&f, l, 0, value(l, 1));
		fx_test(&f, l, 1, l == 2 ? "crash" : "skip", NULL);
	}
	make(&f, &c);
	assert_int_equal(note(&c, 0, "test")->weight, COMPARE_FAILURE);
	has(note(&c, 0, "test")->text, "t1: crash in 1 of 3 boots of two/smp");
	assert_non_null(note(&c, 0, "skipped"));
	done(&f, &c);

	fx_init(&f, 2, 3, 2);
	for (unsigned l = 1; l <= 6; l++) {
		fx_hello(&f, l, "chain");
		fx_value(&f, l, 0, value(l, 1));
		fx_test(&f, l, 1, "crash", NULL);
	}
	make(&f, &c);
	assert_null(note(&c, 0, "test")); /* the row says it */
	is(row(&c, 0, "t1"), VERDICT_FAILED, NULL);
	done(&f, &c);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_order_and_text), cmocka_unit_test(test_failures),           cmocka_unit_test(test_lost_and_pending),
		cmocka_unit_test(test_strata),         cmocka_unit_test(test_environment),        cmocka_unit_test(test_values_not_taken),
		cmocka_unit_test(test_crash_kernel),   cmocka_unit_test(test_output_is_harmless), cmocka_unit_test(test_empty),
		cmocka_unit_test(test_armed),          cmocka_unit_test(test_arming_time),        cmocka_unit_test(test_failed_without_primary),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
