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
#include "host/number.h"
#include "host/show.h"
#include "host/table.h"

#define ROWS_MAX 512

enum { AS_BONNIE, AS_PLUS, AS_PLUS_CSV, AS_TIOBENCH, AS_BOOT };
static const char *const names[] = {"bonnie", "bonnie++", "bonnie++csv", "tiobench", "boot", NULL};

/* What is asked of a subject's boots. */
struct look {
	const struct measure *m;
	size_t test;
	unsigned subject;
	double *v; /* room for all boots */
};

static size_t metric_of(const struct look *l, const char *name)
{
	for (size_t i = 0; i < l->m->metrics; i++)
		if (l->m->metric[i].test_index == l->test && !strcmp(l->m->metric[i].name, name))
			return i;
	return l->m->metrics;
}

static size_t values(const struct look *l, const char *name)
{
	size_t metric = metric_of(l, name);

	return metric < l->m->metrics ? measure_values(l->m, metric, l->subject, NULL, l->v) : 0;
}

static double median(const struct look *l, const char *name)
{
	size_t n = values(l, name);

	return n ? stats_median(l->v, n) : NAN;
}

/* The number under `key` in the facts `what=name` of a boot; of several, lists included, the sum. NAN: none. */
static double fact_of(const struct look *l, size_t boot, const char *what, const char *name, const char *key)
{
	const struct measure_boot *b = &l->m->boot[boot];
	const struct measure_run *run = &l->m->run[boot * l->m->tests + l->test];
	double sum = NAN;

	for (size_t i = run->begin; run->status == MEASURE_PASS && i <= run->end; i++) {
		const struct store_record *r = &b->record[i];
		const char *is = store_get(r, what), *val = store_get(r, key);

		if (!is || !val || strcmp(is, name) || (strcmp(r->kind, "fact") && strcmp(r->kind, "metric")))
			continue;
		for (char *end; *val >= '0' && *val <= '9'; val = *end ? end + 1 : end)
			sum = (isnan(sum) ? 0 : sum) + strtod(val, &end);
	}
	return sum;
}

static const char *word_of(const struct look *l, size_t boot, const char *what, const char *name, const char *key)
{
	const struct measure_run *run = &l->m->run[boot * l->m->tests + l->test];

	for (size_t i = run->begin; run->status == MEASURE_PASS && i <= run->end; i++) {
		const struct store_record *r = &l->m->boot[boot].record[i];
		const char *is = store_get(r, what);

		if (is && !strcmp(is, name) && store_get(r, key))
			return store_get(r, key);
	}
	return "";
}

/* Median over the boots of what `of` gives for one. */
static double median_of(const struct look *l, double (*of)(const struct look *l, size_t boot, const char *name), const char *name)
{
	size_t n = 0;

	for (size_t b = 0; b < l->m->boots; b++) {
		double v = l->m->boot[b].subject == l->subject ? of(l, b, name) : NAN;

		if (isfinite(v))
			l->v[n++] = v;
	}
	return n ? stats_median(l->v, n) : NAN;
}

static double first(double a, double b, double c) { return !isnan(a) ? a : !isnan(b) ? b : c; }

/* Percent of one CPU: of the workers themselves where they said so. */
static double cpu_percent(const struct look *l, size_t boot, const char *name)
{
	double us = fact_of(l, boot, "work", name, "cpu_us"), ns = fact_of(l, boot, "work", name, "ns");

	if (isnan(us)) {
		us = fact_of(l, boot, "cpu", name, "self_us");
		ns = first(fact_of(l, boot, "reps", name, "ns"), fact_of(l, boot, "timed", name, "ns"), fact_of(l, boot, "name", name, "ns"));
	}
	return us * 1e5 / ns;
}

static double per_op(const struct look *l, size_t boot, const char *name, const char *key)
{
	return fact_of(l, boot, "work", name, key) / fact_of(l, boot, "work", name, "ops");
}

static double avg_ns(const struct look *l, size_t boot, const char *name) { return per_op(l, boot, name, "sum_ns"); }
static double max_ns(const struct look *l, size_t boot, const char *name) { return fact_of(l, boot, "work", name, "max_ns"); }
static double over_2s(const struct look *l, size_t boot, const char *name) { return 100 * per_op(l, boot, name, "over_2s"); }
static double over_10s(const struct look *l, size_t boot, const char *name) { return 100 * per_op(l, boot, name, "over_10s"); }

