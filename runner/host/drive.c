/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * drive: see drive.h. Here: who speaks, what it says, and the limits of silence. drive_answer.c has the questions, drive_try.c
 * what becomes of a try.
 */
#include <stdlib.h>
#include <string.h>

#include "common/err.h"
#include "host/drive.h"

void drive_init(struct drive *d, const struct drive_ops *ops, struct plan *p, struct journal *j, uint64_t now_ms)
{
	memset(d, 0, sizeof(*d));
	d->ops = *ops;
	d->plan = p;
	d->journal = j;
	d->now_ms = d->heard_ms = d->progress_ms = now_ms;
}

void drive_free(struct drive *d) { try_free(&d->cur); }

unsigned drive_running(const struct drive *d) { return d->box == DRIVE_JUMPING ? d->jump_line : d->box == DRIVE_SUBJECT ? d->line : 0; }

void drive_bytes(struct drive *d, uint64_t now_ms) { d->now_ms = d->heard_ms = now_ms; }

/* Every line that was started, but the one that speaks and the one that a crash kernel speaks of, is over. */
static void settle(struct drive *d, unsigned but, const char *name, const char *reset)
{
	size_t n = d->plan->tries; /* lines that are appended on the way have not started */

	for (size_t i = 0; i < n && !d->err; i++) {
		unsigned line = d->plan->try[i].line;
		enum journal_state_id s = journal_state(d->journal, line);

		if (line != but && line != d->crash_line && (s == JOURNAL_START || s == JOURNAL_HELLO))
			drive_conclude(d, line, name, NULL, reset);
	}
}

/* A tag speaks that is not the one that spoke before. 0: it is none of this sweep's. */
static int switch_to(struct drive *d, const struct record *r, int live)
{
	const struct plan_try *t = plan_try_by_tag(d->plan, r->tag);
	unsigned line = t ? t->line : 0;
	int hello = !strcmp(r->kv.word, "hello");
	const char *role = hello ? kv_get(&r->kv, "role") : NULL, *box = hello ? kv_get(&r->kv, "box") : NULL;
	int crash = role && !strcmp(role, "crash");

	if ((!t && !(r->tag & RECORD_TAG_BOX)) || r->tag == d->refused_tag) {
		d->unknown++;
		return 0;
	}
	if (box && strcmp(box, d->plan->box)) {
		d->refused_tag = r->tag;
		drive_say(d, DRIVE_SAY_WARN, line, "wrong-box: what speaks on this console says it is another box");
		return 0;
	}
	if (live && hello && !t && !crash)
		drive_jump_home(d, r);
	if (live)
		drive_crash_judge(d); /* the crash kernel that spoke before has said what it had to say */
	int of = crash && drive_crash_hello(d, r, live);
	if (live) {
		const char *reset = hello ? kv_get(&r->kv, "reset") : NULL;

		/*
		 * A subject was jumped into: what was before it went no further than its own kernel. Where a crash kernel says which one panicked,
		 * the others are those that were to follow: their jump came to nothing.
		 */
		settle(d, line, !crash ? NULL : of ? "jump" : "panic", t ? NULL : reset ? reset : "unknown");
	}
	try_free(&d->cur);
	drive_crash_begin(d);
	try_init(&d->cur, r->tag);
	d->line = line;
	d->box = t ? DRIVE_SUBJECT : crash ? DRIVE_CRASH : DRIVE_HOME;
	d->jump_line = 0;
	if (live)
		drive_entry(d, 0, 0);
	d->hold_tag = 0;
	d->panic_ms = d->bye_ms = d->deadline_ms = d->quiet_ms = d->gather_ms = 0;
	d->boot_ms = d->progress_ms = d->now_ms;
	d->question_seq = 0;
	d->told = NULL;
	d->again_rounds = d->cycles = d->tests_done = 0;
	d->again_news = d->again_room = 0;
	d->lost = 0;
	d->test[0] = 0;
	if (live && !t)
		drive_say(d, DRIVE_SAY_NOTE, 0, crash ? "crash kernel up" : "up");
	return 1;
}

/* hello and ident are both there: the try is at `hello`, or proven wrong. */
static void check_hello(struct drive *d)
{
	struct record r;
	const char *wrong;

	if (!d->line || journal_state(d->journal, d->line) >= JOURNAL_HELLO)
		return;
	if (!d->cur.ident || try_record(&d->cur, 0, &r) || strcmp(r.kv.word, "hello"))
		return;
	wrong = drive_wrong_kernel(d, d->line, &d->cur, 0);
	if (!wrong) {
		drive_mark(d, d->line, JOURNAL_HELLO, NULL, NULL);
		if (!drive_came_off_path(d, d->line, &d->cur)) /* the switch works, whatever becomes of this boot */
			d->culprits = d->off_path = 0;
		return;
	}
	drive_mark(d, d->line, JOURNAL_FAILED, "wrong-kernel", wrong);
	drive_void(d, d->line, "wrong-kernel");
}

