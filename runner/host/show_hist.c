/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * show_hist: latencies: percentiles, one a boot and the median over boots, as a table; a picture of the histogram of all boots of a subject, an octave a
 * line; the same as JSON.
 */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "common/err.h"
#include "host/hist_read.h"
#include "host/json_out.h"
#include "host/number.h"
#include "host/show.h"
#include "host/table.h"

#define BAR 50

static const char *const names[HIST_READ_PERCENTILES + 2] = {"p50", "p90", "p99", "p999", "p9999", "min", "max"};

static int wanted(const struct hist_set *s, size_t row, const struct show_filter *filter)
{
	return !filter->test || !strcmp(filter->test, s->m->test[s->row[row].test].name);
}

static void load(struct hist_set *s, const struct measure *m, double **v)
{
	*v = malloc((m->boots + 1) * sizeof **v);
	if (!*v || hist_set_read(s, m))
		err_die("out of memory");
}

static void add_row(struct table *t, const struct hist_set *s, size_t row, unsigned subject, double *v)
{
	static const unsigned order[] = {5, 0, 1, 2, 3, 4, 6};
	const struct hist_row *r = &s->row[row];
	char text[NUMBER_MAX];
	table_add(t, s->m->test[r->test].name);
	table_add(t, r->name);
	table_add(t, s->m->plan->subject[subject].id);
	table_addf(t, "%zu", hist_set_values(s, row, subject, HIST_READ_PERCENTILES, v));
	table_addf(t, "%llu", (unsigned long long)r->subject[subject].n);
	for (size_t i = 0; i < sizeof order / sizeof *order; i++) {
		size_t n = hist_set_values(s, row, subject, order[i], v);
		table_add(t, n ? number_human(stats_median(v, n), "ns", text, sizeof text) : "-");
	}
}

/* An octave a line, from the first to the last that counted. */
static void draw(const struct hist_set *s, size_t row, unsigned subject, FILE *f)
{
	const struct hist *h = &s->row[row].subject[subject];
	const unsigned each = 1u << HIST_SUB_BITS;
	uint64_t count[HIST_OCTAVES] = {0}, most = 0;
	unsigned first = HIST_OCTAVES, last = 0;
	char name[2 * PLAN_ID_MAX], text[NUMBER_MAX];
	for (unsigned i = 0; i < HIST_BUCKETS; i++)
		count[i / each] += h->bucket[i];
	for (unsigned i = 0; i < HIST_OCTAVES; i++) {
		if (!count[i])
			continue;
		first = first < i ? first : i;
		last = i;
		most = most > count[i] ? most : count[i];
	}
	err_clean(name, sizeof name, s->row[row].name);
	fprintf(f, "\n%s %s, %s: %llu samples\n", s->m->test[s->row[row].test].name, name, s->m->plan->subject[subject].id, (unsigned long long)h->n);
	for (unsigned i = first; i <= last; i++) {
		unsigned bar = (unsigned)((double)count[i] / (double)most * BAR + .5);
		fprintf(f, "%10s |", number_human((double)hist_low(i * each), "ns", text, sizeof text));
		for (unsigned j = 0; j < bar || (count[i] && j < 1); j++)
			fputc(j < bar ? '#' : '.', f); /* a dot: fewer than half a mark */
		fprintf(f, "%s%llu\n", count[i] ? " " : "", (unsigned long long)count[i]);
	}
}

void show_print_hist(const struct measure *m, const struct show_filter *filter, FILE *f)
{
	struct hist_set s;
	struct table t;
	double *v;
	load(&s, m, &v);
	fprintf(f, "\nlatencies: one percentile a boot, the median over boots; - where no boot has samples enough for it\n");
	table_open(&t, "test|histogram|subject|>boots|>samples|>min|>p50|>p90|>p99|>p99.9|>p99.99|>max");
	for (size_t i = 0; i < s.rows; i++)
		for (unsigned k = 0; k < m->plan->subjects && wanted(&s, i, filter); k++)
			if (s.row[i].subject[k].n)
				add_row(&t, &s, i, k, v);
	if (t.cells == t.columns)
		fprintf(f, "no test that passed has a histogram\n");
	table_print(&t, f, 0);
	for (size_t i = 0; i < s.rows; i++)
		for (unsigned k = 0; k < m->plan->subjects && wanted(&s, i, filter); k++)
			if (s.row[i].subject[k].n)
				draw(&s, i, k, f);
	if (s.bad || s.left_out)
		fprintf(f, "\nhistograms that were not whole or contradict themselves: %u; more than can be kept: %u\n", s.bad, s.left_out);
	hist_set_free(&s);
	free(v);
}

struct json_t *show_json_hist(const struct measure *m, const struct show_filter *filter)
{
	json_t *a = json_array();
	struct hist_set s;
	double *v;
	load(&s, m, &v);
	for (size_t i = 0; i < s.rows; i++)
		for (unsigned k = 0; k < m->plan->subjects && wanted(&s, i, filter); k++) {
			const struct hist *h = &s.row[i].subject[k];
			json_t *o, *buckets;
			if (!h->n)
				continue;
			o = json_object();
			json_out_set(o, "test", json_out_text(m->test[s.row[i].test].name));
			json_out_set(o, "histogram", json_out_text(s.row[i].name));
			json_out_set(o, "subject", json_out_text(m->plan->subject[k].id));
			json_out_set(o, "boots", json_integer((json_int_t)hist_set_values(&s, i, k, HIST_READ_PERCENTILES, v)));
			json_out_set(o, "samples", json_integer((json_int_t)h->n));
			for (unsigned c = 0; c < HIST_READ_PERCENTILES + 2; c++) {
				size_t n = hist_set_values(&s, i, k, c, v);
				json_out_set(o, names[c], json_out_real(stats_median(v, n)));
			}
			buckets = json_array();
			for (unsigned b = 0; b < HIST_BUCKETS; b++)
				if (h->bucket[b])
					json_array_append_new(buckets, json_pack("[I,I,I]", (json_int_t)hist_low(b), (json_int_t)hist_low(b + 1),
					                                         (json_int_t)h->bucket[b]));
			json_out_set(o, "buckets", buckets);
			json_array_append_new(a, o);
		}
	hist_set_free(&s);
	free(v);
	return a;
}
