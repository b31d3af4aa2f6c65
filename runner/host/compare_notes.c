/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * compare_notes: boots that were lost or are still to come, tests and values that were not counted. Nothing is left out in silence.
 */
#include <string.h>

#include "host/compare.h"

static int note_subject(const struct compare *c, struct compare_pair *p, unsigned subject)
{
	const struct measure_subject *s = &c->m->subject[subject];
	const char *id = c->m->plan->subject[subject].id, *name = s->failure ? s->failure : "unknown";
	int rc = 0;
	if (s->lost)
		rc = compare_note(p, COMPARE_FAILURE, "boots", "%u of %u boots of %s lost: %s (%u %s failed%s)", s->lost, s->boots, id, name,
		                  s->failed_tries, s->failed_tries == 1 ? "try" : "tries", s->quarantined ? "; quarantined" : "");
	else if (s->failed_tries)
		rc = compare_note(p, COMPARE_WARNING, "tries", "%u %s of %s failed (%s) and %s", s->failed_tries,
		                  s->failed_tries == 1 ? "try" : "tries", id, name, s->pending ? "will be repeated" : "was repeated");
	if (!rc && s->pending)
		rc = compare_note(p, COMPARE_WARNING, "pending", "still to come: %u of %u boots of %s", s->pending, s->boots, id);
	return rc;
}

static int note_records(const struct compare *c, struct compare_pair *p, unsigned subject)
{
	unsigned empty = 0;
	for (size_t i = 0; i < c->m->boots; i++)
		empty += c->m->boot[i].subject == subject && !c->m->boot[i].records;
	if (!empty)
		return 0;
	return compare_note(p, COMPARE_WARNING, "records", "%u complete %s of %s without records here: collect them (kdyno collect --help)", empty,
	                    empty == 1 ? "boot" : "boots", c->m->plan->subject[subject].id);
}

static int note_torn(const struct compare *c, struct compare_pair *p, unsigned subject)
{
	int rc = 0;
	for (size_t t = 0; !rc && t < c->m->tests; t++) {
		unsigned n = measure_count(c->m, t, subject, MEASURE_TORN, NULL);
		if (n)
			rc = compare_note(p, COMPARE_WARNING, "torn", "%s: records missing or differing in %u %s of %s, not counted",
			                  c->m->test[t].name, n, n == 1 ? "boot" : "boots", c->m->plan->subject[subject].id);
	}
	return rc;
}

/* Skipped in all boots is a row's verdict; in some of them it is fewer values, and nothing else would say so. */
static int note_skipped(const struct compare *c, struct compare_pair *p, unsigned subject)
{
	unsigned boots = c->m->subject[subject].complete;
	int rc = 0;
	for (size_t t = 0; !rc && t < c->m->tests; t++) {
		const char *reason = NULL;
		unsigned n = measure_count(c->m, t, subject, MEASURE_SKIP, &reason);
		if (n && n < boots)
			rc = compare_note(p, COMPARE_WARNING, "skipped", "%s: skipped in %u of %u boots of %s%s%.80s", c->m->test[t].name, n, boots,
			                  c->m->plan->subject[subject].id, reason ? ": " : "", reason ? reason : "");
	}
	return rc;
}

/* A test with a primary that failed is a row of its own, in the first place; one without has only this. */
static int has_primary_row(const struct compare *c, const struct compare_pair *p, size_t test)
{
	for (size_t i = 0; i < p->rows; i++)
		if (p->row[i].primary && c->m->metric[p->row[i].metric].test_index == test)
			return 1;
	return 0;
}

static int note_failed(const struct compare *c, struct compare_pair *p, unsigned subject)
{
	static const enum measure_status ends[] = {MEASURE_FAIL, MEASURE_CRASH, MEASURE_TIMEOUT, MEASURE_SKIP};
	unsigned boots = c->m->subject[subject].complete;
	int rc = 0;
	for (size_t t = 0; !rc && !p->refused && t < c->m->plan->tests; t++) { /* not that of the arming */
		if (has_primary_row(c, p, t))
			continue;
		for (size_t k = 0; !rc && k < sizeof ends / sizeof ends[0]; k++) {
			const char *reason = NULL;
			unsigned n = measure_count(c->m, t, subject, ends[k], &reason);
			int skip = ends[k] == MEASURE_SKIP;
			if (n && (!skip || n == boots)) /* skipped in some: note_skipped */
				rc = compare_note(p, skip ? COMPARE_FACT : COMPARE_FAILURE, skip ? "skipped" : "test",
				                  "%s: %s in %u of %u boots of %s%s%.80s", c->m->test[t].name, measure_status_name(ends[k]), n, boots,
				                  c->m->plan->subject[subject].id, reason ? ": " : "", reason ? reason : "");
		}
	}
	return rc;
}

static int note_bad(const struct compare *c, struct compare_pair *p, const struct compare_row *row, unsigned subject)
{
	const struct measure *m = c->m;
	for (size_t i = 0; i < m->boots; i++) {
		unsigned char bad = m->bad[i * m->metrics + row->metric];
		unsigned n = subject == p->subject ? row->bad_b : row->bad_a;
		if (bad && m->boot[i].subject == subject)
			return compare_note(p, COMPARE_WARNING, "values", "%s %s: %u %s of %s not taken: %s", m->metric[row->metric].test,
			                    m->metric[row->metric].name, n, n == 1 ? "value" : "values", m->plan->subject[subject].id,
			                    measure_bad_name((enum measure_bad)bad));
	}
	return 0;
}

static int note_unknown(const struct compare *c, struct compare_pair *p)
{
	unsigned unknown = 0;
	int rc = 0;
	for (size_t i = 0; i < c->m->metrics; i++)
		unknown += !c->m->metric[i].desc;
	if (unknown)
		rc = compare_note(p, COMPARE_FACT, "unknown", "%u %s not described by the suite: shown without unit", unknown,
		                  unknown == 1 ? "metric is" : "metrics are");
	if (!rc && c->m->unnamed)
		rc = compare_note(p, COMPARE_WARNING, "unnamed", "%u metric records name no test of the schedule or no usable metric", c->m->unnamed);
	for (size_t t = 0; !rc && t < c->m->tests; t++)
		if (!c->m->test[t].desc)
			rc = compare_note(p, COMPARE_WARNING, "suite", "%s has no descriptor in this suite: it cannot be judged", c->m->test[t].name);
	return rc;
}

int compare_add_notes(const struct compare *c, struct compare_pair *p)
{
	unsigned side[2] = {c->o.base, p->subject};
	int rc = 0;
	for (int k = 0; k < 2; k++) {
		if (!rc)
			rc = note_subject(c, p, side[k]);
		if (!rc)
			rc = note_records(c, p, side[k]);
		if (!rc)
			rc = note_torn(c, p, side[k]);
		if (!rc)
			rc = note_skipped(c, p, side[k]);
		if (!rc)
			rc = note_failed(c, p, side[k]);
		for (size_t i = 0; !rc && i < p->rows; i++)
			if (k ? p->row[i].bad_b : p->row[i].bad_a)
				rc = note_bad(c, p, &p->row[i], side[k]);
	}
	return rc ? rc : note_unknown(c, p);
}