static void on_begin(struct drive *d, const struct record *r)
{
	const char *test = kv_get(&r->kv, "test");

	d->deadline_ms = 0;
	kv_u64(&r->kv, "deadline_ms", &d->deadline_ms);
	d->test_ms = d->now_ms;
	d->test_quiet_ms = d->quiet_ms;
	d->test[0] = 0;
	if (test && kv_is_id(test))
		memcpy(d->test, test, strlen(test) + 1);
}

/* A test that did not pass is said while there is something to be done about it: once a test, subject and status. */
static void on_end(struct drive *d, const struct record *r)
{
	static const char *const bad[] = {"fail", "crash", "timeout", NULL};
	const struct plan_try *t = plan_try_by_line(d->plan, d->line);
	const char *test = kv_get(&r->kv, "test"), *status = kv_get(&r->kv, "status"), *reason = kv_get(&r->kv, "reason");
	char clean[DRIVE_REASON_BYTES];
	size_t i = 0, k = 0;

	if (!t || !test || !status)
		return;
	while (i < d->plan->tests && strcmp(test, d->plan->test[i].name) != 0)
		i++;
	while (bad[k] && strcmp(status, bad[k]) != 0)
		k++;
	if (i == d->plan->tests || !bad[k])
		return;
	drive_failed(d, d->line, test, status);
	if (d->bad_said[t->subject][i] & 1u << k)
		return;
	d->bad_said[t->subject][i] |= (unsigned char)(1u << k);
	err_clean(clean, sizeof(clean), reason ? reason : "");
	drive_say(d, DRIVE_SAY_WARN, d->line, "%s %s%s%s", test, status, *clean ? ": " : "", clean);
}

/* A failure that the box reports of another line. */
static void on_fail(struct drive *d, const struct record *r)
{
	const char *name = kv_get(&r->kv, "name");
	const struct plan_try *t;
	enum journal_state_id s;
	uint32_t of;

	if (!name || kv_hex32(&r->kv, "of", &of))
		return;
	t = plan_try_by_tag(d->plan, of);
	s = t ? journal_state(d->journal, t->line) : JOURNAL_PLANNED;
	if (s < JOURNAL_GO || s == JOURNAL_NOT_RUN || s >= JOURNAL_COMPLETE)
		return;
	if (d->box == DRIVE_CRASH && t->line == d->crash_line)
		return; /* its own dmesg says more */
	d->recovered = 1;
	if (strcmp(name, "fetch")) {
		drive_fail(d, t->line, name, NULL);
		return;
	}
	if (!d->waiting_network)
		drive_say(d, DRIVE_SAY_WARN, t->line, "waiting: network (the box cannot fetch it)");
	d->waiting_network = 1;
}

static void take(struct drive *d, const struct record *r)
{
	const char *kind = r->kv.word;
	uint64_t quiet;

	if (!kv_u64(&r->kv, "quiet_ms", &quiet))
		d->quiet_ms = quiet < 86400000 ? quiet : 86400000;
	else if (!strcmp(kind, "phase")) /* what the phase before it announced is over */
		d->quiet_ms = d->test_quiet_ms;
	if (!strcmp(kind, "begin"))
		on_begin(d, r);
	if (!strcmp(kind, "end")) {
		d->test[0] = 0;
		d->deadline_ms = d->quiet_ms = d->test_quiet_ms = 0;
		d->tests_done++;
		if (d->live)
			on_end(d, r);
	}
	if (!strcmp(kind, "fail") && d->live)
		on_fail(d, r);
	if (d->cur.second_hello && d->line && journal_state(d->journal, d->line) < JOURNAL_VOID)
		drive_void(d, d->line, "second-hello");
	if (!strcmp(kind, "hello") || !strcmp(kind, "ident"))
		check_hello(d);
}

/* Before it is taken: is this a new record of the kinds that mark the way of a boot, or a question that was not asked before? */
static int is_step(struct drive *d, const struct record *r)
{
	static const char *const way[] = {"hello", "ident", "begin", "phase", "end", "bye"};

	if (!strcmp(r->kv.word, "ask") || !strcmp(r->kv.word, "jump")) {
		if (r->seq <= d->question_seq)
			return 0;
		d->question_seq = r->seq;
		return 1;
	}
	for (size_t i = 0; i < sizeof(way) / sizeof(way[0]); i++)
		if (!strcmp(r->kv.word, way[i]))
			return r->seq >= d->cur.slots || !d->cur.slot[r->seq].line;
	return 0;
}

