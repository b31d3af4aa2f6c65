/* SPDX-License-Identifier: GPL-2.0-or-later */
/* show_text: a sweep for people. What a box sent goes through table.h or kv_escape, never as it came. */
#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "common/err.h"
#include "host/number.h"
#include "host/show.h"
#include "host/table.h"

static const char *duration(double ms, char *out, size_t size) { return ms < 0 ? "-" : number_duration((uint64_t)ms, out, size); }

/* `both 41`, or all that is not both, the worst first. */
static void channels(const struct show_try *t, char *out, size_t size)
{
	const struct {
		unsigned n;
		const char *word;
	} part[] = {{t->differ, "differ"}, {t->missing, "missing"}, {t->serial, "serial only"}, {t->nfs, "nfs only"}, {t->both, "both"}};
	size_t at = 0;
	snprintf(out, size, "-");
	if (t->records && t->record[0].ch == STORE_IMPORTED)
		snprintf(out, size, "imported %zu", t->records);
	for (size_t i = 0; i < sizeof part / sizeof *part && at < size; i++)
		if (part[i].n)
			at += (size_t)snprintf(out + at, size - at, "%s%s %u", at ? ", " : "", part[i].word, part[i].n);
}

static void print_head(const struct show *s, FILE *f)
{
	const struct plan *p = &s->sweep->plan;
	char when[NUMBER_MAX];
	if (p->imported) {
		fprintf(f,
		        "sweep %s: imported from tables, machine %s: %u runs of %zu subject%s; nothing was booted, there are no logs and no proof\n",
		        p->id, p->box, s->boots, p->subjects, p->subjects == 1 ? "" : "s");
		return;
	}
	fprintf(f, "sweep %s on %s: %s, %u of %u boots done", p->id, p->box, s->state, s->done, s->boots);
	if (s->lost)
		fprintf(f, ", %u given up", s->lost);
	fprintf(f, "; started %s\n", number_time(s->at_ms / 1000, when, sizeof when));
	fprintf(f, "%u round%s of %zu subject%s, seed %" PRIu64 ", suite %s, switch %s, home %s\n", p->rounds, p->rounds == 1 ? "" : "s", p->subjects,
	        p->subjects == 1 ? "" : "s", p->seed, p->suite, plan_switch_name(p->sw), p->home);
	if (s->store->bad_lines || s->store->repeats)
		fprintf(f, "store: damaged lines left out: %u, repeats dropped: %u\n", s->store->bad_lines, s->store->repeats);
}

/* What went wrong, with the reason and where to look. */
static void print_failures(const struct show *s, FILE *f)
{
	struct table t;
	int any = 0;
	table_open(&t, ">line|tag|state|why|evidence");
	for (size_t i = 0; i < s->tries; i++) {
		const struct show_try *x = &s->try[i];
		if (x->state != JOURNAL_FAILED && x->state != JOURNAL_VOID && x->state != JOURNAL_NOT_RUN)
			continue;
		if (!any++)
			fprintf(f, "\ntries that did not count\n");
		table_addf(&t, "%u", x->try->line);
		table_addf(&t, "%08x", x->try->tag);
		table_addf(&t, "%s%s%s", journal_state_name(x->state), *x->failure ? ":" : "", x->failure);
		table_add(&t, *x->why ? x->why : "-");
		if (*x->evidence)
			table_addf(&t, "sweeps/%s/evidence/%s", s->sweep->id, x->evidence);
		else
			table_add(&t, "-");
	}
	table_print(&t, f, 0);
}

