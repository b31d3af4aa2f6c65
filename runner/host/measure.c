/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * measure: from records to one value a boot and metric. Contract in measure.h.
 *
 * Trap: a metric of a test that failed later in the same boot may look sound; it is not taken, for a whole test counts or does not.
 */
#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "host/measure.h"
#include "host/measure_arm.h"
#include "host/measure_reads.h"

const char *measure_status_name(enum measure_status s)
{
	static const char *const names[] = {"absent", "pass", "fail", "skip", "timeout", "crash", "torn"};
	return s <= MEASURE_TORN ? names[s] : "unknown";
}

const char *measure_bad_name(enum measure_bad b)
{
	static const char *const names[] = {"ok",           "not a number",          "ns is not a positive number", "out of range",
	                                    "stands twice", "its text is not whole", "its text is no sound JSON"};
	return b <= MEASURE_NO_JSON ? names[b] : "unknown";
}

/* ---- one value */

/* A decimal number as tests print it: -?digits[.digits]; no exponent, no inf, no hex. */
static int is_decimal(const char *s)
{
	s += *s == '-';
	size_t n = strspn(s, "0123456789");
	if (!n || n > 20)
		return 0;
	s += n;
	if (!*s)
		return 1;
	n = *s == '.' ? strspn(s + 1, "0123456789") : 0;
	return n > 0 && n <= 12 && !s[1 + n];
}

enum measure_bad measure_parse(const struct store_record *r, double *v)
{
	const char *text = store_get(r, "v"), *ns = store_get(r, "ns");
	if (!text || !is_decimal(text))
		return MEASURE_NO_NUMBER;
	double x = strtod(text, NULL);
	if (ns) {
		double t = is_decimal(ns) ? strtod(ns, NULL) : 0;
		if (!(t > 0))
			return MEASURE_NO_TIME;
		if (fabs(x) > MEASURE_VALUE_MAX || t > MEASURE_VALUE_MAX)
			return MEASURE_RANGE;
		x = x * 1e9 / t;
	}
	if (!isfinite(x) || fabs(x) > MEASURE_VALUE_MAX)
		return MEASURE_RANGE;
	*v = x;
	return MEASURE_OK;
}

/* ---- tests and metrics */

static int find_test(const struct measure *m, const char *name, size_t *at)
{
	for (size_t i = 0; name && i < m->tests; i++)
		if (!strcmp(m->test[i].name, name)) {
			*at = i;
			return 1;
		}
	return 0;
}

static int find_metric(const struct measure *m, const char *test, const char *name, size_t *at)
{
	for (size_t i = 0; i < m->metrics; i++)
		if (!strcmp(m->metric[i].test, test) && !strcmp(m->metric[i].name, name)) {
			*at = i;
			return 1;
		}
	return 0;
}

static void add_metric(struct measure *m, size_t test, const char *name, const struct suite_metric *desc)
{
	struct measure_metric *x;
	if (m->metrics == MEASURE_METRICS_MAX) {
		m->unnamed++;
		return;
	}
	x = &m->metric[m->metrics++];
	strcpy(x->test, m->test[test].name);
	strcpy(x->name, name);
	x->test_index = test;
	x->desc = desc;
}

static int add_tests(struct measure *m)
{
	m->test = calloc(m->plan->tests + MEASURE_ARM_TESTS, sizeof *m->test);
	m->metric = calloc(MEASURE_METRICS_MAX, sizeof *m->metric);
	if (!m->test || !m->metric)
		return -ENOMEM;
	for (size_t i = 0; i < m->plan->tests; i++)
		m->test[m->tests++] = (struct measure_test){m->plan->test[i].name, suite_test(m->suite, m->plan->test[i].name)};
	for (size_t i = 0; i < m->tests; i++)
		for (size_t k = 0; m->test[i].desc && k < m->test[i].desc->metrics; k++)
			add_metric(m, i, m->test[i].desc->metric[k].name, &m->test[i].desc->metric[k]);
	measure_arm_add(m);
	return 0;
}

/* Metrics that the suite does not describe: shown without unit or direction. */
static void add_unknown(struct measure *m, const struct measure_boot *b)
{
	for (size_t i = 0; i < b->records; i++) {
		const char *test = store_get(&b->record[i], "test"), *name = store_get(&b->record[i], "name");
		size_t t, at;
		if (strcmp(b->record[i].kind, "metric"))
			continue;
		if (!name || !kv_is_id(name) || !find_test(m, test, &t) || t >= m->plan->tests)
			m->unnamed++;
		else if (!find_metric(m, test, name, &at))
			add_metric(m, t, name, NULL);
	}
}

/* ---- boots */

