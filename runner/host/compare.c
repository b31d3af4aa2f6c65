/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * compare: the rows of every pair, with failures kept apart from numbers. Contract in compare.h.
 */
#include <errno.h>
#include <math.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include "host/compare.h"
#include "host/findings.h"

const char *compare_weight_name(enum compare_weight w)
{
	static const char *const names[] = {"none", "fact", "warning", "failure", "refused"};
	return names[w];
}

int compare_note(struct compare_pair *p, enum compare_weight w, const char *about, const char *fmt, ...)
{
	struct compare_note *more = realloc(p->note, (p->notes + 1) * sizeof *more);
	va_list ap;
	if (!more)
		return -ENOMEM;
	p->note = more;
	struct compare_note *n = &p->note[p->notes++];
	memset(n, 0, sizeof *n);
	n->weight = w;
	snprintf(n->about, sizeof n->about, "%s", about);
	va_start(ap, fmt);
	vsnprintf(n->text, sizeof n->text, fmt, ap);
	va_end(ap);
	p->refused |= w == COMPARE_REFUSAL;
	return 0;
}

static int is_chosen(const struct compare_pair *p, const struct measure_boot *b) { return !p->armed || !strcmp(b->armed, "yes"); }

int compare_has_interval(const struct compare_row *r) { return r->v.shift.coverage > 1e-9; }

int compare_has_boot(const struct compare_pair *p, const struct measure_boot *b)
{
	return is_chosen(p, b) && (!p->start || !strcmp(b->start, p->start));
}

size_t compare_values(const struct compare *c, const struct compare_pair *p, size_t metric, unsigned subject, double *v)
{
	const struct measure *m = c->m;
	size_t n = 0;
	for (size_t i = 0; i < m->boots; i++) {
		double x = m->value[i * m->metrics + metric];
		if (m->boot[i].subject == subject && compare_has_boot(p, &m->boot[i]) && !isnan(x))
			v[n++] = x;
	}
	return n;
}

/* ---- the stratum */

static unsigned count_boots(const struct measure *m, const struct compare_pair *like, unsigned subject, const char *start)
{
	const struct compare_pair p = {.start = start, .armed = like->armed};
	unsigned n = 0;
	for (size_t i = 0; i < m->boots; i++)
		n += m->boot[i].subject == subject && compare_has_boot(&p, &m->boot[i]);
	return n;
}

/* Boots of either side without a crash kernel, where only the others were asked for. Known before their tests ran: no choice by outcome. */
static int leave_unarmed(const struct compare *c, struct compare_pair *p)
{
	const struct measure *m = c->m;
	const unsigned side[2] = {c->o.base, p->subject};
	unsigned all = 0, left = 0;
	int rc = 0;
	for (int k = 0; !rc && k < 2; k++) {
		unsigned boots = 0, armed = 0;
		for (size_t i = 0; i < m->boots; i++) {
			boots += m->boot[i].subject == side[k];
			armed += m->boot[i].subject == side[k] && is_chosen(p, &m->boot[i]);
		}
		all += boots;
		left += boots - armed;
		if (boots && !armed)
			rc = compare_note(p, COMPARE_REFUSAL, "crash_armed",
			                  "no boot of %s has a crash kernel loaded (kdyno show %s --metrics says why): sweep without crash_kernel",
			                  m->plan->subject[side[k]].id, m->plan->id);
	}
	if (!rc && left && !p->refused)
		rc = compare_note(p, COMPARE_WARNING, "crash_armed", "left out: %u of %u boots, which had no crash kernel loaded", left, all);
	return rc;
}

