/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * sweep: see sweep.h. Trap: the box's journal lies on an export that the box writes, so its kind and size are checked here and its
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

static int no_such(const char *id, char *err, size_t size)
{
	size_t n;
	char **names = lab_list("sweeps", &n);
	const char *near = err_nearest(id, (const char *const *)names);
	snprintf(err, size, "no sweep '%.64s' in %s%s%s%s", id, cmd_lab(),
	         near ? "; did you mean '" : "; 'kdyno sweep list' lists them, 'sweep new' makes one", near ? near : "", near ? "'?" : "");
	lab_list_free(names);
	return -ENOENT;
}

static void merge(struct sweep *s, const char *below)
{
	char *text;
	size_t len;
	int err = lab_read_plain(below, FILE_MAX, &text, &len);
	if (err == -ENOENT)
		return; /* nothing has happened yet */
	if (err) {
		err_warn("%s/%s is left out: %s", cmd_lab(), below, err == -EINVAL ? "no plain file" : strerror(-err));
		return;
	}
	journal_merge(s->journal, &s->plan, text, len);
	free(text);
}

void sweep_reread(struct sweep *s)
{
	char below[2 * PLAN_ID_MAX + 32];
	journal_init(s->journal);
	/* The box's first: the last control word is then the station's own, whatever a box writes. */
	snprintf(below, sizeof below, "results/%s/%s/journal", s->id, s->plan.box);
	merge(s, below);
	snprintf(below, sizeof below, "sweeps/%s/journal", s->id);
	merge(s, below);
}

/* One of the sweep's two files into the plan. */
static int read_part(struct sweep *s, const char *file, int (*read)(struct plan *, const char *, size_t, struct plan_error *), char *err, size_t size)
{
	struct plan_error e = {0};
	char *path = lab_path("sweeps/%s/%s", s->id, file), *text;
	size_t len;
	int code = io_read_plain(path, FILE_MAX, &text, &len);
	if (code) {
		snprintf(err, size, "read %s: %s", path, code == -EINVAL ? "no plain file" : strerror(-code));
	} else {
		code = read(&s->plan, text, len, &e);
		if (code && e.line)
			snprintf(err, size, "%s:%u: %s", path, e.line, e.text);
		else if (code)
			snprintf(err, size, "%s: %s", path, e.text);
		free(text);
	}
	free(path);
	return code;
}

int sweep_read(struct sweep *s, const char *id, char *err, size_t size)
{
	*s = (struct sweep){0};
	char *schedule = kv_is_id(id) ? lab_path("sweeps/%s/schedule", id) : NULL;
	char *folder = schedule ? lab_path("sweeps/%s", id) : NULL;
	int there = folder && !access(folder, F_OK), whole = there && !access(schedule, F_OK);
	if (there && !whole)
		snprintf(err, size, "%s is missing: remove the folder and make the sweep anew", schedule);
	free(schedule);
	free(folder);
	if (!whole)
		return there ? -ENOENT : no_such(id, err, size);
	snprintf(s->id, sizeof s->id, "%s", id);
	int code = read_part(s, "schedule", plan_read_schedule, err, size);
	if (!code && !s->plan.imported) /* which boots nothing */
		code = read_part(s, "manifest", plan_read_manifest, err, size);
	if (code) {
		s->plan = (struct plan){0}; /* freed where it failed */
		return code;
	}
	s->dir = lab_path("sweeps/%s", id);
	s->journal = malloc(sizeof *s->journal);
	if (!s->journal)
		err_die("out of memory");
	sweep_reread(s);
	return 0;
}

void sweep_open(struct sweep *s, const char *id)
{
	char why[512];
	lab_require();
	if (sweep_read(s, id, why, sizeof why))
		err_die("%s", why);
}

void sweep_close(struct sweep *s)
{
	plan_free(&s->plan);
	free(s->journal);
	free(s->dir);
	*s = (struct sweep){0};
}
