/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * next: the loop. It ends in a jump or, for what is not home, in a reset; home resets itself only where the firmware boots what is next. While
 * it waits it hears the network come and go, and asks again with a back-off from 5 s to 60 s.
 */
#include "box/next.h"
#include "box/ask.h"
#include "box/crash.h"
#include "box/look.h"
#include "common/clock.h"
#include "common/journal.h"

#include <errno.h>
#include <string.h>
#include <unistd.h>

#define BACKOFF_FIRST_MS 5000
#define BACKOFF_MAX_MS 60000
#define MISSES_MAX 3 /* of a stand-in: where a runner has died, what cannot be fetched may be the kernel's fault, and home waits as well */
#define JUMP_FLUSH_MS 2000

struct next {
	struct box *box;
	struct plan plan;
	int have_plan;
	uint64_t backoff_ms;
	int self, told;  /* of this turn: on its own; there is a line to go to */
	unsigned misses; /* turns that had one and did not get it */
	int death_said;
};

static void back_off(struct next *n)
{
	uint64_t until = clock_now_ms() + n->backoff_ms, now;
	int was_up = n->box->net.state == NET_UP;

	promise_say(&n->box->promise, n->backoff_ms + 60000);
	while ((now = clock_now_ms()) < until) {
		box_pump(n->box, until - now);
		if (!was_up && n->box->net.state == NET_UP) { /* what we may have waited for */
			n->backoff_ms = BACKOFF_FIRST_MS;
			return;
		}
	}
	n->backoff_ms = n->backoff_ms * 2 < BACKOFF_MAX_MS ? n->backoff_ms * 2 : BACKOFF_MAX_MS;
}

static void drop_plan(struct next *n)
{
	if (n->have_plan)
		plan_free(&n->plan);
	n->have_plan = 0;
}

static enum next_answer get_plan(struct next *n)
{
	if (n->have_plan)
		return NEXT_OK;
	enum next_answer r = next_fetch_plan(n->box, &n->plan);
	n->have_plan = r == NEXT_OK;
	return r;
}

/* The try of a go; the schedule is read again where it is not in the one we have. */
static enum next_answer find_try(struct next *n, unsigned line, uint32_t tag, const struct plan_try **t)
{
	for (int fresh = 0; fresh < 2; fresh++) {
		int had = n->have_plan;
		enum next_answer r = get_plan(n);

		if (r != NEXT_OK)
			return r;
		*t = plan_try_by_line(&n->plan, line);
		if (*t && (*t)->tag == tag)
			return NEXT_OK;
		if (!had)
			break;
		drop_plan(n);
	}
	records_note(&n->box->rec, NULL, "line %u with that tag is not in the schedule", line);
	return NEXT_WRONG;
}

/* What may be lost with this kernel is brought out; each wait is bounded. */
static void leave(struct box *b)
{
	promise_say(&b->promise, 30000);
	if (b->nfs.mounted == 1)
		b->nfs.base.ops->flush(&b->nfs.base, JUMP_FLUSH_MS);
	b->serial.base.ops->flush(&b->serial.base, 5000);
}

/* Fetch, load, journal, jump. 1: jump; 0: not this time; -1: the answer was wrong. */
static int take_line(struct next *n, unsigned line, uint32_t tag)
{
	const struct plan_try *t = NULL;
	enum next_answer r = find_try(n, line, tag, &t);

	if (r == NEXT_OK && n->box->job.role == JOB_CRASH && !crash_may_boot(&n->plan, n->box->job.of, t)) {
		records_note(&n->box->rec, NULL, "the dead kernel's watchdog runs on, and the next kernel has no driver for it: home by a reset");
		return -1;
	}
	if (r == NEXT_OK)
		r = next_prepare(n->box, &n->plan, t);
	else if (r == NEXT_WRONG)
		records_fail(&n->box->rec, tag, "fetch");
	if (r == NEXT_NONE)
		return 0;
	if (r == NEXT_WRONG) {
		if (n->self)
			next_journal(n->box, line, tag, JOURNAL_FAILED, "fetch");
		return -1;
	}
	enum journal_guard guard = next_guard(n->box, &n->plan, t);
	promise_jump(&n->box->promise, guard == JOURNAL_GUARD_WATCHDOG ? n->plan.jump_s : 0);
	if (!next_may_jump(n->box, t, guard, n->self))
		return 0;
	leave(n->box);
	return 1;
}

/*
 * The firmware boots the line, whose entry the station has written before it says ok to the jump: nothing to fetch, and nothing to do
 * where it says nothing.
 */
static int take_firmware(struct box *b, const struct command *c)
{
	if (ask_jump(b, c->line, c->next_tag, b->job.jump_s * 1000, JOURNAL_GUARD_STATION))
		return 0;
	leave(b);
	return 2;
}

/* A crash kernel that is alone writes down what it was started for, once. */
static void journal_death(struct next *n)
{
	struct job *j = &n->box->job;
	const struct plan_try *t = j->role == JOB_CRASH && j->of && !n->death_said ? plan_try_by_tag(&n->plan, j->of) : NULL;

	if (t && next_journal(n->box, t->line, t->tag, JOURNAL_FAILED, n->box->died ? n->box->died : "panic") == 0)
		n->death_said = 1;
}

/* One question and what follows from it. 1: jump; 2: reset into the next boot; 0: ask again; -1: a step down. */
static int turn(struct next *n)
{
	struct command c;
	int firmware = n->box->job.sw == PLAN_FIRMWARE;

	n->self = n->told = 0;
	if (ask_next(n->box, &c) == 0) {
		if (c.verb == COMMAND_HOLD && c.ssh) {
			look_begin(n->box);
			return 0;
		}
		look_end(n->box);
		if (c.verb == COMMAND_HOLD)
			return 0;
		n->told = 1;
		return firmware ? take_firmware(n->box, &c) : take_line(n, c.line, c.next_tag);
	}
	if (firmware)
		return 0;
	drop_plan(n); /* who goes on alone reads the newest */
	if (n->box->net.state != NET_UP || get_plan(n) != NEXT_OK)
		return 0;
	journal_death(n);
	unsigned line = next_self(n->box, &n->plan);
	const struct plan_try *t = line ? plan_try_by_line(&n->plan, line) : NULL;
	if (!t)
		return 0;
	n->self = n->told = 1;
	look_end(n->box);
	return take_line(n, line, t->tag);
}

int next_run(struct box *b)
{
	static struct next next;
	struct next *n = &next;

	*n = (struct next){.box = b, .backoff_ms = BACKOFF_FIRST_MS};
	for (;;) {
		int r = turn(n);

		if (r == 1)
			return BOX_EXIT_JUMP;
		if (r == 2)
			return BOX_EXIT_RESET;
		if (n->told && r == 0)
			n->misses++;
		if (b->job.role != JOB_HOME && (r < 0 || (b->stand_in && n->misses >= MISSES_MAX))) {
			leave(b);
			return BOX_EXIT_RESET;
		}
		if (r < 0)
			n->backoff_ms = BACKOFF_FIRST_MS;
		back_off(n);
	}
}