static void count_try(struct measure_subject *s, const struct journal_try *t)
{
	s->failed_tries++;
	if (t->name[0] && (!s->failure || journal_failure_rank(t->name) < journal_failure_rank(s->failure)))
		s->failure = t->name;
}

/* Looks at all tries of the boot that `first` belongs to. The try that counts, or NULL. */
static const struct plan_try *judge_boot(struct measure *m, const struct journal *j, const struct plan_try *first)
{
	struct measure_subject *s = &m->subject[first->subject];
	const struct plan_try *counts = NULL;
	unsigned failed = 0, over = 0, open = 0;
	s->boots++;
	s->quarantined = journal_quarantined(j, m->plan, first->subject);
	for (const struct plan_try *t = first; t < m->plan->try + m->plan->tries; t++) {
		if (t->boot != first->boot || t->discard)
			continue;
		enum journal_state_id state = journal_state(j, t->line);
		if (state == JOURNAL_COMPLETE && !counts)
			counts = t;
		failed += state == JOURNAL_FAILED;
		over += state == JOURNAL_FAILED || state == JOURNAL_NOT_RUN || state == JOURNAL_VOID;
		open += state < JOURNAL_NOT_RUN || state == JOURNAL_HELLO;
		if (state == JOURNAL_FAILED)
			count_try(s, &j->try[t->line]);
	}
	if (counts)
		s->complete++;
	else if ((!open && failed && over >= m->plan->tries_max) || s->quarantined)
		s->lost++;
	else
		s->pending++;
	return counts;
}

static int is_first_of_boot(const struct plan *p, size_t at)
{
	for (size_t i = 0; i < at; i++)
		if (p->try[i].boot == p->try[at].boot && !p->try[i].discard)
			return 0;
	return 1;
}

static void add_boot(struct measure *m, const struct store *s, const struct plan_try *t)
{
	struct measure_boot *b = &m->boot[m->boots++];
	*b = (struct measure_boot){.boot = t->boot, .line = t->line, .subject = t->subject, .tag = t->tag, .start = ""};
	b->record = store_try(s, t->line, t->tag, &b->records);
	for (size_t i = 0; i < b->records; i++)
		if (!strcmp(b->record[i].kind, "hello") && store_get(&b->record[i], "start"))
			b->start = store_get(&b->record[i], "start");
	b->armed = m->plan->crash_bytes ? measure_arm_said(b) : "";
	/* From a crash kernel that gave all of the machine back: a link of the chain like others (docs/protocol.md). */
	if (m->plan->sw == PLAN_CHAIN && !strcmp(b->start, "crash"))
		b->start = plan_switch_name(PLAN_CHAIN);
}

static int by_line(const void *x, const void *y)
{
	const struct measure_boot *a = x, *b = y;
	return (a->line > b->line) - (a->line < b->line);
}

static int add_boots(struct measure *m, const struct journal *j, const struct store *s)
{
	const struct plan *p = m->plan;
	m->boot = calloc(p->tries + 1, sizeof *m->boot);
	m->subject = calloc(p->subjects + 1, sizeof *m->subject);
	if (!m->boot || !m->subject)
		return -ENOMEM;
	for (size_t i = 0; i < p->tries; i++) {
		if (p->try[i].discard) {
			enum journal_state_id state = journal_state(j, p->try[i].line);
			m->discarded += state == JOURNAL_COMPLETE;
			if (state == JOURNAL_FAILED && journal_quarantined(j, p, p->try[i].subject)) /* it may be why */
				count_try(&m->subject[p->try[i].subject], &j->try[p->try[i].line]);
			continue;
		}
		const struct plan_try *t = is_first_of_boot(p, i) ? judge_boot(m, j, &p->try[i]) : NULL;
		if (t)
			add_boot(m, s, t);
	}
	qsort(m->boot, m->boots, sizeof *m->boot, by_line);
	return 0;
}

/* ---- a test in a boot */

static enum measure_status status_of(const char *s)
{
	for (enum measure_status k = MEASURE_PASS; s && k < MEASURE_TORN; k++)
		if (!strcmp(s, measure_status_name(k)))
			return k;
	return MEASURE_TORN;
}

/* Whole: nothing missing between begin and end, nothing differing, and `end` counted the same. */
static int is_whole(const struct measure_boot *b, const struct measure_run *r, const char *test)
{
	const struct store_record *end = &b->record[r->end];
	size_t own = 0;
	for (size_t i = r->begin; i <= r->end; i++) {
		const char *t = store_get(&b->record[i], "test");
		if (b->record[i].ch == STORE_DIFFER)
			return 0;
		own += t && !strcmp(t, test);
	}
	const char *records = store_get(end, "records");
	if (end->seq - b->record[r->begin].seq != r->end - r->begin || !records || strlen(records) > 9)
		return 0;
	return strspn(records, "0123456789") == strlen(records) && strtoul(records, NULL, 10) == own;
}

