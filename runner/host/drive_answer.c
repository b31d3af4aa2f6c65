/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * drive_answer: the three questions of a box (bye, ask, jump) and what is answered. For the past a
 * jump leaves its mark, and a bye that holds completes its try; nothing else is judged; and no answer is given once a mark could not be written.
 */
#include <stdio.h>
#include <string.h>

#include "host/drive.h"

/* line: of the jump that may be made; 0: to a bye. A late one to a bye must not let a box jump whose start is in no journal. */
static int answer_ok(const struct drive *d, unsigned line, struct command *answer)
{
	if (d->err)
		return 0;
	*answer = (struct command){.tag = d->cur.tag, .verb = COMMAND_OK, .line = line};
	return 1;
}

/*
 * Asks for records below end that are missing, as many as one command can name. A list that brought nothing was too long for a bad line, where
 * a short command comes through more often: it is halved, and doubled when something came.
 */
static int answer_again(struct drive *d, uint32_t end, struct command *answer)
{
	uint32_t seq[256];
	size_t n = try_missing_below(&d->cur, end, seq, sizeof(seq) / sizeof(seq[0]), NULL);

	*answer = (struct command){.tag = d->cur.tag, .verb = COMMAND_AGAIN};
	if (!d->again_room || d->cur.news != d->again_news) {
		d->again_room = d->again_room ? d->again_room * 2 : sizeof(answer->what);
		d->again_rounds = 0;
	} else {
		d->again_room /= 2;
	}
	if (d->again_room > sizeof(answer->what))
		d->again_room = sizeof(answer->what);
	if (d->again_room < DRIVE_AGAIN_ROOM)
		d->again_room = DRIVE_AGAIN_ROOM;
	d->again_news = d->cur.news;
	while (n && record_ranges_format(answer->what, d->again_room, seq, n) < 0)
		n--;
	d->again_rounds++;
	return n > 0;
}

/* May it be asked for once more? Rounds that brought something are not counted. */
static int may_ask_again(const struct drive *d) { return d->again_rounds < DRIVE_AGAIN_MAX || d->cur.news != d->again_news; }

/* 1: the other channel has not all yet, but may have in a moment; the box will ask again. */
static int wait_for_nfs(struct drive *d)
{
	size_t by_nfs = try_count(&d->cur, STORE_NFS);

	if (!d->live || !by_nfs || by_nfs >= d->cur.count)
		return 0;
	if (!d->bye_ms)
		d->bye_ms = d->now_ms;
	return d->now_ms - d->bye_ms < DRIVE_NFS_MS;
}

/* Home's own records count for nothing, but are kept; a gap in them holds nothing up for long. */
static int home_bye(struct drive *d, struct command *answer)
{
	if (!d->live)
		return 0;
	if (try_count(&d->cur, STORE_NFS) < d->cur.count)
		drive_merge_nfs(d, &d->cur);
	if (try_state(&d->cur) == TRY_GAPS && (d->box == DRIVE_CRASH ? may_ask_again(d) : d->again_rounds < 3))
		return answer_again(d, d->cur.count, answer);
	if (!d->bye_ms) {
		d->bye_ms = d->now_ms;
		d->err = d->ops.store(d->ops.ctx, &d->cur, 0);
		drive_crash_pstore(d);
	}
	drive_crash_late(d);
	drive_crash_judge(d);
	return answer_ok(d, 0, answer);
}

static int settle_bye(struct drive *d, struct command *answer)
{
	switch (try_state(&d->cur)) {
	case TRY_OPEN: /* a bye that could not be understood */
		return 0;
	case TRY_GAPS:
		if (!d->live)
			return 0; /* it may still be asked */
		if (may_ask_again(d))
			return answer_again(d, d->cur.count, answer);
		drive_complete(d, d->line, &d->cur);
		break;
	case TRY_DIFFER:
		d->err = d->ops.store(d->ops.ctx, &d->cur, d->line);
		drive_void(d, d->line, d->cur.second_hello ? "second-hello" : "differ");
		break;
	case TRY_DIGEST:
		drive_void(d, d->line, "digest");
		break;
	case TRY_WHOLE:
		if (wait_for_nfs(d))
			return 0;
		drive_complete(d, d->line, &d->cur);
	}
	return answer_ok(d, 0, answer);
}

