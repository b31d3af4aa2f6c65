/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * compare_text: a comparison for people: a line a pair that says what matters, then what failed, the verdicts, the rest, and the notes.
 * Everything that may quote a box goes through table.h or err_clean().
 */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>

#include "common/err.h"
#include "host/compare.h"
#include "host/findings.h"
#include "host/number.h"
#include "host/table.h"

/* slower, faster for times and rates; worse, better for everything else. */
static const char *direction_word(const struct suite_metric *d, int direction)
{
	size_t len = strlen(d->unit);
	int timed = !strcmp(d->unit, "ns") || (len > 2 && !strcmp(d->unit + len - 2, "/s"));
	if (!direction)
		return "different";
	return direction < 0 ? (timed ? "slower" : "worse") : (timed ? "faster" : "better");
}

/* ---- the line */

static void say_row(FILE *f, const struct compare *c, const struct compare_row *r)
{
	char change[NUMBER_MAX], ci[2 * NUMBER_MAX];
	fputs(c->m->metric[r->metric].test, f);
	if (r->v.id <= VERDICT_PROBABLE_IMPROVEMENT && r->v.id > VERDICT_FAILED)
		fprintf(f, " (%s, CI %s)", number_change(r->v.shift.ratio, change, sizeof change),
		        number_interval(r->v.shift.lo, r->v.shift.hi, ci, sizeof ci));
	else if (r->v.id == VERDICT_FAILED)
		fprintf(f, " (%s)", r->why);
	else if (r->v.more && r->v.too_few && r->v.large)
		fprintf(f, " (%s, a large effect, too few runs: %u more each)", number_change(r->v.shift.ratio, change, sizeof change), r->v.more);
	else if (r->v.more == VERDICT_MORE_MAX)
		fputs(" (too noisy to tell)", f);
	else if (r->v.more)
		fprintf(f, r->v.too_few ? " (too few runs: %u more each)" : " (%u more boots each)", r->v.more);
}

static int is_of(const struct compare *c, const struct compare_row *r, enum verdict_id id, const char *word)
{
	if (!r->primary || r->v.id != id)
		return 0;
	const struct suite_metric *d = c->m->metric[r->metric].desc;
	return !word || !strcmp(word, direction_word(d, verdict_direction(&r->v, d->better)));
}

/* "; slower at A, B": nothing where no row is of that verdict and word. */
static void say_group(FILE *f, const struct compare *c, const struct compare_pair *p, enum verdict_id id, const char *word, const char *lead,
                      int *said)
{
	int n = 0;
	for (size_t i = 0; i < p->rows; i++) {
		if (!is_of(c, &p->row[i], id, word))
			continue;
		if (n++)
			fputs(", ", f);
		else
			fprintf(f, "%s%s", (*said)++ ? "; " : " ", lead);
		say_row(f, c, &p->row[i]);
	}
}

char *compare_summary(const struct compare *c, const struct compare_pair *p)
{
	static const struct {
		enum verdict_id id;
		const char *word, *lead;
	} group[] = {
		{VERDICT_FAILED, NULL, "FAILED: "},
		{VERDICT_REGRESSION, "slower", "slower at "},
		{VERDICT_REGRESSION, "worse", "worse at "},
		{VERDICT_PROBABLE_REGRESSION, "slower", "probably slower at "},
		{VERDICT_PROBABLE_REGRESSION, "worse", "probably worse at "},
		{VERDICT_IMPROVEMENT, "faster", "faster at "},
		{VERDICT_IMPROVEMENT, "better", "better at "},
		{VERDICT_PROBABLE_IMPROVEMENT, "faster", "probably faster at "},
		{VERDICT_PROBABLE_IMPROVEMENT, "better", "probably better at "},
		{VERDICT_INCONCLUSIVE, NULL, "inconclusive: "},
		{VERDICT_NO_CHANGE, NULL, "no change: "},
		{VERDICT_SKIPPED, NULL, "skipped: "},
	};
	char *text = NULL;
	size_t len;
	int said = 0;
	FILE *f = open_memstream(&text, &len);
	if (!f)
		err_die("out of memory");
	fprintf(f, "%s against %s:", c->m->plan->subject[p->subject].id, c->m->plan->subject[c->o.base].id);
	for (size_t i = 0; i < p->notes; i++)
		if (p->note[i].weight >= COMPARE_FAILURE)
			fprintf(f, "%s%s: %s", said++ ? "; " : " ", p->note[i].weight == COMPARE_REFUSAL ? "REFUSED" : "FAILED", p->note[i].text);
	for (size_t i = 0; i < sizeof group / sizeof *group; i++)
		say_group(f, c, p, group[i].id, group[i].word, group[i].lead, &said);
	if (!said)
		fputs(" no primary metric to judge", f);
	if (fclose(f) || !text)
		err_die("out of memory");
	return text;
}

