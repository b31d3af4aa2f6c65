/* SPDX-License-Identifier: GPL-2.0-or-later */
/* prove: see prove.h. Here: journals and verdicts. */
#include "host/prove.h"

#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "common/kv.h"
#include "host/drive.h"

void prove_say(struct prove *p, const char *fmt, ...)
{
	va_list ap;

	va_start(ap, fmt);
	if (p->wrong && p->wrongs < PROVE_WRONG_MAX && vasprintf(&p->wrong[p->wrongs], fmt, ap) < 0)
		p->wrong[p->wrongs] = NULL;
	p->wrongs++;
	va_end(ap);
}

static struct prove_try *find(struct prove *p, uint64_t line, uint32_t tag)
{
	for (size_t i = 0; i < p->plan.tries; i++)
		if (p->plan.try[i].line == line)
			return p->plan.try[i].tag == tag ? &p->try[i] : NULL;
	return NULL;
}

/* A line of a journal, as it stands; by: 0 the station's file, 1 the box's. */
static void take_line(struct prove *p, const struct kv_line *l, int by)
{
	const char *state = kv_get(l, "state"), *why = kv_get(l, "why");
	struct prove_try *x;
	uint64_t line;
	uint32_t tag;

	if (strcmp(l->word, "try") || !state || kv_u64(l, "line", &line) || kv_hex32(l, "tag", &tag) || !(x = find(p, line, tag)))
		return;
	if (!strcmp(state, "start")) {
		x->starts[by]++;
		for (size_t i = 0; !by && i < p->plan.tries; i++)
			if (p->plan.try[i].boot == x->t->boot && p->try[i].completes)
				x->after_complete++;
	}
	if (!strcmp(state, "complete") && !by) {
		x->completes++;
		x->with_gaps = why && !strcmp(why, "with-gaps");
	}
	if (!strcmp(state, "void") && why)
		snprintf(x->void_why, sizeof(x->void_why), "%s", why);
	if (!strcmp(state, "failed") && why)
		snprintf(x->fail_why, sizeof(x->fail_why), "%s", why);
}

static void read_journal(struct prove *p, const struct prove_text *t, int by)
{
	static struct kv_line l;
	const char *s = t->s, *end = t->s + t->len;

	while (s < end) {
		const char *nl = memchr(s, '\n', (size_t)(end - s));
		size_t n = nl ? (size_t)(nl - s) : (size_t)(end - s);

		if (n && !kv_parse_crc(&l, s, n))
			take_line(p, &l, by);
		s += n + 1;
	}
	if (t->len)
		journal_merge(p->journal, &p->plan, t->s, t->len);
}

static int final(enum journal_state_id s) { return s == JOURNAL_NOT_RUN || s >= JOURNAL_FAILED; }

/* Of each line by itself. */
static void judge_line(struct prove *p, struct prove_try *x, const struct prove_input *in)
{
	enum journal_state_id s = journal_state(p->journal, x->t->line);
	const char *name = p->journal->try[x->t->line].name;

	if (x->starts[0] > 1 || x->starts[1] > 1)
		prove_say(p, "line %u was started twice, by the journal of the %s", x->t->line, x->starts[0] > 1 ? "station" : "box");
	if (x->hellos > 1 && s != JOURNAL_VOID)
		prove_say(p, "line %u was started twice: the console heard %u different hellos of tag %08x", x->t->line, x->hellos, x->t->tag);
	if (x->completes > 1)
		prove_say(p, "line %u was completed %u times", x->t->line, x->completes);
	if (x->after_complete)
		prove_say(p, "line %u was started though boot %u was complete", x->t->line, x->t->boot);
	if (s == JOURNAL_START || s == JOURNAL_HELLO)
		prove_say(p, "line %u was started and has no verdict (%s)", x->t->line, journal_state_name(s));
	p->failed += s == JOURNAL_FAILED;
	p->voids += s == JOURNAL_VOID;
	if (s == JOURNAL_FAILED && !*name)
		prove_say(p, "line %u failed without a name", x->t->line);
	if (s == JOURNAL_FAILED && strcmp(name, "fetch") && !x->records && !(in->kept && in->kept(in->ctx, x->t)))
		prove_say(p, "line %u failed (%s), and nothing is kept of it", x->t->line, name);
}

