/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * cmd_compare: kdyno compare SWEEP: which subject is worse than the base at what (docs/statistics.md, docs/reading-results.md).
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "common/err.h"
#include "host/cmd.h"
#include "host/compare.h"
#include "host/import.h"
#include "host/json_out.h"
#include "host/lab.h"
#include "host/sweep.h"

static int as_json, armed;
static const char *base_id, *alpha_text, *threshold_text;

static const struct opt opts[] = {
	{"base", OPT_STR, "SUBJECT", "compare against this one (the first of the schedule)", &base_id},
	{"alpha", OPT_STR, "P", "level of a sweep's verdicts, after Holm (.05)", &alpha_text},
	{"threshold", OPT_STR, "PERCENT", "a change below this does not matter (3)", &threshold_text},
	{"armed", OPT_FLAG, NULL, "only boots that had their crash kernel loaded", &armed},
	{"json", OPT_FLAG, NULL, "everything as JSON, in base units", &as_json},
	{.name = NULL},
};

static double number(const char *name, const char *text, double otherwise, double low, double high)
{
	char *end;
	if (!text)
		return otherwise;
	double v = strtod(text, &end);
	if (end == text || *end || !(v > low && v < high))
		err_usage("compare: --%s %s: a number between %g and %g was expected", name, text, low, high);
	return v;
}

/* By its id, or by its kernel alone where that names only one. */
static unsigned find_base(const struct plan *p, const char *id)
{
	const char *names[PLAN_SUBJECTS_MAX + 1];
	unsigned found = 0, n = 0;
	if (!id)
		return 0;
	for (unsigned i = 0; i < p->subjects; i++) {
		if (!strcmp(p->subject[i].id, id))
			return i;
		if (!strcmp(p->subject[i].kernel, id)) {
			found = i;
			n++;
		}
		names[i] = p->subject[i].id;
	}
	names[p->subjects] = NULL;
	if (n == 1)
		return found;
	const char *near = err_nearest(id, names);
	err_usage("compare: --base %s: %s; %s %s", id, n ? "several subjects have this kernel" : "the sweep has no such subject",
	          near ? "did you mean" : "there is", near ? near : names[0]);
}

/* A sweep in which nothing came up has no records, and an answer all the same. */
static int any_failed(const struct sweep *sw)
{
	for (size_t i = 0; i < sw->plan.tries; i++)
		if (journal_state(sw->journal, sw->plan.try[i].line) == JOURNAL_FAILED)
			return 1;
	return 0;
}

static void load(const struct sweep *sw, struct store *s)
{
	char *path = lab_path("sweeps/%s/records.jsonl", sw->id);
	int rc = store_read(s, path);
	if (rc && rc != -ENOENT)
		err_die_code(rc, "cannot read %s:", path);
	if ((rc || !s->records) && !any_failed(sw))
		err_die("sweep %s has no records yet: run it (kdyno sweep run %s) or collect them (kdyno collect --help)", sw->id, sw->id);
	if (s->bad_lines)
		err_warn("%s: damaged lines left out: %u", path, s->bad_lines);
	free(path);
}

static int run(int argc, char **argv)
{
	struct sweep sw;
	struct store store;
	struct suite suite;
	struct measure m;
	struct compare c;
	struct compare_options o = {.threshold_given = threshold_text != NULL, .armed = armed};
	if (argc != 1)
		err_usage("compare: one SWEEP is wanted (kdyno show lists them)");
	o.alpha = number("alpha", alpha_text, .05, 0, .5);
	o.threshold = number("threshold", threshold_text, 3, 0, 100) / 100;
	lab_require();
	sweep_open(&sw, argv[0]);
	o.base = find_base(&sw.plan, base_id);
	if (armed && !sw.plan.crash_bytes)
		err_die("sweep %s has no crash kernel: compare it without --armed", sw.id);
	if (sw.plan.subjects < 2)
		err_die("sweep %s has one subject, nothing to compare: kdyno show %s --metrics", sw.id, sw.id);
	load(&sw, &store);
	if (sw.plan.imported && import_suite(&suite, &store))
		err_die("out of memory");
	if (!sw.plan.imported)
		suite_load_sweep(&suite, &sw.plan);
	if (measure_read(&m, &sw.plan, sw.journal, &suite, &store) || compare_make(&c, &m, &o))
		err_die("out of memory");
	if (as_json)
		json_out_print(compare_json(&c));
	else
		compare_print(&c, stdout);
	compare_free(&c);
	measure_free(&m);
	suite_free(&suite);
	store_free(&store);
	sweep_close(&sw);
	return EXIT_OK;
}

const struct cmd cmd_compare = {
	.name = "compare",
	.args = "SWEEP [--base SUBJECT] [--alpha P] [--threshold PERCENT] [--armed] [--json]",
	.summary = "which subject is worse, and at what",
	.help = "Verdicts on each test's primary metric: regression, improvement (probable- where it may be below the threshold), no-change,\n"
		"inconclusive (with the number of boots that would decide), failed. Everything else is shown without a verdict.\n"
		"docs/statistics.md says how. Below stand findings: what the numbers say together (docs/reading-results.md).",
	.opts = opts,
	.run = run,
};