static void read_run(const struct measure_boot *b, const char *test, struct measure_run *r)
{
	unsigned begins = 0, ends = 0;
	for (size_t i = 0; i < b->records; i++) {
		const char *t = store_get(&b->record[i], "test");
		if (!t || strcmp(t, test))
			continue;
		if (!strcmp(b->record[i].kind, "begin")) {
			begins++;
			r->begin = i;
		} else if (!strcmp(b->record[i].kind, "end")) {
			ends++;
			r->end = i;
		}
	}
	if (!begins && !ends)
		return;
	r->status = MEASURE_TORN;
	if (begins != 1 || ends != 1 || r->end < r->begin || !is_whole(b, r, test))
		return;
	r->status = status_of(store_get(&b->record[r->end], "status"));
	r->reason = store_get(&b->record[r->end], "reason");
	for (size_t i = r->begin; r->status != MEASURE_PASS && i < r->end; i++) {
		const char *t = store_get(&b->record[i], "test");
		r->partial += !strcmp(b->record[i].kind, "metric") && t && !strcmp(t, test);
	}
}

static void read_values(struct measure *m, size_t boot)
{
	const struct measure_boot *b = &m->boot[boot];
	for (size_t i = 0; i < b->records; i++) {
		const struct store_record *r = &b->record[i];
		const char *test = store_get(r, "test"), *name = store_get(r, "name");
		size_t at;
		if (strcmp(r->kind, "metric") || !test || !name || !find_metric(m, test, name, &at))
			continue;
		const struct measure_run *run = &m->run[boot * m->tests + m->metric[at].test_index];
		double *v = &m->value[boot * m->metrics + at];
		unsigned char *bad = &m->bad[boot * m->metrics + at];
		if (run->status != MEASURE_PASS || i < run->begin || i > run->end)
			continue;
		*bad = (unsigned char)(isnan(*v) && !*bad ? measure_parse(r, v) : MEASURE_TWICE);
		if (*bad)
			*v = NAN;
	}
}

int measure_read(struct measure *m, const struct plan *p, const struct journal *j, const struct suite *suite, const struct store *s)
{
	memset(m, 0, sizeof *m);
	m->plan = p;
	m->suite = suite;
	if (add_tests(m) || add_boots(m, j, s))
		goto fail;
	for (size_t b = 0; b < m->boots; b++)
		add_unknown(m, &m->boot[b]);
	size_t runs = m->boots * m->tests, cells = m->boots * m->metrics;
	m->run = calloc(runs + 1, sizeof *m->run);
	m->value = malloc((cells + 1) * sizeof *m->value);
	m->bad = calloc(cells + 1, 1);
	if (!m->run || !m->value || !m->bad)
		goto fail;
	for (size_t i = 0; i < cells; i++)
		m->value[i] = NAN;
	for (size_t b = 0; b < m->boots; b++) {
		for (size_t t = 0; t < p->tests; t++)
			read_run(&m->boot[b], m->test[t].name, &m->run[b * m->tests + t]);
		read_values(m, b);
		if (measure_reads(m, b))
			goto fail;
		measure_arm_read(m, b);
	}
	return 0;
fail:
	measure_free(m);
	return -ENOMEM;
}

void measure_free(struct measure *m)
{
	free(m->boot);
	free(m->test);
	free(m->metric);
	free(m->run);
	free(m->value);
	free(m->bad);
	free(m->subject);
	memset(m, 0, sizeof *m);
}

size_t measure_values(const struct measure *m, size_t metric, unsigned subject, const char *start, double *v)
{
	size_t n = 0;
	for (size_t b = 0; b < m->boots; b++) {
		double x = m->value[b * m->metrics + metric];
		if (m->boot[b].subject == subject && !isnan(x) && (!start || !strcmp(m->boot[b].start, start)))
			v[n++] = x;
	}
	return n;
}

unsigned measure_count(const struct measure *m, size_t test, unsigned subject, enum measure_status status, const char **reason)
{
	unsigned n = 0;
	for (size_t b = 0; b < m->boots; b++) {
		const struct measure_run *r = &m->run[b * m->tests + test];
		if (m->boot[b].subject != subject || r->status != status)
			continue;
		if (!n++ && reason)
			*reason = r->reason;
	}
	return n;
}

unsigned measure_partial(const struct measure *m, size_t test, unsigned subject, enum measure_status status)
{
	unsigned n = 0;
	for (size_t b = 0; b < m->boots; b++) {
		const struct measure_run *r = &m->run[b * m->tests + test];
		if (m->boot[b].subject == subject && r->status == status)
			n += r->partial;
	}
	return n;
}
