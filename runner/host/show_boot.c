/* SPDX-License-Identifier: GPL-2.0-or-later */
/* show_boot: the milestones of a sweep's boots, medians by subject, and its slowest initcalls: as tables and as JSON. */
#include <math.h>
#include <stdlib.h>

#include "host/boot_marks.h"
#include "host/json_out.h"
#include "host/number.h"
#include "host/show.h"
#include "host/table.h"

#define SLOWEST 10

static void add_ms(struct table *t, double ms)
{
	char text[NUMBER_MAX];

	if (!isfinite(ms) || ms < 0)
		table_add(t, "-");
	else
		table_add(t, number_human(ms * 1e6, "ns", text, sizeof text));
}

static unsigned count_boots(const struct boot_marks *b, unsigned subject)
{
	unsigned n = 0;

	for (size_t i = 0; i < b->tries; i++)
		n += b->try[i].counts && b->try[i].try->try->subject == subject;
	return n;
}

static void print_marks(const struct boot_marks *b, const struct plan *p, FILE *f)
{
	struct table t;

	table_open(&t, "subject|>boots|>init|>ready|>link|>address|>nfs|>jump-banner|>jump-run-init|>jump-hello");
	for (unsigned s = 0; s < p->subjects; s++) {
		if (!count_boots(b, s))
			continue;
		table_add(&t, p->subject[s].id);
		table_addf(&t, "%u", count_boots(b, s));
		for (int i = 0; i < BOOT_MARKS; i++)
			add_ms(&t, boot_marks_median(b, s, (enum boot_mark)i, NULL));
	}
	table_print(&t, f, 0);
}

static void print_calls(const struct boot_marks *b, const struct plan *p, FILE *f)
{
	struct boot_slow slow[SLOWEST];
	struct table t;

	if (!b->calls)
		return;
	fprintf(f, "\nslowest initcalls (median; that kernel says them costs time too, so such boots compare with none without)\n");
	table_open(&t, "subject|initcall|>boots|>time");
	for (unsigned s = 0; s < p->subjects; s++) {
		size_t n = boot_marks_slowest(b, s, slow, SLOWEST);

		for (size_t i = 0; i < n; i++) {
			table_add(&t, p->subject[s].id);
			table_add(&t, slow[i].name);
			table_addf(&t, "%zu", slow[i].n);
			add_ms(&t, slow[i].us / 1e3);
		}
	}
	table_print(&t, f, 0);
}

void show_print_boot(const struct boot_marks *b, FILE *f)
{
	const struct plan *p = &b->show->sweep->plan;

	fprintf(f, "\nboot, medians: from kernel start by the box's clock (init alone compares kernels), from the jump by the station's (the last "
	           "kernel's\n"
	           "shutdown is in it; banner and run-init are what the console shows, which is nothing under `quiet`)\n");
	print_marks(b, p, f);
	print_calls(b, p, f);
}

static json_t *known(double v) { return isfinite(v) && v >= 0 ? json_out_real(v) : json_null(); }

static json_t *subject_json(const struct boot_marks *b, unsigned s)
{
	json_t *o = json_object(), *calls = json_array();
	struct boot_slow slow[SLOWEST];
	size_t n = boot_marks_slowest(b, s, slow, SLOWEST);
	char key[32];

	json_out_set(o, "subject", json_out_text(b->show->sweep->plan.subject[s].id));
	json_out_set(o, "boots", json_integer(count_boots(b, s)));
	for (int i = 0; i < BOOT_MARKS; i++) {
		snprintf(key, sizeof key, "%s%s_ms", boot_marks_by_box((enum boot_mark)i) ? "" : "jump_", boot_marks_name((enum boot_mark)i));
		json_out_set(o, key, known(boot_marks_median(b, s, (enum boot_mark)i, NULL)));
	}
	for (size_t i = 0; i < n; i++) {
		json_t *c = json_object();

		json_out_set(c, "initcall", json_out_text(slow[i].name));
		json_out_set(c, "boots", json_integer((json_int_t)slow[i].n));
		json_out_set(c, "us", json_out_real(slow[i].us));
		json_array_append_new(calls, c);
	}
	json_out_set(o, "initcalls", calls);
	return o;
}

static json_t *try_json(const struct boot_marks_try *t)
{
	json_t *o = json_object();
	char key[32];

	json_out_set(o, "line", json_integer(t->try->try->line));
	json_out_set(o, "counts", json_boolean(t->counts));
	for (int i = 0; i < BOOT_MARKS; i++) {
		snprintf(key, sizeof key, "%s%s_ms", boot_marks_by_box((enum boot_mark)i) ? "" : "jump_", boot_marks_name((enum boot_mark)i));
		json_out_set(o, key, known(t->ms[i]));
	}
	return o;
}

struct json_t *show_json_boot(const struct boot_marks *b)
{
	json_t *o = json_object(), *subjects = json_array(), *tries = json_array();

	for (unsigned s = 0; s < b->show->sweep->plan.subjects; s++)
		json_array_append_new(subjects, subject_json(b, s));
	for (size_t i = 0; i < b->tries; i++)
		if (b->try[i].from_ms)
			json_array_append_new(tries, try_json(&b->try[i]));
	json_out_set(o, "subjects", subjects);
	json_out_set(o, "tries", tries);
	return o;
}
