/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * show_as: a sweep as the tables that people post: one row a subject with the median over its boots, and below it what the originals lack: how many
 * boots, least and greatest.
 *
 * Which tests make a table goes by their metrics, not by their names, so instances and imported tables have theirs too. %CPU is as those
 * tools count it (getrusage of the program and its children over the time), so work of kernel threads is not in it.
 */
#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "common/err.h"
#include "host/layout.h"
#include "host/look.h"
#include "host/number.h"
#include "host/show.h"
#include "host/table.h"

#define ROWS_MAX 512
#define THREADS_MAX 1024 /* as import takes them */

enum { AS_BONNIE, AS_PLUS, AS_PLUS_CSV, AS_TIOBENCH, AS_BOOT };
static const char *const names[] = {"bonnie", "bonnie++", "bonnie++csv", "tiobench", "boot", NULL};

/* least .. greatest of the boots, of the named metrics, a row a subject. */
static void print_bars(struct look *l, const char *const *metric, size_t n, FILE *f)
{
	char head[64], lo[NUMBER_MAX], hi[NUMBER_MAX];
	struct table t;

	fprintf(f, "\nmedian of boots above; least .. greatest of them:\n");
	table_open(&t, "subject|metric|>n|>least|>median|>greatest");
	for (l->subject = 0; l->subject < l->m->plan->subjects; l->subject++)
		for (size_t i = 0; i < n; i++) {
			size_t at = look_metric(l, metric[i]), count = look_values(l, metric[i]);
			const char *unit = at < l->m->metrics && l->m->metric[at].desc ? l->m->metric[at].desc->unit : "";
			double least = INFINITY, most = -INFINITY;

			if (!count)
				continue;
			for (size_t k = 0; k < count; k++) {
				least = fmin(least, l->v[k]);
				most = fmax(most, l->v[k]);
			}
			table_add(&t, l->m->plan->subject[l->subject].id);
			table_add(&t, metric[i]);
			table_addf(&t, "%zu", count);
			table_add(&t, number_human(least, unit, lo, sizeof lo));
			table_add(&t, number_human(stats_median(l->v, count), unit, head, sizeof head));
			table_add(&t, number_human(most, unit, hi, sizeof hi));
		}
	table_print(&t, f, 0);
}

static int has_values(struct look *l, const char *name) { return look_values(l, name) > 0; }

static void print_bonnie(struct look *l, int as, FILE *f)
{
	struct layout_bonnie row[ROWS_MAX];
	size_t n = 0;

	for (l->subject = 0; l->subject < l->m->plan->subjects && n < ROWS_MAX; l->subject++) {
		struct layout_bonnie *b = &row[n];
		int any = 0;

		memset(b, 0, sizeof *b);
		b->name = l->m->plan->subject[l->subject].id;
		b->size_bytes = look_how(l, "bonnie", "size_bytes");
		b->chunk_bytes = look_how(l, "bonnie", "chunk_bytes");
		b->seeks = look_how(l, "bonnie", "seeks");
		b->seekers = look_how(l, "bonnie", "seekers");
		b->seed = look_how(l, "bonnie", "seed");
		b->sync = look_flag(l, "bonnie", "fsync");
		b->unlocked = look_flag(l, "bonnie", "unlocked");
		for (int p = 0; p < LAYOUT_BONNIE_PHASES; p++) {
			any |= has_values(l, layout_bonnie_phases[p]);
			b->rate[p] = look_median(l, layout_bonnie_phases[p]);
			b->cpu[p] = look_median_of(l, look_cpu_percent, layout_bonnie_phases[p]);
		}
		n += any != 0;
	}
	if (as == AS_BONNIE)
		layout_bonnie_print(row, n, f);
	else if (as == AS_PLUS)
		layout_bonnie_plus_print(row, n, f);
	else
		layout_bonnie_plus_csv(row, n, f);
	if (as == AS_PLUS_CSV)
		return;
	l->subject = 0;
	if (*look_word(l, 0, "how", "bonnie", "order")) /* a table of an old mail does not say */
		fprintf(f, "\norder %s, chunk %" PRIu64 ", seek chunk %" PRIu64 " bytes\n", look_word(l, 0, "how", "bonnie", "order"),
		        look_how(l, "bonnie", "chunk_bytes"), look_how(l, "bonnie", "seek_chunk_bytes"));
	print_bars(l, layout_bonnie_phases, LAYOUT_BONNIE_PHASES, f);
}

/* N of a metric PHASE_N of tiobench's; 0: it is none. */
static unsigned threads_of(const char *metric)
{
	for (int p = 0; p < LAYOUT_TIOBENCH_PHASES; p++) {
		size_t len = strlen(layout_tiobench_phases[p]);
		char *end;
		unsigned long n;

		if (strncmp(metric, layout_tiobench_phases[p], len) || metric[len] != '_' || !strchr("123456789", metric[len + 1]))
			continue;
		n = strtoul(metric + len + 1, &end, 10);
		return *end || n > THREADS_MAX ? 0 : (unsigned)n;
	}
	return 0;
}

