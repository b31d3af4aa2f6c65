/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * drive_time: the limits. Who is silent for longer than it said, talks without getting on, does not come up after a jump, or sits in a
 * test past its deadline, loses the try and the power: `silent`, `no-progress`, `no-hello` or not-run, `deadline`. Where the kernel
 * may still listen it is asked first what it does (sysrq), and what it says is waited for.
 *
 * Home is never judged, only cycled; after DRIVE_CYCLES_MAX in vain once an hour. Where the station has no power over the box nothing
 * is cut, and a start of which nothing was heard stays open until the box is back and says how it got there.
 */
#include <string.h>

#include "host/drive.h"

static uint64_t max(uint64_t a, uint64_t b) { return a > b ? a : b; }

/* Is this cycle to wait? The sixth in a row, and those after it, come once an hour. */
static int too_soon(struct drive *d)
{
	if (d->cycles < DRIVE_CYCLES_MAX)
		return 0;
	if (!d->lost)
		drive_say(d, DRIVE_SAY_WARN, 0, "box-lost: deaf %u times in a row without a word in between; one power cycle an hour from now on",
		          d->cycles);
	d->lost = 1;
	return d->now_ms - d->cycle_ms < DRIVE_CYCLE_LOST_MS;
}

static void cycle(struct drive *d, unsigned line, const char *why)
{
	if (too_soon(d))
		return;
	drive_crash_judge(d);
	d->cycles++;
	d->cycle_ms = d->heard_ms = d->progress_ms = d->now_ms;
	d->box = DRIVE_UNKNOWN;
	try_free(&d->cur);
	d->line = d->jump_line = 0;
	d->hold_tag = 0;
	drive_crash_begin(d);
	d->panic_ms = d->quiet_ms = d->deadline_ms = 0;
	d->told = NULL;
	d->test[0] = 0;
	drive_entry(d, 0, 0);
	if (d->no_power) {
		drive_say(d, DRIVE_SAY_WARN, 0, "deaf (%s), and its power is not ours to cut: it needs a hand", why);
		return;
	}
	d->after_power = 1;
	drive_say(d, DRIVE_SAY_WARN, 0, "power cycle %u: %s", d->cycles, why);
	if (!d->err)
		d->err = d->ops.cycle(d->ops.ctx, d->cycles, line, why);
}

static void give_up(struct drive *d, const struct drive_verdict *v)
{
	unsigned line = drive_running(d);
	int unheard = d->box == DRIVE_JUMPING && !v->name;

	d->gather_ms = 0;
	if (line && !drive_final(d, line) && !(unheard && d->no_power))
		drive_conclude(d, line, v->name, v->why, "cold");
	if (!d->err)
		cycle(d, line, v->why);
}

/* From the jump to the hello. A watchdog that guards it resets the box at the end of that time, and home then has as long as any silence may last. */
static uint64_t jump_limit_ms(const struct drive *d)
{
	uint64_t ms = max((uint64_t)d->plan->jump_s * 1000, d->quiet_ms + DRIVE_SLACK_MS);

	return d->guard == JOURNAL_GUARD_WATCHDOG ? ms + (uint64_t)d->plan->deaf_s * 1000 : ms;
}

/* The time runs from the last word before it goes; but who says it for ever does not go. */
static int no_jump(const struct drive *d)
{
	uint64_t limit = jump_limit_ms(d);

	return d->now_ms - d->jump_ms > limit || d->now_ms - d->progress_ms > limit + d->plan->again_s * 1000ull + DRIVE_SLACK_MS;
}

static uint64_t longest_test_ms(const struct plan *p)
{
	uint64_t ms = 0;

	for (size_t i = 0; i < p->tests; i++)
		ms = max(ms, p->test[i].deadline_ms);
	return ms;
}

/* A boot whose every test takes all of its time, and the limit of no progress once more. */
static uint64_t whole_boot_ms(const struct plan *p)
{
	uint64_t ms = 0;

	for (size_t i = 0; i < p->tests; i++)
		ms += p->test[i].deadline_ms + DRIVE_DEADLINE_MS;
	return ms;
}

