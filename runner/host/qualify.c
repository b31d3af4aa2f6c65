/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * qualify: see qualify.h. The base is firmware, from which every other state of a machine differs; where that was not tried, via-home.
 * Trap: the sweeps run one after the other, so a box that drifts over hours shows it as a shift.
 */
#include "host/qualify.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "common/kv.h"
#include "host/number.h"
#include "host/table.h"

/* ---- how the boots went */

/* What a try says against its switch: a name, or NULL. A failed fetch is the network's; a void one of another kernel is named. */
static const char *fault(const struct journal *j, unsigned line)
{
	enum journal_state_id s = journal_state(j, line);
	const char *name = j->try[line].name;

	if (s == JOURNAL_NOT_RUN)
		return "not-run";
	if (s == JOURNAL_FAILED)
		return !strcmp(name, "fetch") ? NULL : *name ? name : "failed";
	return s == JOURNAL_VOID && *name ? name : NULL;
}

static int by_value(const void *x, const void *y)
{
	const uint64_t *a = x, *b = y;

	return (*a > *b) - (*a < *b);
}

/* The end of the boot before this one's hello; 0 where something else lies between, or it is not known. */
static uint64_t end_before(const struct plan *p, const struct journal *j, uint64_t hello_ms)
{
	uint64_t end = 0, other = 0;

	for (size_t i = 0; i < p->tries; i++) {
		const uint64_t *at = j->try[p->try[i].line].at_ms;

		for (int s = JOURNAL_NOT_RUN; s <= JOURNAL_VOID; s++) {
			if (at[s] >= hello_ms || s == JOURNAL_HELLO)
				continue;
			if (s == JOURNAL_COMPLETE && at[s] > end)
				end = at[s];
			else if (s != JOURNAL_COMPLETE && at[s] > other)
				other = at[s];
		}
	}
	return end > other ? end : 0;
}

static uint64_t median_turn_ms(const struct plan *p, const struct journal *j)
{
	uint64_t *ms = malloc((p->tries + 1) * sizeof *ms), median = 0;
	size_t n = 0;

	for (size_t i = 0; ms && i < p->tries; i++) {
		uint64_t hello = j->try[p->try[i].line].at_ms[JOURNAL_HELLO], end = hello ? end_before(p, j, hello) : 0;

		if (end)
			ms[n++] = hello - end;
	}
	if (n) {
		qsort(ms, n, sizeof *ms, by_value);
		median = ms[n / 2];
	}
	free(ms);
	return median;
}

static int is_first_line(const struct plan *p, size_t at)
{
	for (size_t i = 0; i < at; i++)
		if (p->try[i].boot == p->try[at].boot)
			return 0;
	return 1;
}

void qualify_judge_way(struct qualified_way *w, const struct plan *p, const struct journal *j)
{
	const char *worst = NULL;

	for (size_t i = 0; i < p->tries; i++) {
		const char *name = fault(j, p->try[i].line);

		if (is_first_line(p, i)) {
			w->boots++;
			w->complete += (unsigned)journal_boot_complete(j, p, p->try[i].boot, NULL);
		}
		if (!name)
			continue;
		w->bad++;
		if (!worst || journal_failure_rank(name) < journal_failure_rank(worst))
			worst = name;
	}
	snprintf(w->why, sizeof w->why, "%s", worst ? worst : "");
	w->safe = w->bad ? QUALIFIED_UNSAFE : w->boots && w->complete == w->boots ? QUALIFIED_SAFE : QUALIFIED_OPEN;
	w->turn_ms = median_turn_ms(p, j);
	if (w->turn_ms > UINT32_MAX)
		w->turn_ms = 0;
}

/* ---- whether the metrics are the same */

static size_t values_of(const struct measure *m, const struct measure_metric *like, const char *variant, double *v)
{
	size_t n = 0;

	for (size_t i = 0; i < m->metrics; i++)
		for (unsigned s = 0; s < m->plan->subjects; s++)
			if (!strcmp(m->metric[i].test, like->test) && !strcmp(m->metric[i].name, like->name) &&
			    !strcmp(m->plan->subject[s].variant, variant))
				n += measure_values(m, i, s, plan_switch_name(m->plan->sw), v + n);
	return n;
}

static int add_row(struct qualify *k, enum plan_switch base, enum plan_switch sw, const struct measure_metric *metric, const char *variant)
{
	const struct measure *a = k->m[base], *b = k->m[sw];
	double *v = malloc((a->boots + b->boots + 2) * sizeof *v);
	struct qualify_row *r = &k->row[k->rows++];
	int err = v ? 0 : -ENOMEM;

	*r = (struct qualify_row){.sw = sw, .metric = metric, .variant = variant};
	r->early = kv_list_has(a->test[metric->test_index].desc->needs, "early");
	if (v) {
		size_t na = values_of(a, metric, variant, v), nb = values_of(b, metric, variant, v + a->boots + 1);

		err = verdict_measure(&r->v, v, na, v + a->boots + 1, nb, QUALIFY_ALPHA);
	}
	free(v);
	return err == -ENOMEM ? err : 0;
}

static void say_shifted(struct qualified_way *w, const struct qualify_row *r)
{
	size_t at = strlen(w->shifted);
	int n = snprintf(w->shifted + at, sizeof w->shifted - at, "%s%s.%s@%s:%.3f", at ? "," : "", r->metric->test, r->metric->name, r->variant,
	                 r->v.shift.ratio);

	if (n < 0 || (size_t)n >= sizeof w->shifted - at)
		w->shifted[at] = 0; /* whole names only */
}