static int fill_tiobench(struct look *l, unsigned threads, struct layout_tiobench *t)
{
	char name[24];
	int any = 0;

	*t = (struct layout_tiobench){.name = l->m->plan->subject[l->subject].id, .threads = threads};
	t->size_bytes = look_how(l, "threads", "size_bytes");
	t->block_bytes = look_how(l, "threads", "block_bytes");
	for (int p = 0; p < LAYOUT_TIOBENCH_PHASES; p++) {
		snprintf(name, sizeof name, "%s_%u", layout_tiobench_phases[p], threads);
		any |= has_values(l, name);
		t->rate[p] = look_median(l, name);
		t->cpu[p] = look_median_of(l, look_cpu_percent, name);
		t->avg_ns[p] = look_median_of(l, look_avg_ns, name);
		t->max_ns[p] = look_median_of(l, look_max_ns, name);
		t->over_2s[p] = look_median_of(l, look_over_2s, name);
		t->over_10s[p] = look_median_of(l, look_over_10s, name);
	}
	return any;
}

static void print_tiobench(struct look *l, FILE *f)
{
	static struct layout_tiobench row[ROWS_MAX];
	static char bar[ROWS_MAX][24];
	const char *metric[ROWS_MAX];
	unsigned char seen[THREADS_MAX + 1] = {0};
	size_t n = 0, bars = 0;

	for (size_t i = 0; i < l->m->metrics; i++)
		if (l->m->metric[i].test_index == l->test)
			seen[threads_of(l->m->metric[i].name)] = 1;
	for (l->subject = 0; l->subject < l->m->plan->subjects; l->subject++)
		for (unsigned threads = 1; threads <= THREADS_MAX && n < ROWS_MAX; threads++)
			if (seen[threads] && fill_tiobench(l, threads, &row[n]))
				n++;
	layout_tiobench_print(row, n, f);
	putc('\n', f);
	layout_tiobench_short(row, n, f);
	for (int p = 0; p < LAYOUT_TIOBENCH_PHASES; p++)
		for (unsigned threads = 1; threads <= THREADS_MAX && bars < ROWS_MAX; threads++)
			if (seen[threads]) {
				snprintf(bar[bars], sizeof bar[0], "%s_%u", layout_tiobench_phases[p], threads);
				metric[bars] = bar[bars];
				bars++;
			}
	print_bars(l, metric, bars, f);
}

/* ---- boot */

/* Told to jump -> hello, of the boots that count, in ns into l->v. */
static size_t jump_values(const struct show *s, const struct look *l)
{
	size_t n = 0;

	for (size_t b = 0; b < l->m->boots; b++)
		for (size_t i = 0; l->m->boot[b].subject == l->subject && i < s->tries; i++)
			if (s->try[i].try->line == l->m->boot[b].line && s->try[i].jump_ms >= 0)
				l->v[n++] = s->try[i].jump_ms * 1e6;
	return n;
}

enum { FROM_BOOT, FROM_JUMP, FROM_TREE };
static const struct {
	const char *title, *metric;
	int from;
} boot_columns[] = {{"login", "login", FROM_BOOT},   {"boot", "init", FROM_BOOT}, {"to runner", "ready", FROM_BOOT}, {"jump-hello", NULL, FROM_JUMP},
                    {"create", "create", FROM_TREE}, {"walk", "walk", FROM_TREE}, {"read", "read", FROM_TREE},       {"rm -rf", "rm", FROM_TREE}};
#define BOOT_COLUMNS (sizeof boot_columns / sizeof *boot_columns)

/* The values of a column into *l, which is set to its test; boot and tree may be of a test that there is not. */
static size_t boot_values(const struct show *s, const struct look *boot, const struct look *tree, size_t column, unsigned subject, struct look *l)
{
	*l = boot_columns[column].from == FROM_TREE ? *tree : *boot;
	l->subject = subject;
	if (boot_columns[column].from == FROM_JUMP)
		return jump_values(s, l);
	return l->test < l->m->tests ? look_values(l, boot_columns[column].metric) : 0;
}

static void add_boot_cell(struct table *t, const struct look *l, size_t n)
{
	char a[NUMBER_MAX], b[NUMBER_MAX], c[NUMBER_MAX];
	double least = INFINITY, most = -INFINITY;

	if (!n) {
		table_add(t, "-");
		return;
	}
	for (size_t k = 0; k < n; k++) {
		least = fmin(least, l->v[k]);
		most = fmax(most, l->v[k]);
	}
	table_addf(t, "%s (%s .. %s) n=%zu", number_human(stats_median(l->v, n), "ns", a, sizeof a), number_human(least, "ns", b, sizeof b),
	           number_human(most, "ns", c, sizeof c), n);
}

