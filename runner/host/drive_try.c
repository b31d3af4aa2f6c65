/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * drive_try: what becomes of a try: complete, failed under a name, void, not-run; and whether the boot is tried again.
 *
 * Order is all: records are filed and fsynced before `complete` or `failed` is journalled, so that what is complete is in the store; after a
 * crash in between they are filed again, and ops.store must leave out what is there.
 */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "common/sha256.h"
#include "host/drive.h"

int drive_final(const struct drive *d, unsigned line)
{
	enum journal_state_id s = journal_state(d->journal, line);

	return s == JOURNAL_NOT_RUN || s >= JOURNAL_FAILED;
}

void drive_mark(struct drive *d, unsigned line, enum journal_state_id s, const char *name, const char *why)
{
	const struct plan_try *t = plan_try_by_line(d->plan, line);
	struct journal_entry e = {.line = line, .state = s, .name = name, .why = why};

	if (s == JOURNAL_START)
		e.guard = d->guard;

	if (!t || d->err)
		return;
	e.tag = t->tag;
	if ((s == JOURNAL_FAILED || s == JOURNAL_NOT_RUN) && journal_state(d->journal, line) < s)
		d->ops.evidence(d->ops.ctx, line, s == JOURNAL_FAILED ? name : journal_state_name(s), why);
	d->err = d->ops.journal(d->ops.ctx, &e);
	if (d->err)
		return;
	journal_apply(d->journal, &e, 0);
	d->recovered |= s == JOURNAL_NOT_RUN || s == JOURNAL_FAILED || s == JOURNAL_VOID;
	if (s != JOURNAL_GO && s != JOURNAL_START)
		drive_say(d, DRIVE_SAY_STATE, line, "%s%s%s%s%s", journal_state_name(s), name ? ":" : "", name ? name : "", why ? " " : "",
		          why ? why : "");
	if (s == JOURNAL_FAILED)
		drive_failed(d, line, "the try", name);
}

void drive_merge_nfs(struct drive *d, struct try *t)
{
	size_t len = 0;
	char *text = d->ops.nfs_text(d->ops.ctx, t->tag, &len);

	if (text)
		try_add_text(t, text, len, STORE_NFS);
	free(text);
}

/*
 * Another line for the boot, where it may have one and none is waiting. Void ones are not the subject's fault (a stop, off its path), so
 * they have a bound of their own.
 */
static void again(struct drive *d, unsigned line, const char *why)
{
	const struct plan_try *t = plan_try_by_line(d->plan, line);
	unsigned lines = 0, voids = 0, boot;
	int err;

	if (!t || d->err || journal_boot_complete(d->journal, d->plan, t->boot, NULL))
		return;
	boot = t->boot;
	for (size_t i = 0; i < d->plan->tries; i++) {
		if (d->plan->try[i].boot != boot)
			continue;
		if (!drive_final(d, d->plan->try[i].line))
			return;
		voids += journal_state(d->journal, d->plan->try[i].line) == JOURNAL_VOID;
		lines++;
	}
	if (lines - voids >= d->plan->tries_max || voids >= DRIVE_VOIDS_MAX) {
		if (!d->mending)
			drive_say(d, DRIVE_SAY_WARN, line, "given up after %u tries", lines);
		return;
	}
	err = d->ops.append_try(d->ops.ctx, line, why);
	if (err != -E2BIG) {
		d->err = err;
		return;
	}
	if (!d->full)
		drive_say(d, DRIVE_SAY_WARN, line,
		          "the schedule has its %u lines: boots that fail from here on are not tried again; make a sweep of fewer rounds",
		          PLAN_TRIES_MAX);
	d->full = 1;
}

/* By the journal, so that a station that was started anew counts as one that was not. */
static int may_replace(const struct drive *d)
{
	unsigned n = 0;

	for (size_t i = 0; i < d->plan->tries; i++)
		n += d->journal->try[d->plan->try[i].line].void_bounded != 0;
	return n <= d->plan->rounds;
}

static int is_last(const struct drive *d, size_t at)
{
	for (size_t i = at + 1; i < d->plan->tries; i++)
		if (d->plan->try[i].boot == d->plan->try[at].boot)
			return 0;
	return 1;
}

void drive_mend(struct drive *d)
{
	size_t n = d->plan->tries;

	d->mending = 1;
	for (size_t i = 0; i < n && !d->err; i++) {
		unsigned line = d->plan->try[i].line;

		if (drive_final(d, line) && is_last(d, i) && (!d->journal->try[line].void_bounded || may_replace(d)))
			again(d, line, journal_state(d->journal, line) == JOURNAL_VOID ? "replace" : "again");
	}
	d->mending = 0;
}

