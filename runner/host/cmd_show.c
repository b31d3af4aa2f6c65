/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * cmd_show: kdyno show [SWEEP]: sweeps, boots, metrics, channels, records (docs/reading-results.md).
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "common/err.h"
#include "host/boot_marks.h"
#include "host/cmd.h"
#include "host/import.h"
#include "host/json_out.h"
#include "host/lab.h"
#include "host/nfs_client.h"
#include "host/show.h"

static int as_json, with_metrics, with_records, with_channels, with_logs, with_nfs, with_variation, with_boot, with_hist, with_cost;
static const char *tag_text, *test_name, *as_layout;

static const struct opt opts[] = {
	{"metrics", OPT_FLAG, NULL, "per subject and metric: n, median, least, greatest, variation", &with_metrics},
	{"variation", OPT_FLAG, NULL, "per metric and subject: spread within boots and between boots", &with_variation},
	{"cost", OPT_FLAG, NULL, "per subject and phase: CPU, CPU seconds for a GiB, kernel threads, stalls", &with_cost},
	{"hist", OPT_FLAG, NULL, "per subject: percentiles of latencies, and a picture of each histogram", &with_hist},
	{"boot", OPT_FLAG, NULL, "per subject: milestones of the boot, and slow initcalls", &with_boot},
	{"nfs", OPT_FLAG, NULL, "per subject, phase and operation: what the NFS client did", &with_nfs},
	{"as", OPT_STR, "LAYOUT", "as people post it: bonnie, bonnie++, bonnie++csv, tiobench, boot", &as_layout},
	{"channels", OPT_FLAG, NULL, "which records came by serial only, by NFS only, differ, are missing", &with_channels},
	{"records", OPT_FLAG, NULL, "every record", &with_records},
	{"log", OPT_FLAG, NULL, "what kernels that died had said last, as a crash kernel or pstore has it", &with_logs},
	{"tag", OPT_STR, "TAG", "only this try's records, channels and log", &tag_text},
	{"test", OPT_STR, "TEST", "only this test's records and metrics", &test_name},
	{"json", OPT_FLAG, NULL, "the same as JSON, in base units", &as_json},
	{.name = NULL},
};

static void load(const struct sweep *sw, struct store *s)
{
	char *path = lab_path("sweeps/%s/records.jsonl", sw->id);
	int rc = store_read(s, path);
	if (rc && rc != -ENOENT)
		err_die_code(rc, "cannot read %s:", path);
	free(path);
}

static void make_filter(const struct sweep *sw, struct show_filter *f)
{
	const char *names[PLAN_TESTS_MAX + 1];
	memset(f, 0, sizeof *f);
	f->test = test_name;
	size_t n = 0;
	int known = !test_name;
	for (; n < sw->plan.tests && n < PLAN_TESTS_MAX; n++) {
		names[n] = sw->plan.test[n].name;
		known |= test_name && !strcmp(names[n], test_name);
	}
	names[n] = NULL;
	if (!known) {
		const char *near = err_nearest(test_name, names);
		err_usage("show: the sweep has no test %s%s%s", test_name,
		          near ? "; did you mean "
		          : n  ? "; there is "
		               : "",
		          near ? near
		          : n  ? names[0]
		               : "");
	}
	if (!tag_text)
		return;
	if (strlen(tag_text) != 8 || strspn(tag_text, "0123456789abcdef") != 8)
		err_usage("show: --tag %s: 8 hex digits were expected", tag_text);
	f->by_tag = 1;
	f->tag = (uint32_t)strtoul(tag_text, NULL, 16);
}

static void check_tag(const struct sweep *sw, const struct store *s, const struct show_filter *f)
{
	int known = !f->by_tag || plan_try_by_tag(&sw->plan, f->tag);
	for (size_t i = 0; !known && i < s->records; i++)
		known = s->record[i].tag == f->tag;
	if (!known)
		err_usage("show: no try and no record of sweep %s has the tag %08x (kdyno show %s lists them)", sw->id, f->tag, sw->id);
}

static void make_client(struct nfs_client *c, const struct measure *m)
{
	if (nfs_client_read(c, m))
		err_die("out of memory");
}

static void add_boot(const struct show *s, json_t *o)
{
	struct boot_marks b;
	boot_marks_make(&b, s);
	if (o)
		json_out_set(o, "boot", show_json_boot(&b));
	else
		show_print_boot(&b, stdout);
	boot_marks_free(&b);
}