/* The way to start that both sides share in most boots; the sweep's own where two are equal. */
static int choose_stratum(const struct compare *c, struct compare_pair *p)
{
	const struct measure *m = c->m;
	unsigned all_a = count_boots(m, p, c->o.base, NULL), all_b = count_boots(m, p, p->subject, NULL), best = 0;
	p->start = plan_switch_name(m->plan->sw);
	for (size_t i = 0; i < m->boots; i++) {
		unsigned a = count_boots(m, p, c->o.base, m->boot[i].start), b = count_boots(m, p, p->subject, m->boot[i].start);
		unsigned least = a < b ? a : b;
		if (least > best || (least == best && best && !strcmp(m->boot[i].start, plan_switch_name(m->plan->sw)))) {
			best = least;
			p->start = m->boot[i].start;
		}
	}
	if (!best && (!all_a || !all_b)) /* nothing to mix yet */
		p->start = NULL;
	p->boots_a = count_boots(m, p, c->o.base, p->start);
	p->boots_b = count_boots(m, p, p->subject, p->start);
	if (all_a && all_b && !best)
		return compare_note(p, COMPARE_REFUSAL, "start", "no boots of %s and %s were started alike: not comparable",
		                    m->plan->subject[c->o.base].id, m->plan->subject[p->subject].id);
	if (all_a + all_b > p->boots_a + p->boots_b)
		return compare_note(p, COMPARE_WARNING, "start", "left out: %u of %u boots, which were not started by %s",
		                    all_a + all_b - p->boots_a - p->boots_b, all_a + all_b, p->start);
	return 0;
}

/* ---- what went wrong with a test */

struct side {
	unsigned subject, boots, broken, skipped;
	const char *id, *word, *reason;
};

static void look_at(const struct compare *c, const struct compare_pair *p, size_t test, unsigned subject, struct side *s)
{
	const struct measure *m = c->m;
	memset(s, 0, sizeof *s);
	s->subject = subject;
	s->id = m->plan->subject[subject].id;
	for (size_t i = 0; i < m->boots; i++) {
		const struct measure_run *r = &m->run[i * m->tests + test];
		if (m->boot[i].subject != subject || !compare_has_boot(p, &m->boot[i]))
			continue;
		s->boots++;
		int broken = r->status == MEASURE_FAIL || r->status == MEASURE_CRASH || r->status == MEASURE_TIMEOUT;
		s->broken += broken;
		s->skipped += r->status == MEASURE_SKIP;
		if (!s->word || (broken && s->broken == 1)) {
			s->word = measure_status_name(r->status);
			s->reason = r->reason;
		}
	}
}

/* The reason of the side's first skip. */
static void look_for_skip(const struct compare *c, const struct compare_pair *p, size_t test, struct side *s)
{
	const struct measure *m = c->m;
	s->reason = NULL;
	for (size_t i = 0; !s->reason && i < m->boots; i++)
		if (m->boot[i].subject == s->subject && compare_has_boot(p, &m->boot[i]) && m->run[i * m->tests + test].status == MEASURE_SKIP)
			s->reason = m->run[i * m->tests + test].reason;
}

static void say_broken(struct compare_row *row, const struct side *s)
{
	size_t at = strlen(row->why);
	if (s->broken)
		snprintf(row->why + at, sizeof row->why - at, "%s%s in %u of %u boots of %s%s%.80s", at ? "; " : "", s->word, s->broken, s->boots,
		         s->id, s->reason ? ": " : "", s->reason ? s->reason : "");
}

static void say_missing(const struct compare *c, struct compare_row *row, const struct side *s)
{
	const struct measure_subject *subject = &c->m->subject[s->subject];
	if (!s->boots)
		snprintf(row->why, sizeof row->why, "no complete boot of %s%s%s", s->id, subject->failure ? ": " : "",
		         subject->failure ? subject->failure : "");
	else
		snprintf(row->why, sizeof row->why, "missing in %s: %s%s%.80s", s->id, !strcmp(s->word, "pass") ? "no usable value" : s->word,
		         s->reason ? ": " : "", s->reason ? s->reason : "");
}

static int is_pending(const struct compare *c, const struct side *s) { return !s->boots && c->m->subject[s->subject].pending; }

