/* SPDX-License-Identifier: GPL-2.0-or-later */
/* prove_lab: a sweep of the lab as texts, and whether something of it still runs. */
#include <dirent.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "common/err.h"
#include "common/io.h"
#include "common/proc.h"
#include "host/cmd.h"
#include "host/lab.h"
#include "host/prove.h"

#define FILE_MAX_BYTES (512u << 20)

/* "" where there is none. What a box may have put there is read as such. */
static char *read_text(struct prove_text *t, int boxs, const char *below)
{
	char *path = lab_path("%s", below), *text = NULL;
	size_t len = 0;
	int err = boxs ? lab_read_plain(below, FILE_MAX_BYTES, &text, &len) : io_read_plain(path, FILE_MAX_BYTES, &text, &len);

	if (err == -EINVAL && !boxs)
		err_die("read %s: no plain file", path);
	if (err && err != -ENOENT && !boxs)
		err_die_code(err, "read %s:", path);
	free(path);
	*t = err ? (struct prove_text){"", 0} : (struct prove_text){text, len};
	return err ? NULL : text;
}

/* Files of evidence/ that name the tag. */
static unsigned kept(void *ctx, const struct plan_try *t)
{
	char *path = lab_path("sweeps/%s/evidence", (const char *)ctx), tag[9];
	DIR *d = opendir(path);
	struct dirent *e;
	unsigned n = 0;

	snprintf(tag, sizeof(tag), "%08x", t->tag);
	while (d && (e = readdir(d)))
		n += strstr(e->d_name, tag) != NULL;
	if (d)
		closedir(d);
	free(path);
	return n;
}

/* Another sweep may run in this lab; then its servers are not ours to judge. */
static int lab_in_use(void)
{
	size_t n;
	char **names = lab_list("run", &n);
	int busy = 0;

	for (size_t i = 0; i < n; i++) {
		char below[512];

		snprintf(below, sizeof(below), "run/%.400s", names[i]);
		if (!strncmp(names[i], "box-", 4) && strstr(names[i], ".lock"))
			busy = busy || lab_locked(below);
	}
	lab_list_free(names);
	return busy;
}

static void judge_processes(struct prove *p)
{
	size_t n;
	char **names = lab_in_use() ? NULL : lab_list("run", &n);

	for (size_t i = 0; names && i < n; i++) {
		size_t len = strlen(names[i]);
		char *path = lab_path("run/%s", names[i]);
		pid_t pid = len > 4 && !strcmp(names[i] + len - 4, ".pid") ? proc_pidfile_check(path) : 0;

		if (pid > 0)
			prove_say(p, "%.*s still runs (pid %ld)", (int)len - 4, names[i], (long)pid);
		free(path);
	}
	if (names)
		lab_list_free(names);
}

void prove_lab(struct prove *p, const char *sweep)
{
	static const char *const names[] = {"schedule", "manifest", "journal", "records.jsonl"};
	struct prove_input in = {.kept = kept, .ctx = (void *)(uintptr_t)sweep};
	struct prove_text *texts[] = {&in.schedule, &in.manifest, &in.station, &in.records};
	char below[512], *text[6], *box;
	struct plan_error e;
	struct plan plan;
	int err;

	for (size_t i = 0; i < 4; i++) {
		snprintf(below, sizeof(below), "sweeps/%.64s/%s", sweep, names[i]);
		text[i] = read_text(texts[i], 0, below);
	}
	if (!text[0])
		err_die("no sweep '%.70s' in %s; 'kdyno sweep list' lists them", sweep, cmd_lab());
	err = plan_read_schedule(&plan, in.schedule.s, in.schedule.len, &e);
	if (err)
		err_die("sweeps/%s/schedule:%u: %s", sweep, e.line, e.text);
	if (plan.imported)
		err_die("sweep %s was imported from tables: there is nothing to prove", sweep);
	box = strdup(plan.box);
	plan_free(&plan);
	if (!box)
		err_die("out of memory");
	snprintf(below, sizeof(below), "results/%.64s/%.64s/journal", sweep, box);
	text[4] = read_text(&in.box, 1, below);
	snprintf(below, sizeof(below), "sweeps/%.64s/console-%.64s.log", sweep, box);
	text[5] = read_text(&in.console, 0, below);
	err = prove_sweep(p, &in);
	if (err)
		err_die_code(err, "sweep %s cannot be looked at:", sweep);
	judge_processes(p);
	for (size_t i = 0; i < 6; i++)
		free(text[i]);
	free(box);
}