static void judge_boot(struct prove *p, unsigned boot, unsigned replaced)
{
	unsigned lines = 0, complete = 0, open = 0, voids = 0, bounded = 0, subject = 0;
	char states[200] = "";
	size_t len = 0;

	for (size_t i = 0; i < p->plan.tries; i++) {
		const struct plan_try *t = &p->plan.try[i];
		enum journal_state_id s = journal_state(p->journal, t->line);

		if (t->boot != boot)
			continue;
		lines++;
		subject = t->subject;
		complete += s == JOURNAL_COMPLETE;
		open += !final(s);
		voids += s == JOURNAL_VOID;
		bounded += s == JOURNAL_VOID && journal_void_is_bounded(p->try[i].void_why);
		len += len < sizeof(states) ? (size_t)snprintf(states + len, sizeof(states) - len, "%s%s", len ? ", " : "", journal_state_name(s))
		                            : 0;
	}
	p->boots++;
	p->complete += complete == 1;
	if (complete > 1)
		prove_say(p, "boot %u is complete %u times", boot, complete);
	if (complete)
		return;
	if (journal_quarantined(p->journal, &p->plan, subject) ||
	    (!open && (lines - voids >= p->plan.tries_max || voids >= DRIVE_VOIDS_MAX || (bounded && replaced >= p->plan.rounds))))
		p->given_up++;
	else
		prove_say(p, "boot %u has no verdict (%s)", boot, states);
}

static void judge_boots(struct prove *p)
{
	unsigned replaced = 0;

	for (size_t i = 0; i < p->plan.tries; i++)
		replaced += !strcmp(p->plan.try[i].why, "replace") || (p->try[i].void_why[0] && journal_void_is_bounded(p->try[i].void_why));
	for (size_t i = 0; i < p->plan.tries; i++) {
		size_t k = 0;

		while (p->plan.try[k].boot != p->plan.try[i].boot)
			k++;
		if (k == i)
			judge_boot(p, p->plan.try[i].boot, replaced);
	}
}

static void judge_end(struct prove *p)
{
	unsigned next = journal_next(p->journal, &p->plan);

	if (next)
		prove_say(p, "the sweep is not at its end: line %u is still to run (kdyno sweep run %s)", next, p->plan.id);
	if (p->journal->control != JOURNAL_HOLD)
		prove_say(p, "the station's last word to the box is not hold");
}

static int open_plan(struct prove *p, const struct prove_input *in)
{
	struct plan_error e;
	int err = plan_read_schedule(&p->plan, in->schedule.s, in->schedule.len, &e);

	if (!err && in->manifest.len)
		err = plan_read_manifest(&p->plan, in->manifest.s, in->manifest.len, &e);
	if (err)
		return err;
	p->journal = malloc(sizeof(*p->journal));
	p->try = calloc(p->plan.tries + 1, sizeof(*p->try));
	if (!p->journal || !p->try)
		return -ENOMEM;
	journal_init(p->journal);
	for (size_t i = 0; i < p->plan.tries; i++)
		p->try[i].t = &p->plan.try[i];
	return 0;
}

int prove_sweep(struct prove *p, const struct prove_input *in)
{
	int err;

	memset(p, 0, sizeof(*p));
	p->wrong = calloc(PROVE_WRONG_MAX, sizeof(*p->wrong));
	err = p->wrong ? open_plan(p, in) : -ENOMEM;
	if (!err) {
		read_journal(p, &in->station, 0);
		read_journal(p, &in->box, 1);
		err = prove_read_records(p, &in->records);
	}
	if (err) {
		prove_free(p);
		return err;
	}
	prove_read_console(p, &in->console);
	for (size_t i = 0; i < p->plan.tries; i++) {
		judge_line(p, &p->try[i], in);
		prove_judge_records(p, &p->try[i]);
	}
	judge_boots(p);
	judge_end(p);
	return 0;
}

void prove_free(struct prove *p)
{
	for (size_t i = 0; p->wrong && i < p->wrongs && i < PROVE_WRONG_MAX; i++)
		free(p->wrong[i]);
	for (size_t i = 0; p->try && i < p->plan.tries; i++)
		free(p->try[i].have);
	free(p->wrong);
	free(p->try);
	free(p->journal);
	plan_free(&p->plan);
	memset(p, 0, sizeof(*p));
}
