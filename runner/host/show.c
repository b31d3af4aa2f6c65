/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * show: gathers what is known of every try. Contract in show.h.
 *
 * Trap: two clocks. What lies between two marks in the journal is the station's time (marks without a time, written by a box alone, give
 * none); what lies between two records is the box's, since its kernel started. They are never subtracted from each other.
 */
#include <stdlib.h>
#include <string.h>

#include "common/err.h"
#include "host/lab.h"
#include "host/show.h"

static double between(uint64_t from_ms, uint64_t to_ms) { return from_ms && to_ms >= from_ms ? (double)(to_ms - from_ms) : -1; }

static int is_metric(const struct store_record *r, const char *test, const char *name)
{
	const char *t = store_get(r, "test"), *n = store_get(r, "name");
	return !strcmp(r->kind, "metric") && t && n && !strcmp(t, test) && !strcmp(n, name);
}

static void count_channel(struct show_try *t, enum store_channel ch)
{
	t->both += ch == STORE_BOTH;
	t->serial += ch == STORE_SERIAL;
	t->nfs += ch == STORE_NFS;
	t->differ += ch == STORE_DIFFER;
}

static void read_records(struct show_try *t)
{
	const struct store_record *begin = NULL, *bye = NULL;
	double ns;
	for (size_t i = 0; i < t->records; i++) {
		const struct store_record *r = &t->record[i];
		count_channel(t, r->ch);
		if (!strcmp(r->kind, "hello") && store_get(r, "start"))
			t->start = store_get(r, "start");
		else if (!strcmp(r->kind, "begin") && !begin && strcmp(store_get(r, "test") ? store_get(r, "test") : "", "boot-time"))
			begin = r; /* boot-time only reports what was over before */
		else if (!strcmp(r->kind, "bye"))
			bye = r;
		else if (is_metric(r, "boot-time", "init") && measure_parse(r, &ns) == MEASURE_OK)
			t->init_ms = ns / 1e6;
	}
	if (begin && bye && bye->ms >= begin->ms)
		t->tests_ms = (double)(bye->ms - begin->ms);
}

static void fill(struct show *s, struct show_try *t, const struct plan_try *try)
{
	const struct journal_try *j = &s->sweep->journal->try[try->line];
	memset(t, 0, sizeof *t);
	t->try = try;
	t->start = "";
	t->state = journal_state(s->sweep->journal, try->line);
	t->failure = t->state == JOURNAL_FAILED ? j->name : "";
	t->quarantined = t->state < JOURNAL_START && journal_quarantined(s->sweep->journal, &s->sweep->plan, try->subject);
	t->at_ms = j->at_ms[JOURNAL_START];
	t->guard = journal_guard_name(j->guard);
	t->init_ms = t->tests_ms = -1;
	t->jump_ms = between(j->at_ms[JOURNAL_START], j->at_ms[JOURNAL_HELLO]);
	t->total_ms = between(j->at_ms[JOURNAL_START], j->at_ms[t->state == JOURNAL_FAILED ? JOURNAL_FAILED : JOURNAL_COMPLETE]);
	t->record = store_try(s->store, try->line, try->tag, &t->records);
	for (size_t i = 0; i < s->store->gaps; i++)
		if (s->store->gap[i].line == try->line && s->store->gap[i].tag == try->tag)
			t->missing += s->store->gap[i].last - s->store->gap[i].first + 1;
	read_records(t);
	if (t->at_ms && (!s->at_ms || t->at_ms < s->at_ms))
		s->at_ms = t->at_ms;
}

/* A sweep that runs holds its lock. */
static int is_running(const struct sweep *sw)
{
	char below[PLAN_ID_MAX + 16];
	snprintf(below, sizeof below, "sweeps/%s/lock", sw->id);
	return lab_locked(below);
}

static int is_first(const struct plan *p, size_t at)
{
	for (size_t i = 0; i < at; i++)
		if (p->try[i].boot == p->try[at].boot)
			return 0;
	return 1;
}

static void summarise(struct show *s)
{
	const struct plan *p = &s->sweep->plan;
	const struct journal *j = s->sweep->journal;
	unsigned started = 0, open = 0; /* open: begun, and nobody has said how it ended */
	for (size_t i = 0; i < p->tries; i++) {
		enum journal_state_id state = journal_state(j, p->try[i].line);
		started += state >= JOURNAL_START;
		open += state == JOURNAL_START || state == JOURNAL_HELLO;
		if (!is_first(p, i))
			continue;
		s->boots++;
		if (journal_boot_complete(j, p, p->try[i].boot, NULL))
			s->done++;
		else
			s->lost += !!journal_quarantined(j, p, p->try[i].subject);
	}
	if (p->imported)
		s->state = "imported";
	else if (is_running(s->sweep))
		s->state = j->paused ? "paused" : "running";
	else if (s->done == s->boots)
		s->state = "done";
	else if (!started)
		s->state = "planned";
	else if (!open && !journal_next(j, p))
		s->state = "ended"; /* what is missing was given up */
	else
		s->state = j->paused ? "paused" : j->control == JOURNAL_HOLD ? "held" : "unfinished";
}

void show_make(struct show *s, const struct sweep *sw, const struct store *store)
{
	memset(s, 0, sizeof *s);
	s->sweep = sw;
	s->store = store;
	s->try = calloc(sw->plan.tries + 1, sizeof *s->try);
	if (!s->try)
		err_die("out of memory");
	for (size_t i = 0; i < sw->plan.tries; i++)
		fill(s, &s->try[s->tries++], &sw->plan.try[i]);
	show_read_more(s);
	summarise(s);
}

void show_free(struct show *s)
{
	free(s->try);
	memset(s, 0, sizeof *s);
}

const char *show_state_name(const struct show_try *t)
{
	if (t->quarantined)
		return "quarantined";
	return t->state == JOURNAL_COMPLETE && t->missing ? "complete-with-gaps" : journal_state_name(t->state);
}

int show_wants(const struct show_filter *f, const struct store_record *r)
{
	const char *test = f->test ? store_get(r, "test") : NULL;
	if (f->by_tag && r->tag != f->tag)
		return 0;
	return !f->test || (test && !strcmp(test, f->test));
}