/* ---- the tables */

static void say_meaning(const struct compare *c, const struct compare_row *r, char *out, size_t size)
{
	const struct suite_metric *d = c->m->metric[r->metric].desc;
	char mde[NUMBER_MAX], within[NUMBER_MAX];
	const char *least = number_percent(r->v.mde, mde, sizeof mde);
	number_percent(c->o.threshold, within, sizeof within);
	if (r->why[0])
		snprintf(out, size, "%s", r->why);
	else if (r->v.id == VERDICT_NO_CHANGE)
		snprintf(out, size, "within %s%s; would have seen %s", within, r->v.p_adj <= c->o.alpha ? ", though a difference is proven" : "",
		         least);
	else if (r->v.too_few && r->v.more == VERDICT_MORE_MAX)
		snprintf(out, size, "too many metrics for any number of runs");
	else if (r->v.too_few)
		snprintf(out, size, "%stoo few runs: %u more each", r->v.large ? "large effect, " : "", r->v.more);
	else if (r->v.id == VERDICT_INCONCLUSIVE && !isfinite(r->v.shift.ratio))
		snprintf(out, size, "values that are not positive have no ratio");
	else if (r->v.id == VERDICT_INCONCLUSIVE)
		snprintf(out, size, "%s%u more boots each; would have seen %s", r->v.more == VERDICT_MORE_MAX ? "over " : "about ", r->v.more, least);
	else
		snprintf(out, size, "%s%s", direction_word(d, verdict_direction(&r->v, d->better)),
		         r->v.id == VERDICT_PROBABLE_REGRESSION || r->v.id == VERDICT_PROBABLE_IMPROVEMENT ? ", perhaps by less than the threshold"
		                                                                                           : "");
}

/* The cells that both tables share: n, medians, change, interval. */
static void add_numbers(struct table *t, const struct compare *c, const struct compare_row *r)
{
	char a[2 * NUMBER_MAX];
	const struct suite_metric *d = c->m->metric[r->metric].desc;
	const char *unit = d ? d->unit : "";
	table_addf(t, "%zu+%zu", r->v.na, r->v.nb);
	table_add(t, number_human(r->v.median_a, unit, a, sizeof a));
	table_add(t, number_human(r->v.median_b, unit, a, sizeof a));
	table_add(t, number_change(r->v.shift.ratio, a, sizeof a));
	if (compare_has_interval(r))
		table_add(t, number_interval(r->v.shift.lo, r->v.shift.hi, a, sizeof a));
	else
		table_add(t, isfinite(r->v.shift.ratio) ? "too few" : "-");
}

static void print_primaries(const struct compare *c, const struct compare_pair *p, FILE *f)
{
	struct table t;
	char text[COMPARE_TEXT_MAX], a[NUMBER_MAX];
	table_open(&t, "verdict|test|metric|>n|>base|>subject|>change|>CI|>level|>p|>p Holm|meaning");
	for (size_t i = 0; i < p->rows; i++) {
		const struct compare_row *r = &p->row[i];
		if (!r->primary)
			continue;
		table_add(&t, verdict_name(r->v.id));
		table_add(&t, c->m->metric[r->metric].test);
		table_add(&t, c->m->metric[r->metric].name);
		add_numbers(&t, c, r);
		table_add(&t, compare_has_interval(r) ? number_percent(r->v.shift.coverage, a, sizeof a) : "-");
		table_addf(&t, "%s%s", r->v.test.method == STATS_NORMAL ? "~" : "", number_p(r->v.test.p, a, sizeof a));
		table_add(&t, number_p(r->v.p_adj, a, sizeof a));
		say_meaning(c, r, text, sizeof text);
		table_add(&t, text);
	}
	table_print(&t, f, 2);
}

static void print_exploratory(const struct compare *c, const struct compare_pair *p, FILE *f)
{
	static const char *const betters[] = {"-", "higher", "lower", "-"};
	struct table t;
	char a[NUMBER_MAX];
	int n = 0;
	table_open(&t, "test|metric|better|>n|>base|>subject|>change|>CI|>q");
	for (size_t i = 0; i < p->rows; i++) {
		const struct compare_row *r = &p->row[i];
		const struct measure_metric *m = &c->m->metric[r->metric];
		if (r->primary)
			continue;
		if (!n++)
			fprintf(f, "\n  exploratory, without a verdict (q: Benjamini-Hochberg over these):\n");
		table_add(&t, m->test);
		table_add(&t, m->name);
		table_add(&t, m->desc && m->desc->better <= SUITE_NEITHER ? betters[m->desc->better] : "-");
		add_numbers(&t, c, r);
		table_add(&t, number_p(r->q, a, sizeof a));
	}
	table_print(&t, f, 2);
}