/* Holm over the rows from `first` on, which are those of one switch; then the words. */
static int judge_rows(struct qualify *k, size_t first, struct qualified_way *w)
{
	size_t n = k->rows - first, family = 0, same = 0;
	double *p = malloc((n + 1) * sizeof *p);

	if (!p)
		return -ENOMEM;
	for (size_t i = 0; i < n; i++) {
		p[i] = k->row[first + i].v.test.p;
		family += !isnan(p[i]);
	}
	int err = stats_holm(p, n, p);
	for (size_t i = 0; !err && i < n; i++) {
		struct qualify_row *r = &k->row[first + i];

		r->v.p_adj = p[i];
		verdict_judge(&r->v, r->metric->desc->better, QUALIFY_ALPHA, QUALIFY_THRESHOLD, family);
		same += r->v.id == VERDICT_NO_CHANGE;
		if (r->v.id < VERDICT_REGRESSION || r->v.id > VERDICT_PROBABLE_IMPROVEMENT)
			continue;
		say_shifted(w, r);
		if (w->shift != QUALIFIED_YES)
			w->shift = r->early ? QUALIFIED_BOOT : QUALIFIED_YES;
	}
	if (w->shift == QUALIFIED_UNKNOWN && n && same == n)
		w->shift = QUALIFIED_NO;
	free(p);
	return err;
}

static int judge_shift(struct qualify *k, enum plan_switch base, enum plan_switch sw, struct qualified_way *w)
{
	const struct measure *m = k->m[base];
	size_t first = k->rows;
	int err = 0;

	for (size_t i = 0; !err && i < m->metrics; i++)
		for (unsigned s = 0; !err && m->metric[i].desc && m->metric[i].desc->primary && s < m->plan->subjects; s++)
			err = add_row(k, base, sw, &m->metric[i], m->plan->subject[s].variant);
	return err ? err : judge_rows(k, first, w);
}

int qualify_judge_shifts(struct qualify *k, struct qualified *q)
{
	enum plan_switch base = k->m[PLAN_FIRMWARE] ? PLAN_FIRMWARE : k->m[PLAN_VIA_HOME] ? PLAN_VIA_HOME : 0;
	int err = 0;

	q->base = base;
	if (!base)
		return 0;
	k->row = calloc(2 * (k->m[base]->metrics * k->m[base]->plan->subjects + 1), sizeof *k->row);
	if (!k->row)
		return -ENOMEM;
	q->way[base].shift = QUALIFIED_NO;
	for (enum plan_switch sw = PLAN_CHAIN; !err && sw < base; sw++)
		if (k->m[sw])
			err = judge_shift(k, base, sw, &q->way[sw]);
	return err;
}

void qualify_free(struct qualify *k)
{
	free(k->row);
	*k = (struct qualify){0};
}

/* ---- for people */

static void print_rows(const struct qualify *k, const struct qualified *q, FILE *f)
{
	struct table t;
	char a[2 * NUMBER_MAX];

	fprintf(f, "\nagainst %s: exact Mann-Whitney on one value a boot, Holm over a switch's rows; alpha %g, threshold %s\n",
	        plan_switch_name(q->base), QUALIFY_ALPHA, number_percent(QUALIFY_THRESHOLD, a, sizeof a));
	table_open(&t, "switch|verdict|variant|test|metric|>n|>base|>switch|>change|>CI|>p Holm");
	for (size_t i = 0; i < k->rows; i++) {
		const struct qualify_row *r = &k->row[i];
		const char *unit = r->metric->desc->unit;

		table_add(&t, plan_switch_name(r->sw));
		table_addf(&t, "%s%s", verdict_name(r->v.id), r->v.too_few ? " (too few)" : "");
		table_add(&t, r->variant);
		table_add(&t, r->metric->test);
		table_add(&t, r->metric->name);
		table_addf(&t, "%zu+%zu", r->v.na, r->v.nb);
		table_add(&t, number_human(r->v.median_a, unit, a, sizeof a));
		table_add(&t, number_human(r->v.median_b, unit, a, sizeof a));
		table_add(&t, number_change(r->v.shift.ratio, a, sizeof a));
		table_add(&t, number_interval(r->v.shift.lo, r->v.shift.hi, a, sizeof a));
		table_add(&t, number_p(r->v.p_adj, a, sizeof a));
	}
	table_print(&t, f, 0);
}

void qualify_print(const struct qualify *k, const struct qualified *q, FILE *f)
{
	struct table t;
	char a[NUMBER_MAX];

	table_open(&t, "switch|verdict|>boots|>complete|>bad tries|>from boot to boot|shift|what");
	for (enum plan_switch sw = PLAN_CHAIN; sw <= PLAN_FIRMWARE; sw++) {
		const struct qualified_way *w = &q->way[sw];

		table_add(&t, plan_switch_name(sw));
		table_add(&t, qualified_safe_name(w->safe));
		table_addf(&t, "%u", w->boots);
		table_addf(&t, "%u", w->complete);
		table_addf(&t, "%u", w->bad);
		table_add(&t, w->turn_ms ? number_duration(w->turn_ms, a, sizeof a) : "-");
		table_add(&t, sw == q->base ? "base" : qualified_shift_name(w->shift));
		table_addf(&t, "%s%s%s", w->why, *w->why && *w->shifted ? "; " : "", w->shifted);
	}
	table_print(&t, f, 0);
	if (k->rows)
		print_rows(k, q, f);
}
