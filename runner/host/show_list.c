/* SPDX-License-Identifier: GPL-2.0-or-later */
/* show_list: all sweeps of a lab, a line each. A sweep whose schedule cannot be read is listed as damaged, and hides no other. */
#include <stdlib.h>
#include <string.h>

#include "common/err.h"
#include "common/io.h"
#include "host/cmd.h"
#include "host/json_out.h"
#include "host/lab.h"
#include "host/number.h"
#include "host/show.h"
#include "host/table.h"

#define FILE_MAX (64u << 20)

static int read_schedule(struct sweep *sw)
{
	struct plan_error e;
	char *path = lab_path("sweeps/%s/schedule", sw->id), *text = NULL;
	size_t len;
	int rc = io_read_file(path, FILE_MAX, &text, &len);
	if (!rc)
		rc = plan_read_schedule(&sw->plan, text, len, &e);
	free(text);
	free(path);
	return rc;
}

/* As sweep_open does, but without dying and without the manifest. */
static int open_quietly(struct sweep *sw, const char *id)
{
	memset(sw, 0, sizeof *sw);
	snprintf(sw->id, sizeof sw->id, "%s", id);
	int rc = read_schedule(sw);
	if (rc)
		return rc;
	sw->journal = malloc(sizeof *sw->journal);
	if (!sw->journal)
		err_die("out of memory");
	sweep_reread(sw);
	return 0;
}

static void add_row(struct table *t, const struct show *s)
{
	const struct plan *p = &s->sweep->plan;
	char text[256], when[NUMBER_MAX];
	size_t at = 0;
	*text = 0;
	for (size_t i = 0; i < p->subjects && at < sizeof text; i++)
		at += (size_t)snprintf(text + at, sizeof text - at, "%s%s", i ? ", " : "", p->subject[i].id);
	table_add(t, p->id);
	table_add(t, p->box);
	table_add(t, text);
	table_addf(t, "%u/%u", s->done, s->boots);
	table_add(t, s->state);
	table_add(t, number_time(s->at_ms / 1000, when, sizeof when));
}

static void add_damaged(struct table *t, const char *id)
{
	table_add(t, id);
	for (int i = 0; i < 3; i++)
		table_add(t, "-");
	table_add(t, "damaged schedule");
	table_add(t, "-");
}

void show_list(int as_json)
{
	static const struct store nothing;
	struct table t;
	size_t n;
	char **id = lab_list("sweeps", &n);
	json_t *all = json_array();
	table_open(&t, "sweep|box|subjects|>boots|state|started");
	for (size_t i = 0; i < n; i++) {
		struct sweep sw;
		struct show s;
		if (open_quietly(&sw, id[i])) {
			add_damaged(&t, id[i]);
			json_array_append_new(all, json_pack("{s:o, s:s}", "sweep", json_out_text(id[i]), "state", "damaged"));
			continue;
		}
		show_make(&s, &sw, &nothing);
		add_row(&t, &s);
		json_t *o = show_json(&s);
		json_object_del(o, "tries");
		json_array_append_new(all, o);
		show_free(&s);
		sweep_close(&sw);
	}
	if (as_json)
		json_out_print(all);
	else
		json_decref(all);
	if (!n && !as_json)
		printf("no sweeps in %s: kdyno sweep new --help\n", cmd_lab());
	table_print(&t, as_json || !n ? NULL : stdout, 0);
	for (size_t i = 0; i < n; i++)
		free(id[i]);
	free(id);
}
