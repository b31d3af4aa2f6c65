/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * next_self: what a box may do alone: read the journals, choose by the same rule as the station, write its own journal on NFS.
 * Without a journal of its own it does nothing: a start that is not marked would be made twice.
 */
#include "box/ask.h"
#include "box/next.h"
#include "common/clock.h"
#include "common/journal.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define JOURNAL_MS 10000
#define START_MS 2000
#define UNIX_MS_SANE 1577836800000ull /* 2020: a clock before that is not set */

static uint64_t at_ms(void)
{
	uint64_t now = clock_unix_ms();

	return now < UNIX_MS_SANE ? 0 : now;
}

static long format_state(unsigned line, uint32_t tag, int state, const char *name, char *out, size_t size)
{
	struct journal_entry e = {.line = line, .tag = tag, .state = (enum journal_state_id)state, .name = name};

	return journal_format(&e, "box", at_ms(), out, size);
}

int next_journal(struct box *b, unsigned line, uint32_t tag, int state, const char *name)
{
	char text[512];
	long len = format_state(line, tag, state, name, text, sizeof text);

	return len < 0 ? (int)len : sink_nfs_journal(&b->nfs, text, (size_t)len, JOURNAL_MS);
}

static enum next_answer merge(struct box *b, const struct plan *p, struct journal *j, const char *path, int nfs_only, int optional)
{
	char *text = NULL;
	size_t len = 0;
	enum next_answer r = next_fetch_text(b, path, nfs_only, optional, &text, &len);

	if (r == NEXT_OK)
		journal_merge(j, p, text, len);
	free(text);
	return r;
}

unsigned next_self(struct box *b, const struct plan *p)
{
	char path[256], line_text[512];
	struct journal *j = malloc(sizeof *j);
	unsigned line = 0;

	if (!j)
		return 0;
	journal_init(j);
	snprintf(path, sizeof path, "sweeps/%s/journal", b->job.sweep);
	enum next_answer r = merge(b, p, j, path, 0, 0);
	snprintf(path, sizeof path, "results/%s/%s/journal", b->job.sweep, b->job.box);
	if (r == NEXT_OK)
		r = merge(b, p, j, path, 1, 1);
	if (r == NEXT_OK && j->control == JOURNAL_RUN)
		line = journal_next(j, p);
	free(j);
	const struct plan_try *t = line ? plan_try_by_line(p, line) : NULL;
	if (!t)
		return 0;
	long len = journal_format_control(JOURNAL_SELF, "box", at_ms(), line_text, sizeof line_text);
	if (len < 0 || sink_nfs_journal(&b->nfs, line_text, (size_t)len, JOURNAL_MS) < 0)
		return 0;
	return next_journal(b, line, t->tag, JOURNAL_GO, NULL) < 0 ? 0 : line;
}

enum journal_guard next_guard_of(const struct plan *p, const char *own_kernel, const char *next_kernel, const char *carries_s)
{
	const struct plan_expect *own = plan_expect(p, own_kernel), *next = plan_expect(p, next_kernel);

	if (!own || !next || !own->watchdog[0] || strcmp(own->watchdog, next->watchdog) != 0 || strtoul(carries_s, NULL, 10) < p->jump_s)
		return JOURNAL_GUARD_STATION;
	return JOURNAL_GUARD_WATCHDOG;
}

enum journal_guard next_guard(const struct box *b, const struct plan *p, const struct plan_try *t)
{
	char carries_s[16], own[PLAN_ID_MAX + 1];

	box_boot_value("carries_s", carries_s, sizeof carries_s);
	if (b->job.role == JOB_SUBJECT)
		snprintf(own, sizeof own, "%.*s", (int)strcspn(b->job.subject, "/"), b->job.subject);
	else
		snprintf(own, sizeof own, "%s", p->home);
	return next_guard_of(p, own, p->subject[t->subject].kernel, carries_s);
}

int next_may_jump(struct box *b, const struct plan_try *t, enum journal_guard guard, int self)
{
	const struct journal_entry e = {.line = t->line, .tag = t->tag, .state = JOURNAL_START, .guard = guard};
	char text[512];
	long len = journal_format(&e, "box", at_ms(), text, sizeof text), id;
	unsigned quiet_ms = b->job.jump_s * 1000;

	if (self) {
		/* Nobody answers; the record is for whoever listens without speaking. */
		struct kv_out *o = records_begin(&b->rec, "jump", NULL);
		kv_out_u64(o, "line", t->line);
		kv_out_hex32(o, "tag", t->tag);
		kv_out_u64(o, "quiet_ms", quiet_ms);
		kv_out_str(o, "guard", journal_guard_name(guard));
		records_end(&b->rec);
		return len > 0 && sink_nfs_journal(&b->nfs, text, (size_t)len, JOURNAL_MS) == 0;
	}
	/* The box's own journal meanwhile, where there is one. */
	id = len > 0 ? sink_nfs_journal_start(&b->nfs, text, (size_t)len) : len;
	int answered = ask_jump(b, t->line, t->tag, quiet_ms, guard) == 0;
	int written = id > 0 && sink_nfs_wait(&b->nfs, (unsigned)id, b->nfs.late ? 0 : START_MS) == 0;
	return answered || written;
}
