/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * rehearse_judge: from the lines of a sweep to the verdict of a fault: what was seen, whether the table allows it, and what is kept of it.
 */
#include <dirent.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "common/err.h"
#include "host/lab.h"
#include "host/prove.h"
#include "host/rehearse.h"
#include "host/store.h"

struct judging {
	struct rehearse_result *x;
	const struct rehearse_watch *w;
	const char *sweep;
	struct store store;
	int stored;
	unsigned records, files, complete, judged;
};

static void __attribute__((format(printf, 3, 4))) append(char *out, size_t size, const char *fmt, ...)
{
	size_t n = strlen(out);
	va_list ap;

	va_start(ap, fmt);
	if (n < size)
		vsnprintf(out + n, size - n, fmt, ap);
	va_end(ap);
}

static void begin(struct judging *g, struct rehearse_result *x, const struct rehearse_watch *w, const char *sweep)
{
	char *path = lab_path("sweeps/%s/records.jsonl", sweep);

	*g = (struct judging){.x = x, .w = w, .sweep = sweep};
	g->stored = !store_read(&g->store, path);
	free(path);
}

/* How the test `fault` ended in this try, where it is told; a skip makes the whole of it one. */
static void look_at_test(struct judging *g, const struct plan_try *t)
{
	size_t n = 0;
	const struct store_record *r = g->stored ? store_try(&g->store, t->line, t->tag, &n) : NULL;

	g->records += (unsigned)n;
	for (size_t i = 0; i < n; i++) {
		const char *test = store_get(&r[i], "test"), *status = store_get(&r[i], "status"), *reason = store_get(&r[i], "reason");

		if (strcmp(r[i].kind, "end") || !test || strcmp(test, "fault") || !status || g->x->fault->where != REHEARSE_BOX)
			continue;
		if (strcmp(status, "pass"))
			append(g->x->seen, sizeof(g->x->seen), " (test %.10s)", status);
		if (!strcmp(status, "skip") && !strncmp(g->x->fault->words, "kdfault=", 8)) {
			g->x->skipped = 1;
			snprintf(g->x->why, sizeof(g->x->why), "%.150s", reason ? reason : "skipped");
		}
	}
}

static void look_at_files(struct judging *g, const struct plan_try *t)
{
	char *path = lab_path("sweeps/%s/evidence", g->sweep), tag[9];
	DIR *d = opendir(path);
	struct dirent *e;

	snprintf(tag, sizeof(tag), "%08x", t->tag);
	while (d && (e = readdir(d)))
		g->files += strstr(e->d_name, tag) != NULL;
	if (d)
		closedir(d);
	free(path);
}

static void look_at_line(struct judging *g, const struct plan_try *t)
{
	const struct journal_try *j = &g->w->journal->try[t->line];
	const char *why = rehearse_watch_why(g->w, t->line, j->state), *name = j->state == JOURNAL_FAILED ? j->name : "";
	struct rehearse_result *x = g->x;
	uint64_t from_ms = 0, to_ms = 0;

	if (j->state < JOURNAL_NOT_RUN || j->state == JOURNAL_HELLO)
		return;
	append(x->seen, sizeof(x->seen), "%s%s%s%s", *x->seen ? ", " : "", journal_state_name(j->state), *name ? ":" : "", name);
	if (j->state == JOURNAL_VOID)
		append(x->seen, sizeof(x->seen), " (%s)", why);
	look_at_test(g, t);
	look_at_files(g, t);
	x->tries++;
	g->judged += !rehearse_is_detour(j->state, why);
	g->complete += j->state == JOURNAL_COMPLETE;
	if (!rehearse_allows(x->fault, j->state, name, why) && !x->skipped && !*x->why)
		snprintf(x->why, sizeof(x->why), "line %u: %s%s%s is not allowed", t->line, journal_state_name(j->state), *name ? ":" : "", name);
	for (size_t i = 0; i < g->w->events; i++) {
		const struct rehearse_event *e = &g->w->event[i];

		if (e->line != t->line || !e->at_ms)
			continue;
		from_ms = !from_ms || e->at_ms < from_ms ? e->at_ms : from_ms;
		to_ms = e->at_ms > to_ms ? e->at_ms : to_ms;
	}
	x->ms += to_ms - from_ms;
}

static void end(struct judging *g)
{
	struct rehearse_result *x = g->x;

	x->done = 1;
	append(x->evidence, sizeof(x->evidence), "%u records", g->records);
	if (g->files)
		append(x->evidence, sizeof(x->evidence), ", %u file%s", g->files, g->files > 1 ? "s" : "");
	if (!*x->why && !g->judged)
		snprintf(x->why, sizeof(x->why), "no line of it came to a verdict");
	x->ok = x->skipped || !*x->why;
	store_free(&g->store);
}

void rehearse_judge_subject(struct rehearse *r, struct rehearse_result *x, const struct rehearse_watch *w, const char *variant)
{
	struct judging g;

	begin(&g, x, w, r->sweep);
	for (size_t i = 0; i < w->plan.tries; i++)
		if (!strcmp(w->plan.subject[w->plan.try[i].subject].variant, variant))
			look_at_line(&g, &w->plan.try[i]);
	end(&g);
}

/* Lines whose verdict fell into that time. */
void rehearse_judge_time(struct rehearse *r, struct rehearse_result *x, const struct rehearse_watch *w, uint64_t from_ms, uint64_t to_ms)
{
	char taken[PLAN_TRIES_MAX + 1] = {0};
	struct judging g;

	begin(&g, x, w, r->sweep);
	for (size_t i = 0; i < w->events; i++) {
		const struct rehearse_event *e = &w->event[i];
		const struct plan_try *t = plan_try_by_line(&w->plan, e->line);

		if (!t || taken[e->line] || e->at_ms < from_ms || e->at_ms > to_ms || e->state < JOURNAL_NOT_RUN || e->state == JOURNAL_HELLO)
			continue;
		taken[e->line] = 1;
		look_at_line(&g, t);
	}
	if (!g.complete && !*x->why)
		snprintf(x->why, sizeof(x->why), "no boot was complete after it");
	end(&g);
	x->ms = to_ms - from_ms;
}

void rehearse_prove(struct rehearse *r)
{
	struct prove p;

	prove_lab(&p, r->sweep);
	rehearse_say("%s: %u boots, %u complete, %u given up, %u tries failed, %u void, %llu records: %zu wrong", r->sweep, p.boots, p.complete,
	             p.given_up, p.failed, p.voids, (unsigned long long)p.records, p.wrongs);
	for (size_t i = 0; i < p.wrongs && i < PROVE_WRONG_MAX; i++) {
		const char *text = p.wrong[i] ? p.wrong[i] : "";

		rehearse_say("wrong: %s", text);
		if (r->wrongs < sizeof(r->wrong) / sizeof(r->wrong[0]))
			snprintf(r->wrong[r->wrongs], sizeof(r->wrong[0]), "%.20s: %.170s", r->sweep, text);
		r->wrongs++;
	}
	r->boots += p.boots;
	r->complete += p.complete;
	r->given_up += p.given_up;
	r->records += p.records;
	prove_free(&p);
}
