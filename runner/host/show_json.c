/* SPDX-License-Identifier: GPL-2.0-or-later */
/* show_json: a sweep as JSON, in base units: all that the text says. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "common/err.h"
#include "host/json_out.h"
#include "host/show.h"

static json_t *tag_json(uint32_t tag)
{
	char hex[9];
	snprintf(hex, sizeof hex, "%08x", tag);
	return json_string(hex);
}

static json_t *known(double ms) { return ms < 0 ? json_null() : json_out_real(ms); }

static json_t *console_json(const struct show_console *c)
{
	if (!c->known)
		return json_null();
	return json_pack("{s:I, s:I, s:I}", "bytes", (json_int_t)c->bytes, "damaged", (json_int_t)c->bad, "dropped", (json_int_t)c->dropped);
}

/* Below the lab. */
static json_t *evidence_json(const struct show *s, const struct show_try *x)
{
	char path[PLAN_ID_MAX + EVIDENCE_NAME_MAX + 32];
	if (!*x->evidence)
		return json_null();
	snprintf(path, sizeof path, "sweeps/%s/evidence/%s", s->sweep->id, x->evidence);
	return json_out_text(path);
}

static json_t *death_json(const struct show *s, const struct show_try *x)
{
	struct show_death d;
	json_t *o;
	if (!show_death(s, x, &d))
		return json_null();
	o = json_object();
	json_out_set(o, "by", json_string(d.by));
	json_out_set(o, "tag", tag_json(d.tag));
	json_out_set(o, "bytes", json_integer((json_int_t)d.bytes));
	json_out_set(o, "why", json_out_text(d.why));
	json_out_set(o, "log", json_out_text(d.log));
	return o;
}

static json_t *try_json(const struct show *s, const struct show_try *x)
{
	json_t *o = json_object();
	json_out_set(o, "line", json_integer(x->try->line));
	json_out_set(o, "tag", tag_json(x->try->tag));
	json_out_set(o, "subject", json_out_text(s->sweep->plan.subject[x->try->subject].id));
	json_out_set(o, "boot", json_integer(x->try->boot));
	json_out_set(o, "round", json_integer(x->try->round));
	json_out_set(o, "discarded", json_boolean(x->try->discard));
	json_out_set(o, "why", json_out_text(x->try->why));
	json_out_set(o, "of", x->try->of ? json_integer(x->try->of) : json_null());
	json_out_set(o, "state", json_string(show_state_name(x)));
	json_out_set(o, "failure", *x->failure ? json_out_text(x->failure) : json_null());
	json_out_set(o, "death", death_json(s, x));
	json_out_set(o, "start", *x->start ? json_out_text(x->start) : json_null());
	json_out_set(o, "guard", *x->guard ? json_string(x->guard) : json_null());
	json_out_set(o, "reason", *x->why ? json_out_text(x->why) : json_null());
	json_out_set(o, "evidence", evidence_json(s, x));
	json_out_set(o, "console", console_json(&x->console));
	json_out_set(o, "came_by", json_string(show_came_by(x)));
	json_out_set(o, "records", json_integer((json_int_t)x->records));
	json_out_set(o, "both", json_integer(x->both));
	json_out_set(o, "serial_only", json_integer(x->serial));
	json_out_set(o, "nfs_only", json_integer(x->nfs));
	json_out_set(o, "differ", json_integer(x->differ));
	json_out_set(o, "missing", json_integer(x->missing));
	json_out_set(o, "jump_to_hello_ms", known(x->jump_ms));
	json_out_set(o, "kernel_to_init_ms", known(x->init_ms));
	json_out_set(o, "tests_ms", known(x->tests_ms));
	json_out_set(o, "total_ms", known(x->total_ms));
	json_out_set(o, "started_unix_ms", x->at_ms ? json_integer((json_int_t)x->at_ms) : json_null());
	return o;
}

struct json_t *show_json(const struct show *s)
{
	const struct plan *p = &s->sweep->plan;
	json_t *o = json_object(), *subjects = json_array(), *tries = json_array();
	json_out_set(o, "sweep", json_out_text(p->id));
	json_out_set(o, "imported", json_boolean(p->imported));
	json_out_set(o, "box", json_out_text(p->box));
	json_out_set(o, "state", json_string(s->state));
	json_out_set(o, "boots", json_integer(s->boots));
	json_out_set(o, "done", json_integer(s->done));
	json_out_set(o, "given_up", json_integer(s->lost));
	json_out_set(o, "started_unix_ms", s->at_ms ? json_integer((json_int_t)s->at_ms) : json_null());
	json_out_set(o, "rounds", json_integer(p->rounds));
	json_out_set(o, "seed", json_integer((json_int_t)p->seed));
	json_out_set(o, "suite", json_out_text(p->suite));
	json_out_set(o, "switch", json_string(plan_switch_name(p->sw)));
	json_out_set(o, "home", json_out_text(p->home));
	json_out_set(o, "store_bad_lines", json_integer(s->store->bad_lines));
	json_out_set(o, "store_repeats", json_integer(s->store->repeats));
	for (size_t i = 0; i < p->subjects; i++)
		json_array_append_new(subjects, json_out_text(p->subject[i].id));
	for (size_t i = 0; i < s->tries; i++)
		json_array_append_new(tries, try_json(s, &s->try[i]));
	json_out_set(o, "subjects", subjects);
	json_out_set(o, "tries", tries);
	return o;
}