/* How a test was run, from the subject's first boot that says so; 0 where none does. */
static uint64_t how(const struct look *l, const char *program, const char *key)
{
	for (size_t b = 0; b < l->m->boots; b++) {
		double v = l->m->boot[b].subject == l->subject ? fact_of(l, b, "how", program, key) : NAN;

		if (v >= 0 && v < 1e18)
			return (uint64_t)v;
	}
	return 0;
}

/* least .. greatest of the boots, of the named metrics, a row a subject. */
static void print_bars(struct look *l, const char *const *metric, size_t n, FILE *f)
{
	char head[64], lo[NUMBER_MAX], hi[NUMBER_MAX];
	struct table t;

	fprintf(f, "\nmedian of boots above; least .. greatest of them:\n");
	table_open(&t, "subject|metric|>n|>least|>median|>greatest");
	for (l->subject = 0; l->subject < l->m->plan->subjects; l->subject++)
		for (size_t i = 0; i < n; i++) {
			size_t at = metric_of(l, metric[i]), count = values(l, metric[i]);
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

static int has_values(struct look *l, const char *name) { return values(l, name) > 0; }

static void print_bonnie(struct look *l, int as, FILE *f)
{
	struct layout_bonnie row[ROWS_MAX];
	size_t n = 0;

	for (l->subject = 0; l->subject < l->m->plan->subjects && n < ROWS_MAX; l->subject++) {
		struct layout_bonnie *b = &row[n];
		int any = 0;

		memset(b, 0, sizeof *b);
		b->name = l->m->plan->subject[l->subject].id;
		b->size_bytes = how(l, "bonnie", "size_bytes");
		b->chunk_bytes = how(l, "bonnie", "chunk_bytes");
		b->seeks = how(l, "bonnie", "seeks");
		b->seekers = how(l, "bonnie", "seekers");
		b->seed = how(l, "bonnie", "seed");
		b->sync = how(l, "bonnie", "fsync") != 0;
		b->unlocked = how(l, "bonnie", "unlocked") != 0;
		for (int p = 0; p < LAYOUT_BONNIE_PHASES; p++) {
			any |= has_values(l, layout_bonnie_phases[p]);
			b->rate[p] = median(l, layout_bonnie_phases[p]);
			b->cpu[p] = median_of(l, cpu_percent, layout_bonnie_phases[p]);
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
	if (how(l, "bonnie", "chunk_bytes")) /* a table of an old mail does not say */
		fprintf(f, "\norder %s, chunk %" PRIu64 ", seek chunk %" PRIu64 " bytes\n", word_of(l, 0, "how", "bonnie", "order"),
		        how(l, "bonnie", "chunk_bytes"), how(l, "bonnie", "seek_chunk_bytes"));
	print_bars(l, layout_bonnie_phases, LAYOUT_BONNIE_PHASES, f);
}

static void print_tiobench(struct look *l, FILE *f)
{
	static struct layout_tiobench row[ROWS_MAX];
	char name[24], bar[4 * LAYOUT_TIOBENCH_PHASES][24];
	const char *metric[4 * LAYOUT_TIOBENCH_PHASES];
	size_t n = 0, bars = 0;

	for (l->subject = 0; l->subject < l->m->plan->subjects; l->subject++)
		for (unsigned threads = 1; threads <= 64 && n < ROWS_MAX; threads++) {
			struct layout_tiobench *t = &row[n];
			int any = 0;

			*t = (struct layout_tiobench){.name = l->m->plan->subject[l->subject].id, .threads = threads};
			t->size_bytes = how(l, "threads", "size_bytes");
			t->block_bytes = how(l, "threads", "block_bytes");
			for (int p = 0; p < LAYOUT_TIOBENCH_PHASES; p++) {
				snprintf(name, sizeof name, "%s_%u", layout_tiobench_phases[p], threads);
				any |= has_values(l, name);
				t->rate[p] = median(l, name);
				t->cpu[p] = median_of(l, cpu_percent, name);
				t->avg_ns[p] = median_of(l, avg_ns, name);
				t->max_ns[p] = median_of(l, max_ns, name);
				t->over_2s[p] = median_of(l, over_2s, name);
				t->over_10s[p] = median_of(l, over_10s, name);
			}
			n += any != 0;
		}
	layout_tiobench_print(row, n, f);
	putc('\n', f);
	layout_tiobench_short(row, n, f);
	for (int p = 0; p < LAYOUT_TIOBENCH_PHASES; p++)
		for (unsigned threads = 1; threads <= 8; threads *= 2) {
			snprintf(bar[bars], sizeof bar[0], "%s_%u", layout_tiobench_phases[p], threads);
			metric[bars] = bar[bars];
			bars++;
		}
	print_bars(l, metric, bars, f);
}

/* Kernel start to init, init to the runner, and the tree's steps where a test has them; n and least .. greatest behind each. */
static void print_boot(const struct measure *m, const struct look *boot, const struct look *tree, FILE *f)
{
	static const char *const column[] = {"init", "ready", "create", "walk", "read", "rm"};
	char cell[2 * NUMBER_MAX + 8], a[NUMBER_MAX], b[NUMBER_MAX], c[NUMBER_MAX];
	struct table t;

	table_open(&t, tree ? "subject|>boot|>to runner|>create|>walk|>read|>rm -rf" : "subject|>boot|>to runner");
	for (unsigned s = 0; s < m->plan->subjects; s++) {
		table_add(&t, m->plan->subject[s].id);
		for (size_t i = 0; i < (tree ? 6u : 2u); i++) {
			struct look l = i < 2 ? *boot : *tree;
			double least = INFINITY, most = -INFINITY;
			size_t n;

			l.subject = s;
			n = values(&l, column[i]);
			for (size_t k = 0; k < n; k++) {
				least = fmin(least, l.v[k]);
				most = fmax(most, l.v[k]);
			}
			snprintf(cell, sizeof cell, n ? "%s (%s .. %s) n=%zu" : "-", number_human(n ? stats_median(l.v, n) : NAN, "ns", a, sizeof a),
			         number_human(least, "ns", b, sizeof b), number_human(most, "ns", c, sizeof c), n);
			table_add(&t, cell);
		}
	}
	table_print(&t, f, 0);
}

/* The next test, from *at on, that has this metric with values in some boot. 1 or 0. */
static int find(struct look *l, size_t *at, const char *metric, const char *only)
{
	for (; *at < l->m->tests; ++*at) {
		l->test = *at;
		if (only && strcmp(only, l->m->test[*at].name))
			continue;
		for (l->subject = 0; l->subject < l->m->plan->subjects; l->subject++)
			if (has_values(l, metric))
				return 1;
	}
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

/* The same for disk-threads: the first test with any of its numbers of workers. */
static int find_threads(struct look *l, size_t *at, const char *test)
{
	size_t best = l->m->tests;
	char metric[16];

	for (unsigned n = 1; n <= 64; n++) {
		size_t here = *at;

		snprintf(metric, sizeof metric, "seqread_%u", n);
		if (find(l, &here, metric, test) && here < best)
			best = here;
	}
	l->test = *at = best;
	return best < l->m->tests;
}

void show_print_as(const struct measure *m, const char *as, const struct show_filter *filter, FILE *f)
{
	static const struct {
		const char *metric, *tests;
	} wants[] = {{"getc", "disk-bonnie or nfs-bonnie"},
	             {"getc", "disk-bonnie or nfs-bonnie"},
	             {"getc", "disk-bonnie or nfs-bonnie"},
	             {NULL, "disk-threads or nfs-threads"},
	             {"init", "boot-time"}};
	int kind = kind_of(as), tables = 0;
	struct look l = {.m = m, .v = malloc((m->boots + 1) * sizeof *l.v)}, tree;

	if (!l.v)
		err_die("out of memory");
	for (size_t at = 0; at < m->tests; at++) {
		if (kind == AS_TIOBENCH ? !find_threads(&l, &at, filter->test)
		                        : !find(&l, &at, wants[kind].metric, kind == AS_BOOT ? NULL : filter->test))
			break;
		if (tables++)
			putc('\n', f);
		if (kind != AS_PLUS_CSV && kind != AS_BOOT)
			fprintf(f, "%s:\n", m->test[at].name);
		if (kind == AS_BOOT) {
			size_t there = 0;

			tree = l;
			print_boot(m, &l, find(&tree, &there, "rm", filter->test) ? &tree : NULL, f);
			break;
		}
		if (kind == AS_TIOBENCH)
			print_tiobench(&l, f);
		else
			print_bonnie(&l, kind, f);
	}
	free(l.v);
	if (!tables)
		err_die("show: no boot of the sweep has values of %s (kdyno show SWEEP --metrics lists what there is)", wants[kind].tests);
}
