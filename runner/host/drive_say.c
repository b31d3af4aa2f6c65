/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * drive_say: what is said, and how often. A box that invents tags, or flaps, can make thousands of lines a second: of each kind (a
 * kind is a format) DRIVE_SAY_MAX are said in a minute, then how many there were more. States of lines are always said: there are
 * no more of them than the schedule has lines.
 */
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "host/drive.h"

#define MINUTE_MS 60000u

static void say_held(struct drive *d, struct drive_kind *k)
{
	char text[DRIVE_SAY_BYTES];

	if (k->held) {
		snprintf(text, sizeof(text), "%u more of these: %s", k->held, k->last);
		d->ops.say(d->ops.ctx, DRIVE_SAY_WARN, 0, text);
	}
	k->held = k->said = 0;
	k->since_ms = d->now_ms;
}

void drive_say_held(struct drive *d, int all)
{
	for (size_t i = 0; i < DRIVE_KINDS; i++)
		if (d->kind[i].held && (all || d->now_ms - d->kind[i].since_ms >= MINUTE_MS))
			say_held(d, &d->kind[i]);
}

/* There are fewer formats than rows; were there more, the last row would be theirs together. */
static struct drive_kind *kind_of(struct drive *d, const char *fmt)
{
	size_t i = 0;

	while (i < DRIVE_KINDS - 1 && d->kind[i].fmt && d->kind[i].fmt != fmt)
		i++;
	d->kind[i].fmt = fmt;
	return &d->kind[i];
}

void drive_say_text(struct drive *d, enum drive_say what, unsigned line, const char *fmt, const char *text)
{
	struct drive_kind *k = kind_of(d, fmt);

	if (!k->said || d->now_ms - k->since_ms >= MINUTE_MS)
		say_held(d, k);
	if (what != DRIVE_SAY_STATE && k->said >= DRIVE_SAY_MAX) {
		k->held++;
		snprintf(k->last, sizeof(k->last), "%s", text);
		return;
	}
	k->said++;
	d->ops.say(d->ops.ctx, what, line, text);
}

void drive_say(struct drive *d, enum drive_say what, unsigned line, const char *fmt, ...)
{
	char text[DRIVE_SAY_BYTES];
	va_list ap;

	va_start(ap, fmt);
	vsnprintf(text, sizeof(text), fmt, ap);
	va_end(ap);
	drive_say_text(d, what, line, fmt, text);
}