void show_print(const struct show *s, FILE *f)
{
	struct table t;
	char a[96];
	print_head(s, f);
	putc('\n', f);
	table_open(&t, ">line|tag|subject|>round|state|start|guard|channels|>jump-hello|>kernel-init|>tests|>total");
	for (size_t i = 0; i < s->tries; i++) {
		const struct show_try *x = &s->try[i];
		table_addf(&t, "%u", x->try->line);
		table_addf(&t, "%08x", x->try->tag);
		table_add(&t, s->sweep->plan.subject[x->try->subject].id);
		table_addf(&t, "%u", x->try->round);
		table_addf(&t, "%s%s%s%s", show_state_name(x), *x->failure ? ":" : "", x->failure, x->try->discard ? ", discarded" : "");
		table_add(&t, *x->start ? x->start : "-");
		table_add(&t, *x->guard ? x->guard : "-");
		channels(x, a, sizeof a);
		table_add(&t, a);
		table_add(&t, duration(x->jump_ms, a, sizeof a));
		table_add(&t, duration(x->init_ms, a, sizeof a));
		table_add(&t, duration(x->tests_ms, a, sizeof a));
		table_add(&t, duration(x->total_ms, a, sizeof a));
	}
	table_print(&t, f, 0);
	print_failures(s, f);
}

/* ---- channels: which seqs did not come both ways */

static void add_ranges(struct table *t, const struct show_try *x, enum store_channel ch)
{
	uint32_t *seq = malloc((x->records + 1) * sizeof *seq);
	char text[400];
	size_t n = 0;
	if (!seq)
		err_die("out of memory");
	for (size_t i = 0; i < x->records; i++)
		if (x->record[i].ch == ch)
			seq[n++] = x->record[i].seq;
	if (!n)
		table_add(t, "-");
	else if (record_ranges_format(text, sizeof text, seq, n) < 0)
		table_addf(t, "%zu records", n);
	else
		table_add(t, text);
	free(seq);
}

static void add_gaps(struct table *t, const struct store *s, const struct show_try *x)
{
	char text[400];
	size_t at = 0;
	snprintf(text, sizeof text, "-");
	for (size_t i = 0; i < s->gaps && at < sizeof text; i++) {
		const struct store_gap *g = &s->gap[i];
		if (g->line != x->try->line || g->tag != x->try->tag)
			continue;
		at += (size_t)snprintf(text + at, sizeof text - at, g->first == g->last ? "%s%u" : "%s%u-%u", at ? "," : "", g->first, g->last);
	}
	table_add(t, text);
}

static void add_count(struct table *t, const struct show_console *c, uint64_t n)
{
	if (c->known)
		table_addf(t, "%" PRIu64, n);
	else
		table_add(t, "-");
}

void show_print_channels(const struct show *s, const struct show_filter *filter, FILE *f)
{
	struct table t;
	fprintf(f, "\nchannels: how many records came by each, the numbers of those that did not come by both, and what the serial line brought\n");
	table_open(&t, ">line|tag|came by|>records|>both|>serial|>nfs|serial only|nfs only|differ|missing|>bytes|>damaged|>dropped");
	for (size_t i = 0; i < s->tries; i++) {
		const struct show_try *x = &s->try[i];
		if ((filter->by_tag && x->try->tag != filter->tag) || (!x->records && !x->missing))
			continue;
		table_addf(&t, "%u", x->try->line);
		table_addf(&t, "%08x", x->try->tag);
		table_add(&t, show_came_by(x));
		table_addf(&t, "%zu", x->records);
		table_addf(&t, "%u", x->both);
		table_addf(&t, "%u", x->both + x->serial);
		table_addf(&t, "%u", x->both + x->nfs);
		add_ranges(&t, x, STORE_SERIAL);
		add_ranges(&t, x, STORE_NFS);
		add_ranges(&t, x, STORE_DIFFER);
		add_gaps(&t, s->store, x);
		add_count(&t, &x->console, x->console.bytes);
		add_count(&t, &x->console, x->console.bad);
		add_count(&t, &x->console, x->console.dropped);
	}
	table_print(&t, f, 0);
}

/* ---- records, as they came */