/* The box gets on with a step, or with a lost record that is there at last. Remarks, metrics and repeats alone are talk. */
static void take_in(struct drive *d, const struct record *r, const char *line, enum store_channel ch)
{
	size_t before, after;
	int step = is_step(d, r), had_bye = d->cur.bye;

	try_missing(&d->cur, NULL, 0, &before);
	try_add(&d->cur, r, line, ch);
	try_missing(&d->cur, NULL, 0, &after);
	if (!step && !(had_bye && after < before))
		return;
	d->progress_ms = d->now_ms;
	d->gather_ms = 0;
}

int drive_record(struct drive *d, const struct record *r, const char *line, enum store_channel ch, int live, struct command *answer)
{
	const char *kind = r->kv.word;

	d->live = live;
	if (d->err || (d->cur.tag != r->tag && !switch_to(d, r, live)))
		return 0;
	take_in(d, r, line, ch);
	if (d->box == DRIVE_JUMPING && strcmp(kind, "jump")) /* it has not jumped after all */
		d->box = d->line ? DRIVE_SUBJECT : DRIVE_HOME;
	take(d, r);
	if (d->err)
		return 0;
	if (!strcmp(kind, "jump"))
		return drive_on_jump(d, r, answer) && live;
	if (!strcmp(kind, "bye")) {
		d->test[0] = 0;
		d->deadline_ms = d->quiet_ms = 0;
		return drive_on_bye(d, answer) && live;
	}
	if (!strcmp(kind, "ask") && live)
		return drive_on_ask(d, r, answer);
	return 0;
}

/* May a question under this tag, which did not speak last, be believed? Late ones of a kernel that is gone must not. */
static int may_speak(struct drive *d, uint32_t tag)
{
	const struct plan_try *t = plan_try_by_tag(d->plan, tag);
	const char *box = NULL;
	struct record r;
	struct try seen;
	int yes;

	if (tag == d->cur.tag)
		return 1;
	if (t)
		return journal_state(d->journal, t->line) >= JOURNAL_GO && !drive_final(d, t->line);
	if (!(tag & RECORD_TAG_BOX) || (d->cur.tag && d->now_ms - d->heard_ms < DRIVE_DEAF_MS))
		return 0;
	try_init(&seen, tag);
	drive_merge_nfs(d, &seen);
	if (!try_record(&seen, 0, &r) && !strcmp(r.kv.word, "hello"))
		box = kv_get(&r.kv, "box");
	yes = box && !strcmp(box, d->plan->box);
	try_free(&seen);
	return yes;
}

int drive_question(struct drive *d, const char *text, size_t len, struct command *answer)
{
	long at = record_find(text, len);
	struct record r;
	char line[RECORD_MAX + 1];

	if (at < 0 || record_parse(&r, text + at, len - (size_t)at) || !may_speak(d, r.tag))
		return 0;
	if (strcmp(r.kv.word, "bye") && strcmp(r.kv.word, "ask") && strcmp(r.kv.word, "jump"))
		return 0;
	memcpy(line, text + at, r.len);
	line[r.len] = 0;
	d->heard_ms = d->now_ms; /* its line may be dead */
	return drive_record(d, &r, line, STORE_NFS, 1, answer);
}

/* What says, without a record, why the box is about to be reset. */
static void last_words(struct drive *d, const char *s, size_t len)
{
	static const struct {
		const char *text, *name;
	} words[] = {{"kd-init: no runner left", "runner"},
	             {"softdog: Initiating system reboot", "hang"},
	             {"SoftDog: Initiating system reboot", "hang"}};

	for (size_t i = 0; i < sizeof(words) / sizeof(words[0]); i++)
		if (memmem(s, len, words[i].text, strlen(words[i].text)))
			d->told = words[i].name;
}

void drive_text(struct drive *d, const char *s, size_t len)
{
	drive_jump_text(d, s, len);
	last_words(d, s, len);
	drive_crash_text(d, s, len);
}

void drive_live(struct drive *d, int cold)
{
	d->heard_ms = d->test_ms = d->jump_ms = d->boot_ms = d->progress_ms = d->now_ms;
	if (cold || d->cur.tag != d->crash_tag)
		drive_crash_judge(d);
	if (!cold) {
		d->after_power |= d->journal->after_power;
		if (d->cur.tag)
			settle(d, drive_running(d), NULL, NULL);
		drive_mend(d);
		drive_entry_begin(d);
		return;
	}
	settle(d, 0, NULL, "cold");
	drive_mend(d);
	d->after_power = 1;
	try_free(&d->cur);
	d->line = d->jump_line = 0;
	d->panic_ms = 0;
	d->test[0] = 0;
	d->deadline_ms = d->quiet_ms = 0;
	d->box = DRIVE_UNKNOWN;
	drive_entry_begin(d);
}
