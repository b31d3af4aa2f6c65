/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * results_fixture: a sweep in memory: plan, journal, suite and store, filled record by record. Line l of the schedule is subject
 * (l - 1) % subjects in round (l - 1) / subjects + 1; test i is called t<i> and has the primary metric m (lower is better, ns) and x.
 */
#ifndef KD_RESULTS_FIXTURE_H
#define KD_RESULTS_FIXTURE_H

#include "../common/unit.h"

#include "host/measure.h"

#define FX_TRIES 128
#define FX_TESTS 8

struct fx {
	struct plan plan;
	struct plan_subject subject[4];
	struct plan_test test[FX_TESTS];
	struct plan_try try[FX_TRIES];
	struct journal *journal;
	struct suite suite;
	struct suite_test suite_test[FX_TESTS];
	struct suite_metric metric[FX_TESTS][2];
	struct store store;
	uint32_t seq[FX_TRIES + 1];
	struct measure m;
};

static inline void fx_init(struct fx *f, unsigned subjects, unsigned rounds, unsigned tests)
{
	static const char *const ids[] = {"one/smp", "two/smp", "two/up", "three/smp"};
	memset(f, 0, sizeof *f);
	f->plan = (struct plan){.id = "s",
	                        .box = "b",
	                        .suite = "smoke",
	                        .home = "h",
	                        .rounds = rounds,
	                        .tries_max = 3,
	                        .sw = PLAN_CHAIN,
	                        .subject = f->subject,
	                        .subjects = subjects,
	                        .test = f->test,
	                        .tests = tests,
	                        .try = f->try,
	                        .tries = subjects * rounds};
	for (unsigned i = 0; i < subjects; i++) {
		strcpy(f->subject[i].id, ids[i]);
		snprintf(f->subject[i].kernel, sizeof f->subject[i].kernel, "%.*s", (int)strcspn(ids[i], "/"), ids[i]);
		strcpy(f->subject[i].variant, strchr(ids[i], '/') + 1);
	}
	f->suite = (struct suite){.test = f->suite_test, .tests = tests};
	for (unsigned i = 0; i < tests; i++) {
		snprintf(f->test[i].name, sizeof f->test[i].name, "t%u", i);
		strcpy(f->suite_test[i].name, f->test[i].name);
		f->suite_test[i].metric = f->metric[i];
		f->suite_test[i].metrics = 2;
		f->metric[i][0] = (struct suite_metric){.name = "m", .unit = "ns", .better = SUITE_LOWER, .primary = 1};
		f->metric[i][1] = (struct suite_metric){.name = "x", .unit = "B/s", .better = SUITE_HIGHER};
	}
	for (unsigned l = 1; l <= f->plan.tries; l++)
		f->try[l - 1] =
			(struct plan_try){.line = l, .tag = l * 16, .boot = l, .round = (l - 1) / subjects + 1, .subject = (l - 1) % subjects};
	f->journal = malloc(sizeof *f->journal);
	assert_non_null(f->journal);
	journal_init(f->journal);
}

static inline void fx_free(struct fx *f)
{
	measure_free(&f->m);
	store_free(&f->store);
	free(f->journal);
}

static inline void fx_state(struct fx *f, unsigned line, enum journal_state_id state, const char *name)
{
	struct journal_entry e = {.line = line, .tag = f->try[line - 1].tag, .state = state, .name = name};
	journal_apply(f->journal, &e, 1000);
}

/* A record of a line, its pairs as `key=value key=value`. */
static inline struct store_record *fx_record(struct fx *f, unsigned line, const char *kind, const char *pairs)
{
	static struct record r;
	char text[512];
	snprintf(text, sizeof text, "%s%s%s", kind, *pairs ? " " : "", pairs);
	assert_int_equal(kv_parse(&r.kv, text, strlen(text)), 0);
	r.tag = f->try[line - 1].tag;
	r.seq = f->seq[line]++;
	r.ms = 100 + r.seq;
	f->store.record = realloc(f->store.record, (f->store.records + 1) * sizeof *f->store.record);
	assert_non_null(f->store.record);
	struct store_record *out = &f->store.record[f->store.records++];
	assert_int_equal(store_from_record(out, &r, line, STORE_BOTH), 0);
	return out;
}

/* A whole test: extra is a metric record's pairs behind test=, or NULL for none. */
static inline void fx_test(struct fx *f, unsigned line, unsigned test, const char *status, const char *extra)
{
	char text[256];
	snprintf(text, sizeof text, "test=t%u", test);
	fx_record(f, line, "begin", text);
	if (extra) {
		snprintf(text, sizeof text, "test=t%u %s", test, extra);
		fx_record(f, line, "metric", text);
	}
	snprintf(text, sizeof text, "test=t%u records=%d status=%s", test, extra ? 3 : 2, status);
	fx_record(f, line, "end", text);
}

static inline void fx_value(struct fx *f, unsigned line, unsigned test, double v)
{
	char text[64];
	snprintf(text, sizeof text, "name=m v=%.3f", v);
	fx_test(f, line, test, "pass", text);
}

static inline void fx_hello(struct fx *f, unsigned line, const char *start)
{
	char text[64];
	snprintf(text, sizeof text, "start=%s", start);
	fx_record(f, line, "hello", text);
}

/* Every line that has no state yet is complete. */
static inline void fx_measure(struct fx *f)
{
	for (unsigned l = 1; l <= f->plan.tries; l++)
		if (journal_state(f->journal, l) == JOURNAL_PLANNED)
			fx_state(f, l, JOURNAL_COMPLETE, NULL);
	assert_int_equal(store_settle(&f->store), 0);
	assert_int_equal(measure_read(&f->m, &f->plan, f->journal, &f->suite, &f->store), 0);
}

#endif