void drive_stop(struct drive *d)
{
	unsigned line = drive_running(d);

	drive_crash_judge(d);
	if (!line || d->err || drive_final(d, line) || journal_state(d->journal, line) < JOURNAL_START)
		return;
	if (d->cur.tag == plan_try_by_line(d->plan, line)->tag) {
		drive_merge_nfs(d, &d->cur);
		if (try_state(&d->cur) == TRY_WHOLE && drive_complete(d, line, &d->cur))
			return;
	}
	if (drive_final(d, line))
		return;
	drive_mark(d, line, JOURNAL_VOID, NULL, "stopped");
	again(d, line, "replace");
}

/* What there is of a try that failed says most about why. Not of another kernel: nothing is filed under what it is not. */
void drive_store_failed(struct drive *d, unsigned line)
{
	const struct plan_try *pt = plan_try_by_line(d->plan, line);
	struct try other, *t = &d->cur;

	if (!pt || d->err)
		return;
	if (d->cur.tag != pt->tag) {
		t = &other;
		try_init(t, pt->tag);
	}
	drive_merge_nfs(d, t);
	if ((t->bye || try_count(t, STORE_BOTH)) && !drive_wrong_kernel(d, line, t, 0))
		d->err = d->ops.store(d->ops.ctx, t, line);
	if (t == &other)
		try_free(t);
}

/* What failed says why the next boot will come off its path. */
static void blame(struct drive *d, unsigned line)
{
	const struct plan_try *t = plan_try_by_line(d->plan, line);

	if (t)
		d->culprits |= 1ull << t->subject;
}

static int quarantined(const struct drive *d, unsigned line)
{
	const struct plan_try *t = plan_try_by_line(d->plan, line);

	return t && journal_quarantined(d->journal, d->plan, t->subject);
}

void drive_fail(struct drive *d, unsigned line, const char *name, const char *why)
{
	int was;

	if (!line || journal_state(d->journal, line) >= JOURNAL_COMPLETE)
		return;
	if (journal_state(d->journal, line) < JOURNAL_FAILED) /* once: a second name for the failure brings no records */
		drive_store_failed(d, line);
	if (journal_failure_rank(name) == journal_failure_rank("")) /* unknown */
		name = "runner";
	was = quarantined(d, line);
	drive_mark(d, line, JOURNAL_FAILED, name, why);
	blame(d, line);
	if (!d->err && !was && quarantined(d, line))
		drive_say(d, DRIVE_SAY_WARN, line, "quarantined: %u tries of this subject failed in a row; the sweep goes on with the others",
		          d->plan->tries_max);
	again(d, line, "again");
}

void drive_void(struct drive *d, unsigned line, const char *why)
{
	if (!line || journal_state(d->journal, line) == JOURNAL_VOID)
		return;
	drive_mark(d, line, JOURNAL_VOID, NULL, why);
	if (may_replace(d))
		again(d, line, "replace");
	else
		drive_say(d, DRIVE_SAY_WARN, line, "not replaced: %u boots were already", d->plan->rounds);
}

static int same_start(const char *hex16, const char *text)
{
	char sha[65];

	sha256_hex(text, strlen(text), sha);
	return hex16 && strlen(hex16) == 16 && !memcmp(hex16, sha, 16);
}

const char *drive_wrong_kernel(const struct drive *d, unsigned line, const struct try *t, int full)
{
	const struct plan_try *pt = plan_try_by_line(d->plan, line);
	const struct plan_subject *s = pt ? &d->plan->subject[pt->subject] : NULL;
	const struct plan_expect *e = s ? plan_expect(d->plan, s->kernel) : NULL;
	struct record r;
	const char *rel, *cmd, *banner;
	char version[1024];

	if (!s || !e || !s->cmdline)
		return "nothing known of this line";
	if (try_find(t, "ident", 0, &r) < 0)
		return full ? "no ident" : NULL;
	rel = kv_get(&r.kv, "rel");
	cmd = kv_get(&r.kv, "cmd");
	if (!rel || strcmp(rel, e->release))
		return "another release";
	if (!same_start(cmd, s->cmdline))
		return "another command line";
	if (!full)
		return NULL;
	if (try_text(t, "version", version, sizeof(version)) < 0)
		return "no version";
	banner = strchr(version, '#');
	if (!banner || strcmp(banner, e->version))
		return "another version";
	return NULL;
}

static int is_discarded(const struct drive *d, unsigned line)
{
	const struct plan_try *pt = plan_try_by_line(d->plan, line);

	return pt && pt->discard;
}

/* A boot must be reached as the sweep says, or it is not like the others. */
int drive_came_off_path(const struct drive *d, unsigned line, const struct try *t)
{
	const char *start;
	struct record r;

	if (is_discarded(d, line) || try_record(t, 0, &r))
		return 0;
	start = kv_get(&r.kv, "start");
	if (start && !strcmp(start, "crash") && d->plan->sw == PLAN_CHAIN)
		return 0; /* a crash kernel jumps only where all of the machine is seen from it */
	return !start || strcmp(start, plan_switch_name(d->plan->sw));
}

/*
 * The first boot after a power cycle is discarded by design, whatever the switch: everything is cold. It is no sign of a bad switch, and
 * is followed by another line as often as a boot may have void ones.
 */
