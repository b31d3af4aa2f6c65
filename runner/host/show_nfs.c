/* SPDX-License-Identifier: GPL-2.0-or-later */
/* show_nfs: what the NFS client did, per subject, phase and operation: medians over boots, as a table and as JSON. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "common/err.h"
#include "host/json_out.h"
#include "host/nfs_client.h"
#include "host/show.h"
#include "host/table.h"

/* In the order of the table. */
static const struct {
	const char *head;
	enum nfs_client_value value;
	int decimals; /* most that are shown */
} columns[] = {
	{"ops", NFS_OPS, 0},       {"retrans", NFS_RETRANS, 0},     {"queue ms", NFS_QUEUE_MS, 2},
	{"rtt ms", NFS_RTT_MS, 2}, {"exe ms", NFS_EXE_MS, 2},       {"outstanding", NFS_OUTSTANDING, 2},
	{"KiB/op", NFS_KIB_OP, 1}, {"wire/read", NFS_WIRE_READ, 2}, {"wire/write", NFS_WIRE_WRITE, 2},
};

#define COLUMNS (sizeof columns / sizeof columns[0])

static double *room(const struct measure *m)
{
	double *v = malloc((m->boots + 1) * sizeof *v);
	if (!v)
		err_die("out of memory");
	return v;
}

static int wanted(const struct nfs_client *c, size_t row, const struct show_filter *filter)
{
	return !filter->test || !strcmp(filter->test, c->m->test[c->row[row].test].name);
}

static void add_row(struct table *t, const struct nfs_client *c, size_t row, unsigned subject, double *v)
{
	const struct nfs_client_row *r = &c->row[row];
	size_t n = nfs_client_values(c, row, subject, NFS_OPS, v);
	if (!n)
		return;
	table_add(t, c->m->test[r->test].name);
	table_add(t, r->phase);
	table_add(t, r->op);
	table_add(t, c->m->plan->subject[subject].id);
	table_addf(t, "%zu", n);
	for (size_t i = 0; i < COLUMNS; i++) {
		n = nfs_client_values(c, row, subject, columns[i].value, v);
		if (n)
			table_addf(t, "%.*f", columns[i].decimals, stats_median(v, n));
		else
			table_add(t, "-");
	}
}

void show_print_nfs(const struct nfs_client *c, const struct show_filter *filter, FILE *f)
{
	struct table t;
	double *v = room(c->m);
	char heads[256] = "test|phase|op|subject|>n";
	for (size_t i = 0; i < COLUMNS; i++)
		snprintf(heads + strlen(heads), sizeof heads - strlen(heads), "|>%s", columns[i].head);
	fprintf(f, "\nNFS client, medians over the boots (n) in which it happened; per operation but ops, retrans and outstanding (docs/facts.md)\n");
	table_open(&t, heads);
	for (size_t i = 0; i < c->rows; i++)
		for (unsigned s = 0; s < c->m->plan->subjects && wanted(c, i, filter); s++)
			add_row(&t, c, i, s, v);
	if (!t.cells || t.cells == t.columns)
		fprintf(f, "no test that passed has worked on NFS\n");
	table_print(&t, f, 0);
	if (c->left_out)
		fprintf(f, "more operations than can be kept: %u facts left out\n", c->left_out);
	free(v);
}

struct json_t *show_json_nfs(const struct nfs_client *c, const struct show_filter *filter)
{
	json_t *a = json_array();
	double *v = room(c->m);
	for (size_t i = 0; i < c->rows; i++)
		for (unsigned s = 0; s < c->m->plan->subjects && wanted(c, i, filter); s++) {
			size_t n = nfs_client_values(c, i, s, NFS_OPS, v);
			if (!n)
				continue;
			json_t *o = json_object();
			json_out_set(o, "test", json_out_text(c->m->test[c->row[i].test].name));
			json_out_set(o, "phase", json_out_text(c->row[i].phase));
			json_out_set(o, "op", json_out_text(c->row[i].op));
			json_out_set(o, "subject", json_out_text(c->m->plan->subject[s].id));
			json_out_set(o, "boots", json_integer((json_int_t)n));
			for (int k = 0; k < NFS_VALUES; k++) {
				n = nfs_client_values(c, i, s, (enum nfs_client_value)k, v);
				json_out_set(o, nfs_client_name((enum nfs_client_value)k), json_out_real(stats_median(v, n)));
			}
			json_array_append_new(a, o);
		}
	free(v);
	return a;
}
