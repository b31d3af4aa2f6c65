/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * drive_hold: a paused sweep: every `ask` is answered with `hold`, so the boot that runs is finished first, and the box then stands in the
 * kernel that it has just measured. What fails may pause the sweep by itself.
 *
 * Trap: a pause is the journal's (struct journal, paused), not the drive's: it outlives kdyno.
 */
#include <stdio.h>
#include <string.h>

#include "host/drive.h"
#include "host/order.h"

int drive_is_held(const struct drive *d) { return d->hold_tag && d->hold_tag == d->cur.tag; }

unsigned drive_going(const struct drive *d)
{
	unsigned line = drive_running(d);

	if ((!line || drive_final(d, line)) && d->go.verb == COMMAND_GO && d->go_tag == d->cur.tag && !drive_is_held(d))
		line = d->go.line; /* told to, and about to jump */
	return line && !drive_final(d, line) ? line : 0;
}

void drive_address(const struct drive *d, char *out, size_t size)
{
	struct record r;
	long at = -1;

	*out = 0;
	while ((at = try_find(&d->cur, "env", (uint32_t)(at + 1), &r)) >= 0) {
		const char *addr = kv_get(&r.kv, "addr");

		if (addr && order_is_addr(addr) && strlen(addr) < size)
			memcpy(out, addr, strlen(addr) + 1);
	}
}

void drive_failed(struct drive *d, unsigned line, const char *what, const char *how)
{
	char reason[JOURNAL_REASON_MAX + 1];
	int err;

	if (!d->hold_on_failure || !d->ops.pause || d->journal->paused || d->err)
		return;
	snprintf(reason, sizeof(reason), "line %u: %s: %s", line, what, how ? how : "failed");
	err = d->ops.pause(d->ops.ctx, reason);
	d->err = d->err ? d->err : err;
}

int drive_answer_hold(struct drive *d, const struct record *r, struct command *answer)
{
	if (d->journal->paused && !drive_is_held(d))
		drive_say(d, DRIVE_SAY_NOTE, d->line, "paused: the box is held here; %s%s%s'kdyno sweep resume %s' goes on",
		          d->plan->ssh ? "'kdyno ssh " : "", d->plan->ssh ? d->plan->box : "", d->plan->ssh ? "' looks inside, " : "", d->plan->id);
	d->hold_tag = r->tag;
	d->hold_seq = r->seq;
	*answer = (struct command){.tag = r->tag, .verb = COMMAND_HOLD, .ssh = d->journal->paused && d->plan->ssh};
	return 1;
}
