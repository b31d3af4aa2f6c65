/* SPDX-License-Identifier: GPL-2.0-or-later */
/* show_variation: coefficients of variation within and between boots, per metric and subject, as a table and as JSON. */
#include <math.h>
#include <string.h>

#include "common/err.h"
#include "host/json_out.h"
#include "host/show.h"
#include "host/table.h"
#include "host/variation.h"

static int wanted(const struct measure *m, size_t metric, const struct show_filter *filter)
{
	return !filter->test || !strcmp(filter->test, m->metric[metric].test);
}

static void read(struct variation *v, const struct measure *m, size_t metric, unsigned subject)
{
	if (variation_read(v, m, metric, subject))
		err_die("out of memory");
}

static void add_percent(struct table *t, double v)
{
	if (isnan(v))
		table_add(t, "-");
	else
		table_addf(t, "%.1f %%", 100 * v);
}

static void add_row(struct table *t, const struct measure *m, size_t metric, unsigned subject)
{
	const struct measure_metric *x = &m->metric[metric];
	struct variation v;

	read(&v, m, metric, subject);
	if (isnan(v.medians) && isnan(v.within))
		return;
	table_add(t, x->test);
	table_addf(t, "%s%s", x->name, x->desc && x->desc->primary ? " *" : "");
	table_add(t, m->plan->subject[subject].id);
	table_addf(t, "%u", v.boots);
	table_addf(t, v.boots ? "%.0f" : "-", v.reps);
	add_percent(t, v.within);
	add_percent(t, v.between);
	add_percent(t, v.medians);
	add_percent(t, v.share);
	table_addf(t, v.best ? "%u" : "-", v.best);
}

void show_print_variation(const struct measure *m, const struct show_filter *filter, FILE *f)
{
	struct table t;

	fprintf(f, "\ncoefficients of variation (* primary): within a boot, what boots add, of the metric; share of the variance that lies between "
	           "boots\n");
	table_open(&t, "test|metric|subject|>boots|>reps|>within|>between|>metric|>share|>best reps");
	for (size_t i = 0; i < m->metrics; i++)
		for (unsigned s = 0; s < m->plan->subjects && wanted(m, i, filter); s++)
			add_row(&t, m, i, s);
	table_print(&t, f, 0);
}

struct json_t *show_json_variation(const struct measure *m, const struct show_filter *filter)
{
	json_t *a = json_array();
	struct variation v;

	for (size_t i = 0; i < m->metrics; i++)
		for (unsigned s = 0; s < m->plan->subjects && wanted(m, i, filter); s++) {
			json_t *o;

			read(&v, m, i, s);
			if (isnan(v.medians) && isnan(v.within))
				continue;
			o = json_object();
			json_out_set(o, "test", json_out_text(m->metric[i].test));
			json_out_set(o, "metric", json_out_text(m->metric[i].name));
			json_out_set(o, "subject", json_out_text(m->plan->subject[s].id));
			json_out_set(o, "boots", json_integer(v.boots));
			json_out_set(o, "reps", json_out_real(v.reps));
			json_out_set(o, "cv_within", json_out_real(v.within));
			json_out_set(o, "cv_between", json_out_real(v.between));
			json_out_set(o, "cv_metric", json_out_real(v.medians));
			json_out_set(o, "share_between", json_out_real(v.share));
			json_out_set(o, "boot_ns", json_out_real(v.boot_ns));
			json_out_set(o, "rep_ns", json_out_real(v.rep_ns));
			json_out_set(o, "best_reps", json_integer(v.best));
			json_array_append_new(a, o);
		}
	return a;
}