static void show_one(const struct show *s, const struct measure *m, const struct nfs_client *client, const struct show_filter *filter)
{
	if (!as_json) {
		show_print(s, stdout);
		show_print_deaths(s, stdout);
		if (with_metrics)
			show_print_metrics(m, filter, stdout);
		if (with_variation)
			show_print_variation(m, filter, stdout);
		if (with_cost)
			show_print_cost(m, filter, stdout);
		if (with_hist)
			show_print_hist(m, filter, stdout);
		if (with_boot)
			add_boot(s, NULL);
		if (with_nfs)
			show_print_nfs(client, filter, stdout);
		if (with_channels)
			show_print_channels(s, filter, stdout);
		if (with_logs)
			show_print_logs(s, filter, stdout);
		if (with_records)
			show_print_records(s, filter, stdout);
		return;
	}
	json_t *o = show_json(s);
	if (with_metrics)
		json_out_set(o, "metrics", show_json_metrics(m, filter));
	if (with_variation)
		json_out_set(o, "variation", show_json_variation(m, filter));
	if (with_cost)
		json_out_set(o, "cost", show_json_cost(m, filter));
	if (with_hist)
		json_out_set(o, "hist", show_json_hist(m, filter));
	if (with_boot)
		add_boot(s, o);
	if (with_nfs)
		json_out_set(o, "nfs", show_json_nfs(client, filter));
	if (with_channels)
		json_out_set(o, "channels", show_json_channels(s, filter));
	if (with_records)
		json_out_set(o, "records", show_json_records(s, filter));
	json_out_print(o);
}

static int run(int argc, char **argv)
{
	struct sweep sw;
	struct store store;
	struct suite suite = {0};
	struct measure m = {0};
	struct nfs_client client = {.m = NULL};
	struct show s;
	struct show_filter filter;
	if (argc > 1)
		err_usage("show: one SWEEP or none is wanted");
	if (as_layout)
		show_as_check(as_layout);
	if (as_layout && as_json)
		err_usage("show: --as prints a text; --json --metrics has the numbers");
	if (!argc && (as_layout || with_metrics || with_nfs || with_variation || with_hist || with_cost || with_boot || with_records ||
	              with_channels || with_logs || tag_text || test_name))
		err_usage("show: --as, --metrics, --variation, --cost, --hist, --boot, --nfs, --channels, --log, --records, --tag and --test want a "
		          "SWEEP (kdyno show lists them)");
	lab_require();
	if (!argc) {
		show_list(as_json);
		return EXIT_OK;
	}
	sweep_open(&sw, argv[0]);
	make_filter(&sw, &filter);
	load(&sw, &store);
	check_tag(&sw, &store, &filter);
	if ((tag_text || test_name) && !as_layout && !with_metrics && !with_nfs && !with_variation && !with_hist && !with_cost && !with_boot &&
	    !with_channels && !with_logs)
		with_records = 1;
	if (as_layout || with_metrics || with_nfs || with_variation || with_hist || with_cost) {
		if (sw.plan.imported && import_suite(&suite, &store))
			err_die("out of memory");
		if (!sw.plan.imported)
			suite_load_sweep(&suite, &sw.plan);
		if (measure_read(&m, &sw.plan, sw.journal, &suite, &store))
			err_die("out of memory");
		make_client(&client, &m);
	}
	show_make(&s, &sw, &store);
	if (as_layout)
		show_print_as(&s, &m, as_layout, &filter, stdout);
	else
		show_one(&s, &m, &client, &filter);
	show_free(&s);
	if (as_layout || with_metrics || with_nfs || with_variation || with_hist || with_cost) {
		nfs_client_free(&client);
		measure_free(&m);
		suite_free(&suite);
	}
	store_free(&store);
	sweep_close(&sw);
	return EXIT_OK;
}

const struct cmd cmd_show = {
	.name = "show",
	.args = "[SWEEP] [--as LAYOUT | OPTION...] [--json]",
	.summary = "sweeps, or the boots, metrics and records of one",
	.help = "Without a SWEEP: all sweeps of the lab. With one: its tries, with their state, the channels that their records came by, and\n"
		"their times; below, why a try failed, the file in the sweep's folder that is its evidence, and what killed a kernel. What the\n"
		"states mean: docs/reading-results.md.",
	.opts = opts,
	.run = run,
};
