/* SPDX-License-Identifier: GPL-2.0-or-later */
/* compare_json: a comparison as JSON, in base units: all that the text says, and the values of every boot besides. */
#include <math.h>
#include <stdlib.h>

#include "common/err.h"
#include "host/compare.h"
#include "host/findings.h"
#include "host/json_out.h"

static json_t *values(const struct compare *c, const struct compare_pair *p, size_t metric, unsigned subject)
{
	double *v = malloc((c->m->boots + 1) * sizeof *v);
	json_t *o = json_array();
	if (!v || !o)
		err_die("out of memory");
	size_t n = compare_values(c, p, metric, subject, v);
	for (size_t i = 0; i < n; i++)
		json_array_append_new(o, json_out_real(v[i]));
	free(v);
	return o;
}

static json_t *side(const struct compare *c, const struct compare_pair *p, const struct compare_row *r, int b)
{
	json_t *o = json_object();
	json_out_set(o, "n", json_integer((json_int_t)(b ? r->v.nb : r->v.na)));
	json_out_set(o, "median", json_out_real(b ? r->v.median_b : r->v.median_a));
	json_out_set(o, "cv", json_out_real(b ? r->v.cv_b : r->v.cv_a));
	json_out_set(o, "not_taken", json_integer(b ? r->bad_b : r->bad_a));
	json_out_set(o, "values", values(c, p, r->metric, b ? p->subject : c->o.base));
	return o;
}

static void put_numbers(json_t *o, const struct compare_row *r)
{
	json_out_set(o, "ratio", json_out_real(r->v.shift.ratio));
	double none = compare_has_interval(r) ? 0 : NAN; /* null */
	json_out_set(o, "ci", json_pack("[o, o]", json_out_real(r->v.shift.lo + none), json_out_real(r->v.shift.hi + none)));
	json_out_set(o, "ci_coverage", json_out_real(r->v.shift.coverage + none));
	json_out_set(o, "ratio_of_medians", json_out_real(r->v.median_b / r->v.median_a));
	json_out_set(o, "p", json_out_real(r->v.test.p));
	json_out_set(o, "p_method", r->v.test.method ? json_string(r->v.test.method == STATS_EXACT ? "exact" : "normal") : json_null());
	json_out_set(o, "u", r->v.test.method ? json_out_real(r->v.test.u) : json_null());
}

static json_t *row(const struct compare *c, const struct compare_pair *p, const struct compare_row *r)
{
	static const char *const betters[] = {"unknown", "higher", "lower", "neither"};
	const struct measure_metric *m = &c->m->metric[r->metric];
	json_t *o = json_object();
	json_out_set(o, "test", json_out_text(m->test));
	json_out_set(o, "metric", json_out_text(m->name));
	json_out_set(o, "unit", m->desc ? json_out_text(m->desc->unit) : json_null());
	json_out_set(o, "better", json_string(betters[m->desc && m->desc->better <= SUITE_NEITHER ? m->desc->better : 0]));
	json_out_set(o, "primary", json_boolean(r->primary));
	json_out_set(o, "base", side(c, p, r, 0));
	json_out_set(o, "subject", side(c, p, r, 1));
	put_numbers(o, r);
	if (!r->primary) {
		json_out_set(o, "q", json_out_real(r->q));
		return o;
	}
	json_out_set(o, "verdict", json_string(verdict_name(r->v.id)));
	json_out_set(o, "p_holm", json_out_real(r->v.p_adj));
	json_out_set(o, "mde", json_out_real(r->v.mde));
	json_out_set(o, "too_few", json_boolean(r->v.too_few));
	json_out_set(o, "large", json_boolean(r->v.large));
	json_out_set(o, "more_boots_each", r->v.more ? json_integer(r->v.more) : json_null());
	json_out_set(o, "reason", r->why[0] ? json_out_text(r->why) : json_null());
	return o;
}

