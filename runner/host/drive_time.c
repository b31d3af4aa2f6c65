/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * drive_time: the limits. Who is silent for longer than it said, does not come up after a jump, or sits in a test past its
 * deadline, loses the try and the power. Home is never judged, only cycled; after DRIVE_CYCLES_MAX in vain once an hour.
 */
#include <string.h>

#include "host/drive.h"

static uint64_t max(uint64_t a, uint64_t b) { return a > b ? a : b; }

static void cycle(struct drive *d, const char *why)
{
	if (d->cycles >= DRIVE_CYCLES_MAX) {
		if (!d->lost)
			drive_say(d, DRIVE_SAY_WARN, 0, "box-lost: %u power cycles in a row without a word; one an hour from now on", d->cycles);
		d->lost = 1;
		if (d->now_ms - d->cycle_ms < DRIVE_CYCLE_LOST_MS)
			return;
	}
	drive_crash_judge(d);
	d->cycles++;
	d->cycle_ms = d->heard_ms = d->now_ms;
	d->box = DRIVE_UNKNOWN;
	try_free(&d->cur);
	d->line = d->jump_line = 0;
	d->hold_tag = 0;
	drive_crash_begin(d);
	d->panic_ms = d->quiet_ms = d->deadline_ms = 0;
	d->runner_died = 0;
	d->test[0] = 0;
	drive_say(d, DRIVE_SAY_WARN, 0, "power cycle %u: %s", d->cycles, why);
	drive_entry(d, 0, 0);
	d->ops.cycle(d->ops.ctx, d->cycles, why);
}

static void give_up(struct drive *d, const char *name, const char *why)
{
	unsigned line = drive_running(d);

	if (line && !drive_final(d, line))
		drive_conclude(d, line, name, "cold");
	if (!d->err)
		cycle(d, why);
}

/* From the jump to the hello. A watchdog that guards it resets the box at the end of that time, and home then has as long as any silence may last. */
static uint64_t jump_limit_ms(const struct drive *d)
{
	uint64_t ms = max((uint64_t)d->plan->jump_s * 1000, d->quiet_ms + DRIVE_SLACK_MS);

	return d->guard == JOURNAL_GUARD_WATCHDOG ? ms + (uint64_t)d->plan->deaf_s * 1000 : ms;
}

void drive_tick(struct drive *d, uint64_t now_ms)
{
	uint64_t silent, deaf = max((uint64_t)d->plan->deaf_s * 1000, d->quiet_ms + DRIVE_SLACK_MS);

	d->now_ms = now_ms;
	drive_say_held(d, 0);
	if (d->ended || d->err)
		return;
	if (drive_is_held(d))
		deaf = max(deaf, DRIVE_HOLD_MS);
	silent = now_ms - d->heard_ms;
	if (d->panic_ms && now_ms - d->panic_ms > DRIVE_PANIC_MS)
		give_up(d, "panic", "panic, and nothing came after it");
	else if (d->box == DRIVE_JUMPING && now_ms - d->jump_ms > jump_limit_ms(d))
		give_up(d, d->text_since_jump ? "no-hello" : NULL, "no hello after the jump");
	else if (d->box == DRIVE_SUBJECT && d->deadline_ms && now_ms - d->test_ms > d->deadline_ms + DRIVE_DEADLINE_MS)
		give_up(d, "deadline", "a test ran past its deadline");
	else if (d->box != DRIVE_JUMPING && silent > deaf)
		give_up(d, "silent", "silence");
}