static void discard_cold(struct drive *d, unsigned line)
{
	d->after_power = 0;
	drive_mark(d, line, JOURNAL_VOID, NULL, "after-power-cycle");
	again(d, line, "replace");
}

/* Every subject that still runs has failed since the last boot that came as it should: then it is the switch, not the subjects. */
static int all_failed(const struct drive *d)
{
	for (unsigned s = 0; s < d->plan->subjects; s++)
		if (!(d->culprits >> s & 1) && !journal_quarantined(d->journal, d->plan, s))
			return 0;
	return 1;
}

/*
 * Home came in between. After a failure it had to, and what failed is bounded by itself; without one, `rounds` such boots in a sweep say
 * that the switch does not work.
 */
static void off_path(struct drive *d, unsigned line)
{
	int explained = d->recovered;

	drive_mark(d, line, JOURNAL_VOID, NULL, "off-path");
	again(d, line, "replace");
	d->recovered = 0;
	d->off_path++;
	d->strays += !explained;
	if (d->strays <= (d->plan->rounds ? d->plan->rounds : 1) && (d->off_path < DRIVE_OFF_PATH_MAX || (d->culprits && !all_failed(d))))
		return;
	drive_say(d, DRIVE_SAY_WARN, line,
	          "switch-broken: %u boots in a row did not come by %s, %u in all without a failure before them; try a board config with "
	          "switch = via-home",
	          d->off_path, plan_switch_name(d->plan->sw), d->strays);
	d->ended = 1;
}

/* Is there what says which kernel it was, and how it was reached? */
static int is_provable(const struct try *t)
{
	struct record r;
	char version[1024];

	return !try_record(t, 0, &r) && try_find(t, "ident", 0, &r) >= 0 && try_text(t, "version", version, sizeof(version)) >= 0;
}

int drive_complete(struct drive *d, unsigned line, struct try *t)
{
	int gaps = try_state(t) == TRY_GAPS;
	const char *wrong = drive_wrong_kernel(d, line, t, 1);

	if (gaps && !is_provable(t)) {
		drive_fail(d, line, "no-progress", "records-lost");
		return 0;
	}
	if (wrong) {
		if (journal_state(d->journal, line) < JOURNAL_VOID)
			drive_mark(d, line, JOURNAL_FAILED, "wrong-kernel", wrong);
		drive_void(d, line, "wrong-kernel");
		return 0;
	}
	if (d->after_power && !is_discarded(d, line)) {
		discard_cold(d, line);
		return 0;
	}
	if (drive_came_off_path(d, line, t)) {
		off_path(d, line);
		return 0;
	}
	d->off_path = d->after_power = d->recovered = 0;
	d->culprits = 0;
	d->err = d->err ? d->err : d->ops.store(d->ops.ctx, t, line);
	if (d->err)
		return 0;
	drive_mark(d, line, JOURNAL_COMPLETE, NULL, gaps ? "with-gaps" : NULL);
	return !d->err;
}

static unsigned not_runs(const struct drive *d, unsigned boot)
{
	unsigned n = 0;

	for (size_t i = 0; i < d->plan->tries; i++)
		n += d->plan->try[i].boot == boot && journal_state(d->journal, d->plan->try[i].line) == JOURNAL_NOT_RUN;
	return n;
}

/* reset: what home says of how it was reached, after a reset that was not the station's; NULL: the box has not been through its firmware. */
static const char *failure_name(const struct drive *d, unsigned line, const char *reset, const struct try *t)
{
	if (d->panic_ms && line == drive_running(d))
		return "panic";
	if (d->told && line == drive_running(d))
		return d->told;
	if (reset && !strcmp(reset, "watchdog"))
		return "hang";
	if (journal_state(d->journal, line) == JOURNAL_START)
		return "no-hello";
	return t->bye ? "no-progress" : reset ? "reset" : "runner";
}

void drive_conclude(struct drive *d, unsigned line, const char *name, const char *why, const char *reset)
{
	const struct plan_try *pt = plan_try_by_line(d->plan, line);
	struct try other, *t = &d->cur;
	int cold = reset && !strcmp(reset, "cold");

	if (!pt || d->err || drive_final(d, line))
		return;
	if (d->cur.tag != pt->tag) {
		t = &other;
		try_init(t, pt->tag);
	}
	drive_merge_nfs(d, t);
	if (try_state(t) == TRY_WHOLE || try_state(t) == TRY_GAPS) { /* it said bye: what is missing will not come any more */
		drive_complete(d, line, t);
	} else if (journal_state(d->journal, line) == JOURNAL_START && cold && !try_count(t, STORE_BOTH) && !d->text_since_jump &&
	           not_runs(d, pt->boot) < DRIVE_NOT_RUN_MAX) {
		drive_mark(d, line, JOURNAL_NOT_RUN, NULL, why);
		blame(d, line);
		again(d, line, "again");
	} else {
		drive_fail(d, line, name ? name : failure_name(d, line, reset, t), why);
	}
	if (t == &other)
		try_free(t);
}