static void print_notes(const struct compare_pair *p, FILE *f)
{
	char clean[2 * COMPARE_TEXT_MAX];
	if (p->notes)
		fprintf(f, "\n  notes:\n");
	for (size_t i = 0; i < p->notes; i++) {
		err_clean(clean, sizeof clean, p->note[i].text);
		fprintf(f, "  %-7s  %s\n", compare_weight_name(p->note[i].weight), clean);
	}
}

/* Where a line of prose ends: the terminal's width, $COLUMNS, or 100. */
static size_t width_of(FILE *f)
{
	struct winsize w = {0};
	const char *env = getenv("COLUMNS");
	unsigned long n = 0;
	if (!ioctl(fileno(f), TIOCGWINSZ, &w))
		n = w.ws_col;
	if (!n && env && *env >= '0' && *env <= '9')
		n = strtoul(env, NULL, 10);
	return !n ? 100 : n < 60 ? 60 : n > 4096 ? 4096 : (size_t)n;
}

/* The rest of a line that has `indent` columns, broken at spaces; what follows hangs below. */
static void print_hanging(FILE *f, const char *text, size_t indent, size_t width)
{
	size_t room = width - indent;
	while (strlen(text) > room) {
		size_t n = room;
		while (n && text[n] != ' ')
			n--;
		if (!n) /* a word longer than the line stands as it is */
			n = strcspn(text, " ");
		fprintf(f, "%.*s\n", (int)n, text);
		text += n + strspn(text + n, " ");
		if (!*text)
			return;
		fprintf(f, "%*s", (int)indent, "");
	}
	fprintf(f, "%s\n", text);
}

static void print_findings(const struct compare_pair *p, FILE *f)
{
	char clean[2 * FINDING_TEXT_MAX];
	if (p->findings)
		fprintf(f, "\n  findings (what the numbers suggest; no verdicts):\n");
	for (size_t i = 0; i < p->findings; i++) {
		err_clean(clean, sizeof clean, p->finding[i].text);
		fprintf(f, "  %-19s  ", p->finding[i].rule);
		print_hanging(f, clean, 23, width_of(f));
	}
}

static void print_head(const struct compare *c, FILE *f)
{
	const struct plan *p = c->m->plan;
	char tau[NUMBER_MAX];
	if (p->imported)
		fprintf(f,
		        "sweep %s, IMPORTED from tables, machine %s: %zu subjects; a run in a table counts as a boot, there are no records and no "
		        "proof\n",
		        p->id, p->box, p->subjects);
	else
		fprintf(f, "sweep %s on %s, suite %s: %zu subjects in %u random round%s (seed %llu), %u %s discarded by design\n", p->id, p->box,
		        p->suite, p->subjects, p->rounds, p->rounds == 1 ? "" : "s", (unsigned long long)p->seed, c->m->discarded,
		        c->m->discarded == 1 ? "boot" : "boots");
	fprintf(f, "base %s; alpha %g, threshold %s (%s)\n", p->subject[c->o.base].id, c->o.alpha, number_percent(c->o.threshold, tau, sizeof tau),
	        c->o.threshold_given ? "as given" : "no A/A on this box");
	fprintf(f, "exact Mann-Whitney on one value a boot, Hodges-Lehmann ratio with its interval, Holm over a pair's primary metrics\n");
}

void compare_print(const struct compare *c, FILE *f)
{
	const struct plan *p = c->m->plan;
	int more = 0;
	print_head(c, f);
	for (size_t i = 0; i < c->pairs; i++) {
		char *line = compare_summary(c, &c->pair[i]), *clean = malloc(4 * strlen(line) + 1);
		if (!clean)
			err_die("out of memory");
		err_clean(clean, 4 * strlen(line) + 1, line);
		fprintf(f, "\n%s\n", clean);
		free(clean);
		free(line);
	}
	for (size_t i = 0; i < c->pairs; i++) {
		const struct compare_pair *x = &c->pair[i];
		fprintf(f, "\n%s (%u %s) against %s (%u %s)%s%s:\n", p->subject[x->subject].id, x->boots_b, x->boots_b == 1 ? "boot" : "boots",
		        p->subject[c->o.base].id, x->boots_a, x->boots_a == 1 ? "boot" : "boots", x->start && *x->start ? ", started by " : "",
		        x->start ? x->start : "");
		print_primaries(c, x, f);
		print_exploratory(c, x, f);
		print_findings(x, f);
		print_notes(x, f);
		for (size_t k = 0; k < x->rows; k++)
			more |= x->row[k].v.more > 0;
	}
	if (more)
		fprintf(f, "\nMore boots means a new sweep with that many rounds, planned before it runs: never rounds added until it comes out.\n");
}
