/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * station_past: what happened before this kdyno was started, and while none ran.
 *
 * In this order: our own journal; the console log of the sweep, replayed without answering; what the twin's log has beyond it;
 * then the box's journal and its records on NFS, for what the box did alone: what it says has failed is filed and has failed. `complete` is
 * believed only of our own journal, since only we file records: a boot that the box calls complete is filed here first, from its records.
 */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "common/err.h"
#include "common/io.h"
#include "host/lab.h"
#include "host/station.h"

#define FILE_MAX_BYTES (64u << 20)

/* Ours must be readable; the box's is whatever the box has made of it. */
static void merge_file(struct station *st, struct journal *j, const char *below, int ours)
{
	char *text;
	size_t len;
	int err = lab_read_plain(below, FILE_MAX_BYTES, &text, &len);

	if (err == -ENOENT)
		return;
	if (err && ours)
		err_die_code(err, "read %s:", below);
	if (err) {
		station_say(st, DRIVE_SAY_WARN, "%s is left out: %s", below, err == -EINVAL ? "no plain file" : strerror(-err));
		return;
	}
	journal_merge(j, &st->sweep.plan, text, len);
	free(text);
}

static void replay(void *ctx, const char *bytes, size_t len)
{
	struct station *st = ctx;

	evidence_feed(&st->evidence, bytes, len);
	console_feed(&st->console, bytes, len);
}

/* Of the console log. */
static uint64_t max_bytes(void)
{
	const char *s = getenv("KDYNO_CONSOLE_MAX");
	char *end;
	unsigned long long n = s && *s >= '0' && *s <= '9' ? strtoull(s, &end, 10) : 0;

	return n && !*end ? n : CONLOG_BYTES;
}

void station_replay(struct station *st)
{
	char ours[PLAN_ID_MAX + 32];
	char *log = lab_path("sweeps/%s/console-%s.log", st->sweep.id, st->board.name);
	int err;

	journal_init(st->sweep.journal);
	snprintf(ours, sizeof(ours), "sweeps/%s/journal", st->sweep.id);
	merge_file(st, st->sweep.journal, ours, 1);
	err = conlog_open(&st->conlog, log, replay, st);
	if (err)
		err_die_code(err, "open %s:", log);
	st->conlog.max = max_bytes();
	free(log);
}

/* What the box says of a line: all but `complete` as it stands; that is to be proven by its records. */
static void take_box_line(struct station *st, const struct journal *box, unsigned line)
{
	const struct journal_try *t = &box->try[line];
	struct journal_entry e = {.line = line, .state = t->state, .name = *t->name ? t->name : NULL};

	if (t->state == JOURNAL_PLANNED || drive_final(&st->drive, line))
		return;
	if (t->state == JOURNAL_COMPLETE)
		e.state = JOURNAL_HELLO;
	if (t->state == JOURNAL_FAILED) /* what there is of it is filed */
		drive_fail(&st->drive, line, *t->name ? t->name : "runner", NULL);
	journal_apply(st->sweep.journal, &e, t->at_ms[t->state]);
}

void station_catch_up(struct station *st, int cold)
{
	struct journal *box = malloc(sizeof(*box));
	char below[2 * PLAN_ID_MAX + 32];

	if (!box)
		err_die("out of memory");
	journal_init(box);
	snprintf(below, sizeof(below), "results/%s/%s/journal", st->sweep.id, st->board.name);
	merge_file(st, box, below, 0);
	for (size_t i = 0; i < st->sweep.plan.tries; i++)
		take_box_line(st, box, st->sweep.plan.try[i].line);
	drive_live(&st->drive, cold);
	free(box);
}
