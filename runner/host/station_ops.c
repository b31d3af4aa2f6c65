/* SPDX-License-Identifier: GPL-2.0-or-later */
/* station_ops: the drive's marks, files and power cycles, carried out. Whatever returns 0 here is on disk. */
#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/random.h>
#include <unistd.h>

#include "common/clock.h"
#include "common/err.h"
#include "common/io.h"
#include "host/lab.h"
#include "host/pxe.h"
#include "host/station.h"

#define SCHEDULE_MAX (64u << 20)
#define NFS_FILE_MAX (32u << 20)

void station_say(struct station *st, enum drive_say what, const char *fmt, ...)
{
	char text[DRIVE_SAY_BYTES];
	va_list ap;

	va_start(ap, fmt);
	vsnprintf(text, sizeof(text), fmt, ap);
	va_end(ap);
	drive_say_text(&st->drive, what, 0, fmt, text);
}

/* What the line has brought of a try, in one write with the mark that ends it. Nothing where this run has not seen its start. */
static long format_counts(struct station *st, const struct journal_entry *e, uint64_t now, char *out, size_t size)
{
	const struct console_count *c = &st->console.count;
	struct journal_console count = {.line = e->line,
	                                .bytes = c->bytes - st->counted.bytes,
	                                .bad = c->bad - st->counted.bad,
	                                .dropped = st->conlog.dropped - st->counted_dropped};

	if (!st->live || e->line != st->counted_line || e->state < JOURNAL_NOT_RUN || e->state == JOURNAL_HELLO)
		return 0;
	return journal_format_console(&count, "station", now, out, size);
}

static int op_journal(void *ctx, const struct journal_entry *e)
{
	struct station *st = ctx;
	uint64_t now = clock_unix_ms();
	char line[2048];
	long n = journal_format(e, "station", now, line, sizeof(line)), m = 0;
	int err;

	if (n > 0)
		m = format_counts(st, e, now, line + n, sizeof(line) - (size_t)n);
	err = n < 0 || m < 0 ? (int)(n < 0 ? n : m) : io_append(st->journal_fd, line, (size_t)(n + m));
	if (err)
		return err;
	st->resumes = 0;
	if (e->state == JOURNAL_START && st->live) {
		st->counted_line = e->line;
		st->counted = st->console.count;
		st->counted_dropped = st->conlog.dropped;
	}
	journal_apply(st->sweep.journal, e, now);
	if (e->state == JOURNAL_COMPLETE)
		st->twin_deaths = 0;
	return 0;
}

int station_control(struct station *st, enum journal_control c)
{
	char line[256];
	uint64_t now = clock_unix_ms();
	long n = journal_format_control(c, "station", now, line, sizeof(line));
	int err = n < 0 ? (int)n : io_append(st->journal_fd, line, (size_t)n);

	if (!err)
		journal_apply_control(st->sweep.journal, c, NULL, now);
	return err;
}

static uint32_t draw_tag(const struct plan *p)
{
	uint32_t tag;

	do {
		if (getrandom(&tag, sizeof(tag), 0) != sizeof(tag))
			err_die("getrandom:");
		tag &= ~RECORD_TAG_BOX;
	} while (!tag || plan_try_by_tag(p, tag));
	return tag;
}

/* The plan anew from the file: what the box will read is what we go by. */
static int reread_plan(struct station *st, const char *schedule)
{
	char *manifest = lab_path("sweeps/%s/manifest", st->sweep.id), *text = NULL;
	struct plan_error e;
	struct plan fresh;
	size_t len;
	int err = io_read_file(schedule, SCHEDULE_MAX, &text, &len);

	if (!err) {
		err = plan_read_schedule(&fresh, text, len, &e);
		free(text);
		text = NULL;
	}
	if (!err)
		err = io_read_file(manifest, SCHEDULE_MAX, &text, &len);
	if (!err)
		err = plan_read_manifest(&fresh, text, len, &e);
	free(text);
	free(manifest);
	if (err)
		return err;
	plan_free(&st->sweep.plan);
	st->sweep.plan = fresh;
	return 0;
}