struct json_t *show_json_channels(const struct show *s, const struct show_filter *filter)
{
	json_t *a = json_array();
	for (size_t i = 0; i < s->tries; i++) {
		const struct show_try *x = &s->try[i];
		if ((filter->by_tag && x->try->tag != filter->tag) || (!x->records && !x->missing))
			continue;
		json_t *o = json_object(), *list[STORE_IMPORTED + 1], *gaps = json_array();
		json_out_set(o, "line", json_integer(x->try->line));
		json_out_set(o, "tag", tag_json(x->try->tag));
		json_out_set(o, "came_by", json_string(show_came_by(x)));
		json_out_set(o, "records", json_integer((json_int_t)x->records));
		json_out_set(o, "console", console_json(&x->console));
		for (unsigned c = STORE_SERIAL; c <= (s->sweep->plan.imported ? STORE_IMPORTED : STORE_DIFFER); c++) {
			list[c] = json_array();
			json_out_set(o, store_channel_name((enum store_channel)c), list[c]);
		}
		for (size_t k = 0; k < x->records; k++)
			if (x->record[k].ch <= (s->sweep->plan.imported ? STORE_IMPORTED : STORE_DIFFER))
				json_array_append_new(list[x->record[k].ch], json_integer(x->record[k].seq));
		for (size_t k = 0; k < s->store->gaps; k++)
			if (s->store->gap[k].line == x->try->line && s->store->gap[k].tag == x->try->tag)
				json_array_append_new(gaps,
				                      json_pack("[I, I]", (json_int_t)s->store->gap[k].first, (json_int_t)s->store->gap[k].last));
		json_out_set(o, "gaps", gaps);
		json_array_append_new(a, o);
	}
	return a;
}

struct json_t *show_json_records(const struct show *s, const struct show_filter *filter)
{
	json_t *a = json_array();
	for (size_t i = 0; i < s->store->records; i++) {
		const struct store_record *r = &s->store->record[i];
		if (!show_wants(filter, r))
			continue;
		json_t *o = json_object(), *kv = json_object();
		json_out_set(o, "line", json_integer(r->line));
		json_out_set(o, "tag", tag_json(r->tag));
		json_out_set(o, "seq", json_integer(r->seq));
		json_out_set(o, "ms", json_integer((json_int_t)r->ms));
		json_out_set(o, "ch", json_string(store_channel_name(r->ch)));
		json_out_set(o, "kind", json_out_text(r->kind));
		for (size_t k = 0; k < r->n; k++)
			json_out_set(kv, r->pair[k].key, json_out_text(r->pair[k].val));
		json_out_set(o, "kv", kv);
		json_array_append_new(a, o);
	}
	return a;
}

static void put_metric(json_t *a, const struct measure *m, unsigned subject, size_t metric, double *v)
{
	const struct measure_metric *x = &m->metric[metric];
	json_t *values = json_array();
	double lo = INFINITY, hi = -INFINITY;
	unsigned bad = 0;
	size_t n = measure_values(m, metric, subject, NULL, v);
	for (size_t b = 0; b < m->boots; b++)
		bad += m->boot[b].subject == subject && m->bad[b * m->metrics + metric];
	for (size_t i = 0; i < n; i++) {
		lo = fmin(lo, v[i]);
		hi = fmax(hi, v[i]);
		json_array_append_new(values, json_out_real(v[i]));
	}
	json_t *o = json_object();
	json_out_set(o, "subject", json_out_text(m->plan->subject[subject].id));
	json_out_set(o, "test", json_out_text(x->test));
	json_out_set(o, "metric", json_out_text(x->name));
	json_out_set(o, "unit", x->desc ? json_out_text(x->desc->unit) : json_null());
	json_out_set(o, "primary", json_boolean(x->desc && x->desc->primary));
	json_out_set(o, "n", json_integer((json_int_t)n));
	json_out_set(o, "median", json_out_real(stats_median(v, n)));
	json_out_set(o, "min", json_out_real(lo));
	json_out_set(o, "max", json_out_real(hi));
	json_out_set(o, "cv", json_out_real(stats_cv(v, n)));
	json_out_set(o, "not_taken", json_integer(bad));
	json_out_set(o, "values", values);
	json_array_append_new(a, o);
}

static void put_test(json_t *a, const struct measure *m, unsigned subject, size_t test)
{
	for (enum measure_status k = MEASURE_FAIL; k <= MEASURE_TORN; k++) {
		const char *reason = NULL;
		unsigned n = measure_count(m, test, subject, k, &reason);
		if (!n)
			continue;
		json_t *o = json_object();
		json_out_set(o, "subject", json_out_text(m->plan->subject[subject].id));
		json_out_set(o, "test", json_out_text(m->test[test].name));
		json_out_set(o, "ended", json_string(measure_status_name(k)));
		json_out_set(o, "boots", json_integer(n));
		json_out_set(o, "partial", json_integer(measure_partial(m, test, subject, k)));
		json_out_set(o, "reason", json_out_text(reason));
		json_array_append_new(a, o);
	}
}

struct json_t *show_json_metrics(const struct measure *m, const struct show_filter *filter)
{
	json_t *o = json_object(), *metrics = json_array(), *tests = json_array();
	double *v = malloc((m->boots + 1) * sizeof *v);
	if (!v)
		err_die("out of memory");
	for (unsigned s = 0; s < m->plan->subjects; s++) {
		for (size_t i = 0; i < m->metrics; i++)
			if (!filter->test || !strcmp(filter->test, m->metric[i].test))
				put_metric(metrics, m, s, i, v);
		for (size_t i = 0; i < m->tests; i++)
			if (!filter->test || !strcmp(filter->test, m->test[i].name))
				put_test(tests, m, s, i);
	}
	free(v);
	json_out_set(o, "values", metrics);
	json_out_set(o, "not_passed", tests);
	return o;
}
