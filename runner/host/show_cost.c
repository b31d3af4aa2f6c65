/* SPDX-License-Identifier: GPL-2.0-or-later */
/* show_cost: what each phase cost, per subject: medians over boots, as a table and as JSON. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "common/err.h"
#include "host/cost.h"
#include "host/json_out.h"
#include "host/show.h"
#include "host/table.h"

static void load(struct cost *c, const struct measure *m, double **v)
{
	*v = malloc((m->boots + 1) * sizeof **v);
	if (!*v || cost_read(c, m))
		err_die("out of memory");
}

static int wanted(const struct cost *c, size_t row, const struct show_filter *filter)
{
	return !filter->test || !strcmp(filter->test, c->m->test[c->row[row].test].name);
}

/* `kworker_u 12.0 %, rpciod 3.1 %`: what is a tenth of a percent and more. */
static void list_threads(const struct cost *c, size_t row, unsigned subject, double *v, char *out, size_t size)
{
	const struct cost_row *r = &c->row[row];
	size_t at = 0;
	*out = 0;
	for (size_t i = 0; i < r->threads && at < size; i++) {
		size_t n = cost_thread_values(c, row, subject, i, v);
		double share = stats_median(v, n);
		if (n && share >= .0005)
			at += (size_t)snprintf(out + at, size - at, "%s%s %.1f", at ? ", " : "", r->thread[i].name, 100 * share);
	}
}

static void add_row(struct table *t, const struct cost *c, size_t row, unsigned subject, double *v)
{
	const struct cost_row *r = &c->row[row];
	size_t n = cost_values(c, row, subject, COST_SELF, v);
	char threads[COST_THREADS_MAX * (COST_THREAD_NAME + 16)];
	if (!n)
		return;
	table_add(t, c->m->test[r->test].name);
	table_add(t, r->phase);
	table_add(t, c->m->plan->subject[subject].id);
	table_addf(t, "%zu", n);
	for (int k = 0; k < COST_VALUES; k++) {
		n = cost_values(c, row, subject, (enum cost_value)k, v);
		if (!n)
			table_add(t, "-");
		else if (k <= COST_KERNEL)
			table_addf(t, "%.1f", 100 * stats_median(v, n));
		else
			table_addf(t, "%.2f", stats_median(v, n));
	}
	list_threads(c, row, subject, v, threads, sizeof threads);
	table_add(t, threads);
}

void show_print_cost(const struct measure *m, const struct show_filter *filter, FILE *f)
{
	struct cost c;
	struct table t;
	double *v;
	load(&c, m, &v);
	fprintf(f, "\ncost of phases, medians over boots: %%CPU (100 is one CPU), CPU seconds for a GiB moved, the longest stall; kernel threads in "
	           "%%CPU\n");
	table_open(&t, "test|phase|subject|>boots|>%CPU test|>machine|>kthreads|>s/GiB test|>machine|>kthreads|>stall s|kernel threads");
	for (size_t i = 0; i < c.rows; i++)
		for (unsigned s = 0; s < m->plan->subjects && wanted(&c, i, filter); s++)
			add_row(&t, &c, i, s, v);
	if (t.cells == t.columns)
		fprintf(f, "no test that passed has kept books\n");
	table_print(&t, f, 0);
	if (c.left_out)
		fprintf(f, "more phases than can be kept: %u facts left out\n", c.left_out);
	cost_free(&c);
	free(v);
}

struct json_t *show_json_cost(const struct measure *m, const struct show_filter *filter)
{
	json_t *a = json_array();
	struct cost c;
	double *v;
	load(&c, m, &v);
	for (size_t i = 0; i < c.rows; i++)
		for (unsigned s = 0; s < m->plan->subjects && wanted(&c, i, filter); s++) {
			size_t n = cost_values(&c, i, s, COST_SELF, v);
			json_t *o, *threads;
			if (!n)
				continue;
			o = json_object();
			json_out_set(o, "test", json_out_text(m->test[c.row[i].test].name));
			json_out_set(o, "phase", json_out_text(c.row[i].phase));
			json_out_set(o, "subject", json_out_text(m->plan->subject[s].id));
			json_out_set(o, "boots", json_integer((json_int_t)n));
			for (int k = 0; k < COST_VALUES; k++) {
				n = cost_values(&c, i, s, (enum cost_value)k, v);
				json_out_set(o, cost_name((enum cost_value)k), json_out_real(stats_median(v, n)));
			}
			threads = json_object();
			for (size_t k = 0; k < c.row[i].threads; k++) {
				n = cost_thread_values(&c, i, s, k, v);
				json_out_set(threads, c.row[i].thread[k].name, json_out_real(stats_median(v, n)));
			}
			json_out_set(o, "kernel_threads", threads);
			json_array_append_new(a, o);
		}
	cost_free(&c);
	free(v);
	return a;
}