/* Sets id and why where the metric cannot be judged by numbers; 1 then. */
static int judge_failures(const struct compare *c, const struct compare_pair *p, struct compare_row *row)
{
	struct side a, b;
	size_t test = c->m->metric[row->metric].test_index;
	look_at(c, p, test, c->o.base, &a);
	look_at(c, p, test, p->subject, &b);
	row->v.id = VERDICT_FAILED;
	if (a.broken || b.broken) {
		say_broken(row, &b);
		say_broken(row, &a);
		return 1;
	}
	if (row->refused) {
		row->v.id = VERDICT_SKIPPED;
		return 1;
	}
	const struct side *empty = !row->v.nb ? &b : &a, *waits = is_pending(c, &b) ? &b : is_pending(c, &a) ? &a : NULL;
	if (row->v.na && row->v.nb)
		return 0;
	if (waits) {
		row->v.id = VERDICT_INCONCLUSIVE;
		row->v.too_few = 1;
		snprintf(row->why, sizeof row->why, "no boot of %s is complete yet", waits->id);
	} else if (!row->v.na && !row->v.nb && a.skipped && b.skipped) {
		row->v.id = VERDICT_SKIPPED;
		look_for_skip(c, p, test, &b);
		snprintf(row->why, sizeof row->why, "%.120s", b.reason ? b.reason : "no reason given");
	} else if (!row->v.na && !row->v.nb && a.boots && b.boots) {
		snprintf(row->why, sizeof row->why, "missing on both sides: %s", !strcmp(b.word, "pass") ? "no usable value" : b.word);
	} else {
		say_missing(c, row, empty);
	}
	return 1;
}

/* ---- rows */

static int fill_row(const struct compare *c, const struct compare_pair *p, struct compare_row *row, double *a, double *b)
{
	const struct measure *m = c->m;
	size_t na = compare_values(c, p, row->metric, c->o.base, a), nb = compare_values(c, p, row->metric, p->subject, b);
	for (size_t i = 0; i < m->boots; i++) {
		if (!compare_has_boot(p, &m->boot[i]) || !m->bad[i * m->metrics + row->metric])
			continue;
		row->bad_a += m->boot[i].subject == c->o.base;
		row->bad_b += m->boot[i].subject == p->subject;
	}
	return verdict_measure(&row->v, a, na, b, nb, c->o.alpha);
}

/* Holm over the primaries that have numbers, then the words. */
static int judge_rows(const struct compare *c, struct compare_pair *p)
{
	double pv[MEASURE_METRICS_MAX], adj[MEASURE_METRICS_MAX], rest[MEASURE_METRICS_MAX], q[MEASURE_METRICS_MAX];
	int failed[MEASURE_METRICS_MAX];
	p->family = 0;
	for (size_t i = 0; i < p->rows; i++) {
		struct compare_row *row = &p->row[i];
		failed[i] = row->primary ? judge_failures(c, p, row) : 0;
		pv[i] = row->primary && !failed[i] ? row->v.test.p : NAN;
		rest[i] = row->primary ? NAN : row->v.test.p;
		p->family += !isnan(pv[i]);
	}
	if (stats_holm(pv, p->rows, adj) || stats_bh(rest, p->rows, q))
		return -ENOMEM;
	for (size_t i = 0; i < p->rows; i++) {
		struct compare_row *row = &p->row[i];
		row->q = q[i];
		row->v.p_adj = adj[i];
		if (!row->primary)
			row->v.id = VERDICT_NONE;
		else if (!failed[i])
			verdict_judge(&row->v, c->m->metric[row->metric].desc->better, c->o.alpha, c->o.threshold, p->family);
	}
	return 0;
}

static double effect(const struct compare_row *r)
{
	return r->v.id <= VERDICT_PROBABLE_IMPROVEMENT && isfinite(r->v.shift.ratio) ? fabs(log(r->v.shift.ratio)) : 0;
}

static int by_rank(const void *x, const void *y)
{
	const struct compare_row *a = x, *b = y;
	if (a->v.id != b->v.id)
		return a->v.id < b->v.id ? -1 : 1;
	if (effect(a) > effect(b) || effect(a) < effect(b))
		return effect(a) > effect(b) ? -1 : 1;
	return (a->metric > b->metric) - (a->metric < b->metric);
}