/* What there is of: a login prompt (old tables), kernel start to init, init to the runner, jump to hello, the tree's steps. */
static void print_boot(const struct show *s, const struct look *boot, const struct look *tree, FILE *f)
{
	const struct plan *p = boot->m->plan;
	char head[160] = "subject";
	int shown[BOOT_COLUMNS] = {0}, jumps = 0;
	struct table t;
	struct look l;

	for (size_t i = 0; i < BOOT_COLUMNS; i++) {
		for (unsigned subject = 0; subject < p->subjects && !shown[i]; subject++)
			shown[i] = boot_values(s, boot, tree, i, subject, &l) > 0;
		if (shown[i])
			snprintf(head + strlen(head), sizeof head - strlen(head), "|>%s", boot_columns[i].title);
		jumps |= shown[i] && boot_columns[i].from == FROM_JUMP;
	}
	table_open(&t, head);
	for (unsigned subject = 0; subject < p->subjects; subject++) {
		int any = 0;

		for (size_t i = 0; i < BOOT_COLUMNS && !any; i++)
			any = boot_values(s, boot, tree, i, subject, &l) > 0;
		if (!any)
			continue;
		table_add(&t, p->subject[subject].id);
		for (size_t i = 0; i < BOOT_COLUMNS; i++) {
			size_t n = shown[i] ? boot_values(s, boot, tree, i, subject, &l) : 0;

			if (shown[i])
				add_boot_cell(&t, &l, n);
		}
	}
	table_print(&t, f, 0);
	if (jumps)
		fprintf(f, "\njump-hello is by the station's clock, and holds the shutdown of the kernel before; all else by the box's\n");
}

/* ---- which tests make a table */

static int is_bonnie(const struct look *l, const char *metric)
{
	/* of a table of one's own there may be some columns only */
	int any = l->m->plan->imported && strstr(l->m->test[l->test].name, "bonnie");

	for (int p = 0; any && p < LAYOUT_BONNIE_PHASES; p++)
		if (!strcmp(metric, layout_bonnie_phases[p]))
			return 1;
	return !strcmp(metric, "getc") || !strcmp(metric, "putc") || !strcmp(metric, "seek");
}

static int is_tiobench(const struct look *l, const char *metric)
{
	(void)l;
	return threads_of(metric) > 0;
}

static int is_boot(const struct look *l, const char *metric)
{
	return !strcmp(l->m->test[l->test].name, "boot-time") && (!strcmp(metric, "init") || !strcmp(metric, "login"));
}

static int is_tree(const struct look *l, const char *metric)
{
	(void)l;
	return !strcmp(metric, "rm");
}

/* The next test, from *at on, with values in some boot of a metric that is wanted; m->tests: none. 1 or 0. */
static int find(struct look *l, size_t *at, int (*wants)(const struct look *l, const char *metric), const char *only)
{
	for (; *at < l->m->tests; ++*at) {
		l->test = *at;
		for (size_t i = 0; (!only || !strcmp(only, l->m->test[*at].name)) && i < l->m->metrics; i++)
			if (l->m->metric[i].test_index == *at && wants(l, l->m->metric[i].name))
				for (l->subject = 0; l->subject < l->m->plan->subjects; l->subject++)
					if (has_values(l, l->m->metric[i].name))
						return 1;
	}
	l->test = *at;
	return 0;
}

static int kind_of(const char *as)
{
	const char *near;
	int i = 0;

	for (; names[i]; i++)
		if (!strcmp(names[i], as))
			return i;
	near = err_nearest(as, names);
	err_usage("show: no layout %s%s%s", as, near ? "; did you mean " : "; there are bonnie, bonnie++, bonnie++csv, tiobench, boot",
	          near ? near : "");
}

void show_as_check(const char *as) { kind_of(as); }

/* One table, of what there is. 1 or 0. */
static int print_boots(const struct show *s, const struct look *l, const char *only, FILE *f)
{
	struct look boot = *l, tree = *l;
	size_t at = 0, there = 0;
	int any = find(&boot, &at, is_boot, NULL);

	any |= find(&tree, &there, is_tree, only);
	if (any)
		print_boot(s, &boot, &tree, f);
	return any;
}

void show_print_as(const struct show *s, const struct measure *m, const char *as, const struct show_filter *filter, FILE *f)
{
	static const char *const tests[] = {"disk-bonnie or nfs-bonnie", "disk-threads or nfs-threads", "boot-time or disk-tree"};
	int kind = kind_of(as), tables = 0;
	struct look l = {.m = m, .v = malloc((m->boots + s->tries + 1) * sizeof *l.v)};

	if (!l.v)
		err_die("out of memory");
	if (kind == AS_BOOT)
		tables = print_boots(s, &l, filter->test, f);
	for (size_t at = 0; kind != AS_BOOT && find(&l, &at, kind == AS_TIOBENCH ? is_tiobench : is_bonnie, filter->test); at++) {
		if (tables++)
			putc('\n', f);
		if (kind != AS_PLUS_CSV)
			fprintf(f, "%s:\n", m->test[at].name);
		if (kind == AS_TIOBENCH)
			print_tiobench(&l, f);
		else
			print_bonnie(&l, kind, f);
	}
	free(l.v);
	if (!tables)
		err_die("show: no boot of the sweep has values of %s (kdyno show SWEEP --metrics lists what there is)",
		        tests[kind == AS_BOOT ? 2 : kind == AS_TIOBENCH]);
}