int drive_on_bye(struct drive *d, struct command *answer)
{
	if (!d->line)
		return home_bye(d, answer);
	if (journal_state(d->journal, d->line) >= JOURNAL_FAILED)
		return answer_ok(d, 0, answer);
	if (try_count(&d->cur, STORE_NFS) < d->cur.count)
		drive_merge_nfs(d, &d->cur);
	return settle_bye(d, answer);
}

static void note_repeat(struct drive *d, unsigned next)
{
	if (d->go.line != next || d->go_tag != d->cur.tag) {
		d->go_repeats = 0;
		return;
	}
	d->go_repeats++;
	if (d->go_repeats >= 2 && !d->waiting_network) {
		d->waiting_network = 1;
		drive_say(d, DRIVE_SAY_WARN, next, "waiting: network (the box cannot fetch what it was told to)");
	}
}

/* It asks what is next, and its bye, or more, has not come (nobody listened, or a bad line): what there is of its try is asked for first. */
static int answer_ask_again(struct drive *d, uint32_t seq, struct command *answer)
{
	drive_merge_nfs(d, &d->cur);
	switch (try_state(&d->cur)) {
	case TRY_OPEN: /* its bye is one of those before this question */
		return may_ask_again(d) && answer_again(d, seq, answer);
	case TRY_GAPS:
		return may_ask_again(d) && answer_again(d, d->cur.count, answer);
	default:
		return 0;
	}
}

int drive_on_ask(struct drive *d, const struct record *r, struct command *answer)
{
	unsigned next;

	if (d->go.verb == COMMAND_GO && d->go_tag == r->tag && d->go_seq == r->seq && journal_state(d->journal, d->go.line) <= JOURNAL_START) {
		*answer = d->go;
		return 1;
	}
	drive_crash_judge(d);
	if (d->line && !drive_final(d, d->line)) {
		if (answer_ask_again(d, r->seq, answer))
			return 1;
		drive_conclude(d, d->line, "no-progress", "asks without a bye", NULL);
	}
	if (d->err)
		return 0;
	if (d->journal->paused || (d->hold_tag == r->tag && d->hold_seq == r->seq))
		return drive_answer_hold(d, r, answer);
	d->hold_tag = 0;
	next = journal_next(d->journal, d->plan);
	if (!next) {
		d->ended = 1;
		*answer = (struct command){.tag = r->tag, .verb = COMMAND_HOLD};
		return 1;
	}
	note_repeat(d, next);
	if (journal_state(d->journal, next) < JOURNAL_GO)
		drive_mark(d, next, JOURNAL_GO, NULL, NULL);
	if (d->err)
		return 0;
	d->go = (struct command){.tag = r->tag, .verb = COMMAND_GO, .line = next, .next_tag = plan_try_by_line(d->plan, next)->tag};
	d->go_tag = r->tag;
	d->go_seq = r->seq;
	*answer = d->go;
	return 1;
}

int drive_on_jump(struct drive *d, const struct record *r, struct command *answer)
{
	const struct plan_try *t;
	uint64_t line, quiet = 0;
	uint32_t tag;

	if (kv_u64(&r->kv, "line", &line) || kv_hex32(&r->kv, "tag", &tag) || line > PLAN_TRIES_MAX)
		return 0;
	t = plan_try_by_line(d->plan, (unsigned)line);
	if (!t || t->tag != tag)
		return 0;
	if (journal_state(d->journal, t->line) > JOURNAL_START)
		return 0; /* it has been there: never twice */
	d->guard = journal_guard_parse(kv_get(&r->kv, "guard"));
	if (d->live)
		drive_entry(d, t->line, d->cur.tag);
	if (!d->err && journal_state(d->journal, t->line) < JOURNAL_START)
		drive_mark(d, t->line, JOURNAL_START, NULL, NULL);
	if (d->err)
		return 0;
	kv_u64(&r->kv, "quiet_ms", &quiet);
	if (d->box != DRIVE_JUMPING || d->jump_line != t->line)
		drive_crash_begin(d);
	d->jump_ms = d->now_ms; /* a repeat: it has not gone yet */
	d->text_since_jump = 0;
	d->box = DRIVE_JUMPING;
	d->jump_line = t->line;
	d->quiet_ms = quiet;
	d->jump_stamp_ms = r->ms;
	d->waiting_network = 0;
	d->go_repeats = 0;
	return answer_ok(d, t->line, answer);
}