/* Does it talk and not get on? In a test its deadline is the limit; but a `begin` may have been lost on the line. */
static int is_stuck(const struct drive *d)
{
	uint64_t limit = max(DRIVE_STUCK_DEAFS * (uint64_t)d->plan->deaf_s * 1000,
	                     max(d->quiet_ms + DRIVE_SLACK_MS, longest_test_ms(d->plan) + DRIVE_DEADLINE_MS));

	if (drive_is_held(d))
		limit = max(limit, DRIVE_HOLD_MS);
	if (d->box == DRIVE_SUBJECT && !d->cur.bye && d->now_ms - d->boot_ms > limit + whole_boot_ms(d->plan))
		return 1;
	return !(d->box == DRIVE_SUBJECT && d->deadline_ms) && d->now_ms - d->progress_ms > limit;
}

/* 1 where the box is to be given up, and why. The name is NULL where nothing was heard of a start. */
static int judge(const struct drive *d, struct drive_verdict *v)
{
	uint64_t silent = d->now_ms - d->heard_ms;
	uint64_t deaf = max(max((uint64_t)d->plan->deaf_s * 1000, d->quiet_ms + DRIVE_SLACK_MS), drive_is_held(d) ? DRIVE_HOLD_MS : 0);

	/* What a test had announced no longer holds; but the firmware may say nothing for minutes, and it is on its way. */
	if (d->panic_ms && d->now_ms - d->panic_ms > DRIVE_PANIC_MS && silent > (uint64_t)d->plan->deaf_s * 1000)
		*v = (struct drive_verdict){"panic", "panic, and nothing came after it"};
	else if (d->box == DRIVE_JUMPING && no_jump(d))
		*v = (struct drive_verdict){d->text_since_jump ? "no-hello" : NULL, "no hello after the jump"};
	else if (d->box == DRIVE_SUBJECT && d->deadline_ms && d->now_ms - d->test_ms > d->deadline_ms + DRIVE_DEADLINE_MS)
		*v = (struct drive_verdict){"deadline", "a test ran past its deadline"};
	else if (d->box != DRIVE_JUMPING && silent > deaf)
		*v = (struct drive_verdict){"silent", "silence"};
	else if (d->box != DRIVE_JUMPING && is_stuck(d))
		*v = (struct drive_verdict){"no-progress", "it talks and does not get on"};
	else
		return 0;
	return 1;
}

/* Only a kernel that has said hello, and has not jumped since, takes a BREAK for what it is; a boot loader would take it for a key. */
static int may_poke(const struct drive *d)
{
	struct record r;

	return !d->panic_ms && (d->box == DRIVE_SUBJECT || d->box == DRIVE_HOME) && d->cur.tag && !try_record(&d->cur, 0, &r) &&
	       !strcmp(r.kv.word, "hello");
}

/* 1 while what the kernel says of itself is still waited for. */
static int gathering(const struct drive *d)
{
	uint64_t since = d->now_ms - d->gather_ms;

	return d->gather_ms && since < DRIVE_GATHER_MS && (since < DRIVE_GATHER_QUIET_MS || d->now_ms - d->heard_ms < DRIVE_GATHER_QUIET_MS);
}

void drive_tick(struct drive *d, uint64_t now_ms)
{
	struct drive_verdict v;

	d->now_ms = now_ms;
	drive_say_held(d, 0);
	if (d->ended || d->err || gathering(d))
		return;
	if (d->gather_ms) {
		v = d->gather;
		give_up(d, &v);
		return;
	}
	if (!judge(d, &v))
		return;
	if (d->cycles < DRIVE_CYCLES_MAX && may_poke(d) && d->ops.poke(d->ops.ctx)) {
		d->gather = v;
		d->gather_ms = now_ms ? now_ms : 1;
		return;
	}
	give_up(d, &v);
}
