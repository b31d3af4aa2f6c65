/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * station_power: how a deaf box is asked, reset and cut. A twin: QMP reset, and where that has not helped QEMU is ended (however it
 * hangs) and started; a board: its power commands. Each step stands in the journal before it is taken.
 *
 * Trap: BREAK and a letter is a command to a kernel, and a key to a boot loader: the drive says when a kernel listens.
 */
#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "common/clock.h"
#include "common/io.h"
#include "host/server.h"
#include "host/station.h"

#define LETTER_MS 100

/* Loud, all tasks, blocked tasks: a quiet kernel would keep the other two to itself. */
static const char letters[] = "8tw";

static int journal_step(struct station *st, const char *how)
{
	struct journal_power p = {.line = st->power_line, .nth = st->power_nth, .how = how, .why = st->power_why};
	uint64_t now = clock_unix_ms();
	char line[512];
	long n = journal_format_power(&p, "station", now, line, sizeof(line));

	if (n > 0)
		st->sweep.journal->after_power = 1;
	return n < 0 ? (int)n : io_append(st->journal_fd, line, (size_t)n);
}

static int on_step(void *ctx, const char *how) { return journal_step(ctx, how); }

static void on_failed(void *ctx, const char *command, const char *why)
{
	station_say(ctx, DRIVE_SAY_WARN, "the power command failed (%s): %.200s", why, command);
}

void station_power_init(struct station *st)
{
	st->power = (struct power){.board = &st->board, .step = on_step, .failed = on_failed, .ctx = st};
	st->drive.no_power = !power_is_there(&st->board);
}

int station_twin_on(struct station *st, const char *why)
{
	st->power_line = st->power_nth = 0;
	snprintf(st->power_why, sizeof(st->power_why), "%s", why);
	return journal_step(st, "start");
}

static int cycle_twin(struct station *st, unsigned nth)
{
	char how[128];
	int err;

	if (nth % 2) {
		err = journal_step(st, "reset");
		if (err || !twin_reset(&st->twin))
			return err;
		station_say(st, DRIVE_SAY_WARN, "QEMU does not answer: it is ended, and started again");
	}
	err = journal_step(st, "start");
	if (err)
		return err;
	twin_stop(&st->twin);
	err = twin_start(&st->twin, how, sizeof(how));
	if (err)
		station_say(st, DRIVE_SAY_WARN, "QEMU does not start: %s", strerror(-err));
	return 0; /* it is looked after once a second */
}

int station_power_cycle(struct station *st, unsigned nth, unsigned line, const char *why)
{
	int err;

	console_flush(&st->console);
	evidence_tick(&st->evidence, UINT64_MAX);
	st->power_nth = nth;
	st->power_line = line;
	snprintf(st->power_why, sizeof(st->power_why), "%s", why);
	if (st->is_twin)
		return cycle_twin(st, nth);
	err = power_start(&st->power, clock_now_ms());
	if (err == -EBUSY) {
		station_say(st, DRIVE_SAY_WARN, "the power commands of the last cycle still run");
		return 0;
	}
	return err;
}

void station_power_tick(struct station *st)
{
	if (st->power.at == POWER_IDLE)
		return;
	switch (power_tick(&st->power, clock_now_ms())) {
	case POWER_BUSY:
		return;
	case POWER_DONE: /* the box has its time from here on */
		st->drive.heard_ms = st->drive.progress_ms = clock_now_ms();
		return;
	case POWER_FAILED:
		station_say(st, DRIVE_SAY_WARN, "the box has not been reset: its power commands fail");
		return;
	case POWER_STOPPED:
		st->drive.err = st->drive.err ? st->drive.err : -EIO;
		return;
	}
}

static int send_break(struct station *st) { return st->is_twin ? twin_break(&st->twin) : port_break(&st->port); }

int station_poke(struct station *st)
{
	char note[80];
	int err = 0;

	if (!st->board.sysrq)
		return 0;
	for (const char *p = letters; *p && !err; p++) {
		err = send_break(st);
		clock_sleep_ms(LETTER_MS);
		if (!err)
			err = port_write(&st->port, p, 1);
		clock_sleep_ms(LETTER_MS);
	}
	if (err == -ENOTSUP)
		station_say(st, DRIVE_SAY_NOTE, "no sysrq: there is no BREAK on this kind of console");
	else if (err)
		station_say(st, DRIVE_SAY_NOTE, "no sysrq: the console does not take it (%s)", strerror(-err));
	snprintf(note, sizeof(note), "sysrq: BREAK and each of %s%s", letters, err ? " (not taken)" : "");
	conlog_note(&st->conlog, note, clock_unix_ms());
	return !err;
}
