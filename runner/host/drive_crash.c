/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * drive_crash: a kernel that has died, and what is known of why: from the console while it died, and from the crash kernel that comes up in
 * its place, whose hello alone makes the try failed.
 *
 * The name (panic, oops) is marked once and for all, because in a journal the first in rank wins; so a crash kernel's hello is marked only
 * when its bye has come or will not come any more, and the dead kernel's own words have been read.
 */
#include <stdio.h>
#include <string.h>

#include "common/trace.h"
#include "host/drive.h"

#define DMESG_MAX 65536

void drive_crash_begin(struct drive *d)
{
	trace_init(&d->trace);
	d->trace_line = 0;
}

/* Marks it under what the trace says; a second time only where there is more to say. */
static void mark(struct drive *d, unsigned line, const struct trace *t)
{
	char why[TRACE_WHY_MAX];

	trace_why(t, why, sizeof(why));
	int again = journal_state(d->journal, line) == JOURNAL_FAILED;
	if (again && (!*why || (line == d->why_line && !strcmp(why, d->trace_why))))
		return;
	d->why_line = line;
	snprintf(d->trace_why, sizeof(d->trace_why), "%s", why);
	if (again)
		drive_mark(d, line, JOURNAL_FAILED, trace_name(t), why);
	else
		drive_fail(d, line, trace_name(t), *why ? why : NULL);
}

void drive_crash_text(struct drive *d, const char *s, size_t len)
{
	unsigned line = drive_running(d);

	if (trace_feed(&d->trace, s, len) && !d->panic_ms) {
		d->panic_ms = d->now_ms ? d->now_ms : 1;
		drive_entry(d, 0, 0);
		if (line && !drive_final(d, line)) {
			d->trace_line = line; /* what the trace says besides is to be marked too */
			mark(d, line, &d->trace);
		}
	} else if (d->trace_line && d->trace.done) {
		line = d->trace_line;
		d->trace_line = 0;
		mark(d, line, &d->trace);
	}
}

int drive_crash_hello(struct drive *d, const struct record *r, int live)
{
	const struct plan_try *t;
	uint32_t of;

	d->crash_line = 0;
	d->crash_tag = r->tag;
	t = kv_hex32(&r->kv, "of", &of) ? NULL : plan_try_by_tag(d->plan, of);
	if (!t)
		return 0;
	if (journal_state(d->journal, t->line) < JOURNAL_GO || journal_state(d->journal, t->line) >= JOURNAL_COMPLETE)
		return 1;
	d->crash_line = t->line;
	if (live && d->cur.tag == t->tag) /* what the console has brought of it is only here */
		drive_store_failed(d, t->line);
	return 1;
}

void drive_crash_late(struct drive *d)
{
	const char *role;
	struct record r;

	if (d->box == DRIVE_CRASH || try_record(&d->cur, 0, &r) || strcmp(r.kv.word, "hello"))
		return;
	role = kv_get(&r.kv, "role");
	if (!role || strcmp(role, "crash"))
		return;
	d->box = DRIVE_CRASH;
	drive_crash_hello(d, &r, 0);
}

/* The dead kernel's log, as far as it has come, to the trace. */
static void read_dmesg(const struct try *t, struct trace *trace)
{
	static char text[DMESG_MAX];
	long n = try_text(t, "dmesg", text, sizeof(text));

	trace_init(trace);
	if (n > 0)
		trace_feed_text(trace, text, (size_t)n);
}

/* What home has found of kernels that died before it: they panicked, whatever was thought of them. */
void drive_crash_pstore(struct drive *d)
{
	static char text[DMESG_MAX];
	const struct plan_try *t;
	struct trace trace;
	const char *name;
	struct record r;
	uint32_t of;

	for (long seq = -1; (seq = try_find(&d->cur, "text", (uint32_t)(seq + 1), &r)) >= 0;) {
		name = kv_get(&r.kv, "name");
		t = !name || strncmp(name, "pstore-", 7) || kv_hex32(&r.kv, "of", &of) ? NULL : plan_try_by_tag(d->plan, of);
		if (!t || journal_state(d->journal, t->line) != JOURNAL_FAILED)
			continue;
		long n = try_text(&d->cur, name, text, sizeof(text));
		trace_init(&trace);
		if (n > 0)
			trace_feed_text(&trace, text, (size_t)n);
		if (trace.panicked)
			mark(d, t->line, &trace);
	}
}

void drive_crash_judge(struct drive *d)
{
	struct try other, *t = &d->cur;
	unsigned line = d->crash_line;
	struct trace trace;

	d->crash_line = 0;
	if (!line || d->err)
		return;
	if (d->cur.tag != d->crash_tag) {
		t = &other;
		try_init(t, d->crash_tag);
	}
	drive_merge_nfs(d, t);
	read_dmesg(t, &trace);
	if (!d->err && try_count(t, STORE_BOTH) && (t == &other || !d->bye_ms)) /* its bye has filed it */
		d->err = d->ops.store(d->ops.ctx, t, 0);
	if (!d->err)
		mark(d, line, &trace);
	if (t == &other)
		try_free(t);
}