void show_print_records(const struct show *s, const struct show_filter *filter, FILE *f)
{
	char value[3 * KV_LINE_MAX + 1];
	fprintf(f, "\n%5s %-8s %5s %8s %-6s record\n", "line", "tag", "seq", "ms", "by");
	for (size_t i = 0; i < s->store->records; i++) {
		const struct store_record *r = &s->store->record[i];
		if (!show_wants(filter, r))
			continue;
		kv_escape(value, sizeof value, r->kind, strlen(r->kind));
		fprintf(f, "%5u %08x %5u %8" PRIu64 " %-6s %s", r->line, r->tag, r->seq, r->ms, store_channel_name(r->ch), value);
		for (size_t k = 0; k < r->n; k++) {
			kv_escape(value, sizeof value, r->pair[k].key, strlen(r->pair[k].key));
			fprintf(f, " %s", value);
			kv_escape(value, sizeof value, r->pair[k].val, strlen(r->pair[k].val));
			fprintf(f, "=%s", value);
		}
		putc('\n', f);
	}
	for (size_t i = 0; i < s->store->gaps && !filter->test; i++) {
		const struct store_gap *g = &s->store->gap[i];
		if (!filter->by_tag || g->tag == filter->tag)
			fprintf(f, "%5u %08x gap: %u to %u are missing\n", g->line, g->tag, g->first, g->last);
	}
}

/* ---- metrics */

static void add_metric(struct table *t, const struct measure *m, unsigned subject, size_t metric, double *v)
{
	const struct measure_metric *x = &m->metric[metric];
	const char *unit = x->desc ? x->desc->unit : "";
	char a[NUMBER_MAX];
	double lo = INFINITY, hi = -INFINITY;
	unsigned bad = 0;
	size_t n = measure_values(m, metric, subject, NULL, v);
	for (size_t b = 0; b < m->boots; b++)
		bad += m->boot[b].subject == subject && m->bad[b * m->metrics + metric];
	if (!n && !bad)
		return;
	for (size_t i = 0; i < n; i++) {
		lo = fmin(lo, v[i]);
		hi = fmax(hi, v[i]);
	}
	table_add(t, m->plan->subject[subject].id);
	table_add(t, x->test);
	table_addf(t, "%s%s", x->name, x->desc && x->desc->primary ? " *" : "");
	table_addf(t, "%zu", n);
	table_add(t, number_human(stats_median(v, n), unit, a, sizeof a));
	table_add(t, number_human(lo, unit, a, sizeof a));
	table_add(t, number_human(hi, unit, a, sizeof a));
	table_add(t, number_percent(stats_cv(v, n), a, sizeof a));
	if (bad)
		table_addf(t, "%u not taken", bad);
	else
		table_add(t, "");
}

static void print_tests(const struct measure *m, const struct show_filter *filter, FILE *f)
{
	struct table t;
	int any = 0;
	table_open(&t, "subject|test|ended|>boots|>partial|reason");
	for (unsigned s = 0; s < m->plan->subjects; s++)
		for (size_t i = 0; i < m->tests; i++)
			for (enum measure_status k = MEASURE_FAIL; k <= MEASURE_TORN; k++) {
				const char *reason = NULL;
				unsigned n = measure_count(m, i, s, k, &reason);
				if (!n || (filter->test && strcmp(filter->test, m->test[i].name)))
					continue;
				if (!any++)
					fprintf(f, "\ntests that did not pass\n");
				table_add(&t, m->plan->subject[s].id);
				table_add(&t, m->test[i].name);
				table_add(&t, measure_status_name(k));
				table_addf(&t, "%u", n);
				table_addf(&t, "%u", measure_partial(m, i, s, k));
				table_add(&t, reason ? reason : "-");
			}
	table_print(&t, f, 0);
}

void show_print_metrics(const struct measure *m, const struct show_filter *filter, FILE *f)
{
	struct table t;
	double *v = malloc((m->boots + 1) * sizeof *v);
	if (!v)
		err_die("out of memory");
	fprintf(f, "\nmetrics, one value a boot (* primary)\n");
	table_open(&t, "subject|test|metric|>n|>median|>min|>max|>CV|");
	for (size_t i = 0; i < m->metrics; i++)
		for (unsigned s = 0; s < m->plan->subjects; s++)
			if (!filter->test || !strcmp(filter->test, m->metric[i].test))
				add_metric(&t, m, s, i, v);
	table_print(&t, f, 0);
	free(v);
	print_tests(m, filter, f);
}
