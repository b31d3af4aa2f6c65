/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * sweep: see sweep.h. Trap: the box's journal lies on an export that the box writes, so its size is bounded here and its
 * lines are checked against the schedule (journal_merge does).
 */
#include "host/sweep.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "common/err.h"
#include "common/io.h"
#include "common/kv.h"
#include "host/cmd.h"
#include "host/lab.h"

#define FILE_MAX (64u << 20)

static void no_such(const char *id)
{
	size_t n;
	char **names = lab_list("sweeps", &n);
	const char *near = err_nearest(id, (const char *const *)names);
	err_die("no sweep '%.64s' in %s%s%s%s", id, cmd_lab(), near ? "; did you mean '" : "; 'kdyno sweep new' makes one", near ? near : "",
	        near ? "'?" : "");
}

/* A file of the sweep; dies. */
static char *read_file(const char *path, size_t *len)
{
	char *text;
	int err = io_read_file(path, FILE_MAX, &text, len);
	if (err)
		err_die_code(err, "read %s:", path);
	return text;
}

static void merge(struct sweep *s, const char *path)
{
	char *text;
	size_t len;
	int err = io_read_file(path, FILE_MAX, &text, &len);
	if (err == -ENOENT)
		return; /* nothing has happened yet */
	if (err) {
		err_warn("read %s: %s", path, strerror(-err));
		return;
	}
	journal_merge(s->journal, &s->plan, text, len);
	free(text);
}

void sweep_reread(struct sweep *s)
{
	char *ours = lab_path("sweeps/%s/journal", s->id);
	char *box = lab_path("results/%s/%s/journal", s->id, s->plan.box);
	journal_init(s->journal);
	merge(s, box); /* first: the last control word is then the station's own, whatever a box writes */
	merge(s, ours);
	free(ours);
	free(box);
}

void sweep_open(struct sweep *s, const char *id)
{
	struct plan_error e = {0};
	size_t len;
	*s = (struct sweep){0};
	lab_require();
	char *schedule = kv_is_id(id) ? lab_path("sweeps/%s/schedule", id) : NULL;
	if (!schedule || access(schedule, F_OK))
		no_such(id);
	snprintf(s->id, sizeof s->id, "%s", id);
	s->dir = lab_path("sweeps/%s", id);
	char *text = read_file(schedule, &len);
	if (plan_read_schedule(&s->plan, text, len, &e))
		err_die("%s:%u: %s", schedule, e.line, e.text);
	free(text);
	char *manifest = lab_path("sweeps/%s/manifest", id);
	text = read_file(manifest, &len);
	if (plan_read_manifest(&s->plan, text, len, &e))
		err_die("%s:%u: %s", manifest, e.line, e.text);
	free(text);
	free(manifest);
	free(schedule);
	s->journal = malloc(sizeof *s->journal);
	if (!s->journal)
		err_die("out of memory");
	sweep_reread(s);
}

void sweep_close(struct sweep *s)
{
	plan_free(&s->plan);
	free(s->journal);
	free(s->dir);
	*s = (struct sweep){0};
}
