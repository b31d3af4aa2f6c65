/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * drive_switch: what is heard during a jump, and switch=firmware. Before a jump is answered the boot entry becomes that of its line; at the
 * first sign of the line's kernel, and whenever the box is heard or cycled otherwise, it is home's again, so that every reset but the planned
 * one comes home.
 *
 * Trap: what is printed between the jump and the reset is the last kernel's ("reboot: Restarting system"), and a firmware may
 * print too. Kernels stamp their lines with the time since their start: a stamp before the jump's is of the next one.
 */
#include "host/drive.h"

#define HOME_SLACK_MS 2000  /* a record is some time on its way */
#define STAMP_SLACK_MS 1000 /* printk's clock starts before the one that stamps records */

void drive_entry(struct drive *d, unsigned line, uint32_t prev)
{
	if (d->plan->sw != PLAN_FIRMWARE || !d->ops.boot_entry || d->err || line == d->entry_line)
		return;
	d->err = d->ops.boot_entry(d->ops.ctx, line, prev);
	if (!d->err)
		d->entry_line = line;
}

void drive_entry_begin(struct drive *d)
{
	unsigned line = d->box == DRIVE_JUMPING ? d->jump_line : 0;

	d->entry_line = ~line; /* neither */
	drive_entry(d, line, d->cur.tag);
}

/* Milliseconds of `[   12.345678] `, or -1. */
static long long stamp_ms(const char *s, size_t len)
{
	long long sec = 0, digits = 0;
	size_t i = 1;

	if (len < 10 || s[0] != '[')
		return -1;
	while (i < len && s[i] == ' ')
		i++;
	for (; i < len && s[i] >= '0' && s[i] <= '9' && digits < 9; i++, digits++)
		sec = sec * 10 + (s[i] - '0');
	if (!digits || i + 4 > len || s[i] != '.')
		return -1;
	for (size_t k = i + 1; k < i + 4; k++) {
		if (s[k] < '0' || s[k] > '9')
			return -1;
		sec = sec * 10 + (s[k] - '0');
	}
	return sec;
}

void drive_jump_text(struct drive *d, const char *s, size_t len)
{
	long long ms = stamp_ms(s, len);
	uint64_t n = 0; /* not just a line end */

	if (d->box != DRIVE_JUMPING || !len)
		return;
	if (ms < 0 ? d->plan->sw == PLAN_FIRMWARE : (uint64_t)ms + STAMP_SLACK_MS >= d->jump_stamp_ms)
		return;
	for (size_t i = 0; i < len; i++)
		n += s[i] > ' ' && s[i] <= '~';
	if (!n)
		return;
	if (!d->text_since_jump)
		d->text_ms = d->now_ms;
	d->text_since_jump += n;
	drive_entry(d, 0, 0);
}

void drive_jump_home(struct drive *d, const struct record *hello)
{
	if (d->box == DRIVE_JUMPING && d->text_ms + hello->ms + HOME_SLACK_MS >= d->now_ms)
		d->text_since_jump = 0;
}