static int op_append_try(void *ctx, unsigned of, const char *why)
{
	struct station *st = ctx;
	struct plan *p = &st->sweep.plan;
	const struct plan_try *was = plan_try_by_line(p, of);
	char *path = lab_path("sweeps/%s/schedule", st->sweep.id), line[1024];
	struct plan_try t;
	long n;
	int fd, err = 0;

	if (!was)
		err = -EINVAL;
	else if (p->try[p->tries - 1].line >= PLAN_TRIES_MAX)
		err = -E2BIG;
	if (!err) {
		t = *was;
		t.line = p->try[p->tries - 1].line + 1;
		t.tag = draw_tag(p);
		t.of = of;
		snprintf(t.why, sizeof(t.why), "%s", why);
		n = plan_format_try(p, &t, line, sizeof(line));
		fd = n < 0 ? (int)n : io_append_open(path);
		err = fd < 0 ? fd : io_append(fd, line, (size_t)n);
		if (fd >= 0)
			close(fd);
	}
	if (!err) {
		err = reread_plan(st, path);
		err = err == -E2BIG ? -EINVAL : err; /* a plan that is bad is no full one */
	}
	free(path);
	return err;
}

/* A station that died between this and the mark in the journal comes here again: what it has filed is not filed twice. */
static int op_store(void *ctx, const struct try *t, unsigned line)
{
	struct station *st = ctx;
	char *path = lab_path("sweeps/%s/records.jsonl", st->sweep.id);
	struct store_record *r;
	struct store_gap *g;
	size_t n, gaps;
	int err = try_store(t, line, &r, &n, &g, &gaps);

	if (!err) {
		err = store_append_missing(path, st->sweep.id, st->board.name, r, n, g, gaps);
		try_store_free(r, n, g);
	}
	free(path);
	return err;
}

static char *op_nfs_text(void *ctx, uint32_t tag, size_t *len)
{
	struct station *st = ctx;
	char below[2 * PLAN_ID_MAX + 32], *text = NULL;

	snprintf(below, sizeof(below), "results/%s/%s/%08x.kd1", st->sweep.id, st->board.name, tag);
	return lab_read_plain(below, NFS_FILE_MAX, &text, len) ? NULL : text;
}

static int op_cycle(void *ctx, unsigned nth, unsigned line, const char *why) { return station_power_cycle(ctx, nth, line, why); }

static int op_poke(void *ctx) { return station_poke(ctx); }

/* A file of evidence that cannot be written costs the evidence, not the sweep. */
static void op_evidence(void *ctx, unsigned line, const char *name, const char *why)
{
	struct station *st = ctx;
	const struct plan_try *t = plan_try_by_line(&st->sweep.plan, line);
	struct evidence_of of = {.sweep = st->sweep.id, .name = name, .why = why, .line = line, .tag = t ? t->tag : 0, .unix_ms = clock_unix_ms()};
	int err;

	if (!t || !name)
		return;
	err = evidence_mark(&st->evidence, &of, !st->live, clock_now_ms());
	if (err == -EDQUOT && !st->evidence.full++)
		station_say(st, DRIVE_SAY_WARN, "the evidence of this sweep has reached %u MiB: no more is kept", EVIDENCE_SWEEP_BYTES >> 20);
	else if (err && err != -EDQUOT)
		station_say(st, DRIVE_SAY_WARN, "no evidence is kept of line %u: %s", line, strerror(-err));
}

static int op_boot_entry(void *ctx, unsigned line, uint32_t prev)
{
	struct station *st = ctx;

	if (!line)
		return pxe_write_home(&st->sweep, &st->board, &st->ports, st->nfs);
	return pxe_write_subject(&st->sweep, &st->board, &st->ports, st->nfs, line, prev);
}

static void op_say(void *ctx, enum drive_say what, unsigned line, const char *text)
{
	struct station *st = ctx;

	progress_say(&st->progress, what, line, text);
}

static int op_pause(void *ctx, const char *reason) { return station_pause(ctx, reason); }

void station_ops(struct station *st, struct drive_ops *ops)
{
	*ops = (struct drive_ops){.journal = op_journal,
	                          .append_try = op_append_try,
	                          .store = op_store,
	                          .nfs_text = op_nfs_text,
	                          .cycle = op_cycle,
	                          .boot_entry = op_boot_entry,
	                          .poke = op_poke,
	                          .evidence = op_evidence,
	                          .say = op_say,
	                          .pause = op_pause,
	                          .ctx = st};
}