/* Is what this metric counts or times the creation of processes? */
static int is_of_processes(const struct measure *m, size_t metric)
{
	static const char *const programs[] = {"sched-fork", "sched-storm"};
	const struct plan_test *t = &m->plan->test[m->metric[metric].test_index];
	for (size_t i = 0; i < sizeof programs / sizeof *programs; i++)
		if (!strcmp(t->program, programs[i]))
			return 1;
	return 0;
}

/* What is shown is that there were numbers; nothing that sets one beside the other. */
static void refuse_row(struct compare_row *row, const char *why)
{
	row->refused = 1;
	row->v.test.p = NAN;
	row->v.shift.ratio = row->v.shift.lo = row->v.shift.hi = NAN;
	row->v.mde = NAN;
	snprintf(row->why, sizeof row->why, "%s", why);
}

static int fill_pair(const struct compare *c, struct compare_pair *p)
{
	const struct measure *m = c->m;
	char apart[COMPARE_TEXT_MAX] = "";
	int differ = compare_processes_differ(c, p, apart, sizeof apart);
	double *v = malloc((2 * m->boots + 1) * sizeof *v);
	int rc = v && differ >= 0 ? 0 : -ENOMEM;
	p->row = calloc(m->metrics + 1, sizeof *p->row);
	if (!p->row)
		rc = -ENOMEM;
	for (size_t i = 0; !rc && i < m->metrics; i++) {
		struct compare_row *row = &p->row[p->rows];
		memset(row, 0, sizeof *row);
		row->metric = i;
		row->primary = m->metric[i].desc && m->metric[i].desc->primary;
		rc = fill_row(c, p, row, v, v + m->boots);
		if (!rc && differ > 0 && is_of_processes(m, i))
			refuse_row(row, apart);
		if (m->plan->imported && (!row->v.na || !row->v.nb)) /* a table without that row is no test that failed */
			row->primary = 0;
		p->rows += row->primary || row->v.na || row->v.nb || row->bad_a || row->bad_b;
	}
	free(v);
	if (!rc)
		rc = judge_rows(c, p);
	if (!rc)
		qsort(p->row, p->rows, sizeof *p->row, by_rank);
	return rc;
}

/* By insertion: notes of one weight stay in the order in which they were made. */
static void sort_notes(struct compare_pair *p)
{
	for (size_t i = 1; i < p->notes; i++) {
		struct compare_note n = p->note[i];
		size_t k = i;
		for (; k > 0 && p->note[k - 1].weight < n.weight; k--)
			p->note[k] = p->note[k - 1];
		p->note[k] = n;
	}
}

int compare_make(struct compare *c, const struct measure *m, const struct compare_options *o)
{
	memset(c, 0, sizeof *c);
	c->m = m;
	c->o = *o;
	c->pair = calloc(m->plan->subjects + 1, sizeof *c->pair);
	int rc = c->pair ? 0 : -ENOMEM;
	for (unsigned s = 0; !rc && s < m->plan->subjects; s++) {
		if (s == o->base)
			continue;
		struct compare_pair *p = &c->pair[c->pairs++];
		p->subject = s;
		p->armed = o->armed;
		rc = leave_unarmed(c, p);
		if (!rc)
			rc = choose_stratum(c, p);
		if (!rc && !p->refused)
			rc = fill_pair(c, p);
		if (!rc)
			rc = compare_add_env(c, p);
		if (!rc)
			rc = compare_add_notes(c, p);
		if (p->refused)
			p->rows = 0;
		sort_notes(p);
		if (!rc)
			rc = findings_make(c, p);
	}
	if (rc)
		compare_free(c);
	return rc;
}

void compare_free(struct compare *c)
{
	for (size_t i = 0; i < c->pairs; i++) {
		free(c->pair[i].row);
		free(c->pair[i].note);
		free(c->pair[i].finding);
	}
	free(c->pair);
	memset(c, 0, sizeof *c);
}