static json_t *findings(const struct compare_pair *p)
{
	json_t *all = json_array();
	for (size_t i = 0; i < p->findings; i++) {
		const struct finding *f = &p->finding[i];
		json_t *o = json_object(), *numbers = json_object();
		for (size_t k = 0; k < f->numbers; k++)
			json_out_set(numbers, f->number[k].name, json_out_real(f->number[k].v));
		json_out_set(o, "rule", json_string(f->rule));
		json_out_set(o, "text", json_out_text(f->text));
		json_out_set(o, "numbers", numbers);
		json_array_append_new(all, o);
	}
	return all;
}

static json_t *pair(const struct compare *c, const struct compare_pair *p)
{
	json_t *o = json_object(), *rows = json_array(), *notes = json_array();
	char *line = compare_summary(c, p);
	json_out_set(o, "subject", json_out_text(c->m->plan->subject[p->subject].id));
	json_out_set(o, "summary", json_out_text(line));
	free(line);
	json_out_set(o, "start", json_out_text(p->start));
	json_out_set(o, "boots", json_pack("{s:i, s:i}", "base", (int)p->boots_a, "subject", (int)p->boots_b));
	json_out_set(o, "refused", json_boolean(p->refused));
	json_out_set(o, "family", json_integer((json_int_t)p->family));
	for (size_t i = 0; i < p->rows; i++)
		json_array_append_new(rows, row(c, p, &p->row[i]));
	for (size_t i = 0; i < p->notes; i++) {
		json_t *n = json_object();
		json_out_set(n, "weight", json_string(compare_weight_name(p->note[i].weight)));
		json_out_set(n, "about", json_out_text(p->note[i].about));
		json_out_set(n, "text", json_out_text(p->note[i].text));
		json_array_append_new(notes, n);
	}
	json_out_set(o, "rows", rows);
	json_out_set(o, "notes", notes);
	json_out_set(o, "findings", findings(p));
	return o;
}

static json_t *subject(const struct plan *p, const struct measure_subject *s, size_t i)
{
	json_t *o = json_object();
	json_out_set(o, "id", json_out_text(p->subject[i].id));
	json_out_set(o, "boots", json_integer(s->boots));
	json_out_set(o, "complete", json_integer(s->complete));
	json_out_set(o, "lost", json_integer(s->lost));
	json_out_set(o, "pending", json_integer(s->pending));
	json_out_set(o, "failed_tries", json_integer(s->failed_tries));
	json_out_set(o, "failure", s->failure ? json_out_text(s->failure) : json_null());
	json_out_set(o, "quarantined", json_boolean(s->quarantined));
	return o;
}

struct json_t *compare_json(const struct compare *c)
{
	const struct plan *p = c->m->plan;
	json_t *o = json_object(), *pairs = json_array(), *subjects = json_array();
	json_out_set(o, "sweep", json_out_text(p->id));
	json_out_set(o, "imported", json_boolean(p->imported));
	json_out_set(o, "box", json_out_text(p->box));
	json_out_set(o, "suite", json_out_text(p->suite));
	json_out_set(o, "base", json_out_text(p->subject[c->o.base].id));
	json_out_set(o, "seed", json_integer((json_int_t)p->seed));
	json_out_set(o, "rounds", json_integer(p->rounds));
	json_out_set(o, "discarded", json_integer(c->m->discarded));
	json_out_set(o, "alpha", json_real(c->o.alpha));
	json_out_set(o, "threshold", json_real(c->o.threshold));
	json_out_set(o, "threshold_from", json_string(c->o.threshold_given ? "given" : "default: no A/A on this box"));
	json_out_set(o, "armed", json_boolean(c->o.armed));
	json_out_set(o, "test", json_string("two-sided Mann-Whitney, Hodges-Lehmann on logs, the boot as the unit"));
	json_out_set(o, "adjusted", json_string("Holm over the primary metrics of a pair; Benjamini-Hochberg over its exploratory ones"));
	for (size_t i = 0; i < p->subjects; i++)
		json_array_append_new(subjects, subject(p, &c->m->subject[i], i));
	json_out_set(o, "subjects", subjects);
	for (size_t i = 0; i < c->pairs; i++)
		json_array_append_new(pairs, pair(c, &c->pair[i]));
	json_out_set(o, "pairs", pairs);
	return o;
}
