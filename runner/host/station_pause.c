/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * station_pause: a running sweep is paused and goes on again: by a person's order, or because something failed.
 *
 * The journal says it first, fsynced: `control word=hold` with the reason. So a box that loses its station then holds as well, and the next
 * `sweep run` finds the sweep as it was left. An order is one line on a socket of its own (order.h), read within a bound of bytes
 * and time; who does not keep to them is not answered.
 */
#include <errno.h>
#include <poll.h>
#include <stdio.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#include "common/clock.h"
#include "common/io.h"
#include "host/order.h"
#include "host/station.h"

#define READ_MS 500

/* What a person can do about it. */
static void say_what_to_do(struct station *st) { station_say(st, DRIVE_SAY_NOTE, "go on with 'kdyno sweep resume %s'", st->sweep.id); }

int station_pause(struct station *st, const char *reason)
{
	uint64_t now = clock_unix_ms();
	struct journal *j = st->sweep.journal;
	char line[1024];
	long n = journal_format_pause(reason, now, line, sizeof(line));
	int err = n < 0 ? (int)n : io_append(st->journal_fd, line, (size_t)n);
	unsigned going;

	if (err)
		return err;
	journal_apply_control(j, JOURNAL_HOLD, reason, now);
	st->running = 0;
	going = drive_going(&st->drive);
	station_say(st, DRIVE_SAY_WARN, "paused%s%s%s%s", *reason ? " (" : "", reason, *reason ? ")" : "",
	            going ? ": the boot that runs is finished first" : "");
	say_what_to_do(st);
	return 0;
}

int station_resume(struct station *st)
{
	int err = station_control(st, JOURNAL_RUN);

	if (err)
		return err;
	st->running = 1;
	station_say(st, DRIVE_SAY_NOTE, "resumed: goes on when the box asks next, a minute from now at most");
	return 0;
}

void station_say_paused(struct station *st)
{
	const struct journal *j = st->sweep.journal;

	station_say(st, DRIVE_SAY_WARN, "this sweep is paused%s%s%s: the box is brought up and held", *j->reason ? " (" : "", j->reason,
	            *j->reason ? ")" : "");
	say_what_to_do(st);
}

static void state_of(const struct station *st, struct order_state *s)
{
	const struct journal *j = st->sweep.journal;
	const struct drive *d = &st->drive;

	s->paused = j->paused;
	s->since_ms = j->paused_ms;
	memcpy(s->reason, j->reason, sizeof(s->reason));
	s->held = j->paused && drive_is_held(d);
	s->line = s->held ? d->line : 0;
	s->going = drive_going(d);
	if (!st->sweep.plan.ssh)
		return;
	if (st->is_twin) {
		s->port = twin_ssh_port(&st->twin);
		snprintf(s->addr, sizeof(s->addr), "127.0.0.1");
	} else {
		s->port = 22;
		drive_address(d, s->addr, sizeof(s->addr));
	}
}

/* 0, or -1 where nothing is to be answered. */
static int obey(struct station *st, const struct order *o, struct order_state *s)
{
	int paused = st->sweep.journal->paused;

	*s = (struct order_state){0};
	if (o->word == ORDER_PAUSE && !paused)
		st->drive.err = station_pause(st, o->reason);
	if (o->word == ORDER_RESUME && paused)
		st->drive.err = station_resume(st);
	if (st->drive.err)
		return -1; /* the loop ends with it */
	s->changed = st->sweep.journal->paused != paused;
	state_of(st, s);
	return 0;
}

void station_take_order(struct station *st)
{
	int fd = accept4(st->order_fd, NULL, NULL, SOCK_CLOEXEC | SOCK_NONBLOCK);
	uint64_t until = clock_now_ms() + READ_MS;
	struct pollfd pfd = {.fd = fd, .events = POLLIN};
	struct order_state s;
	char text[ORDER_MAX];
	struct order o;
	size_t len = 0;
	ssize_t n = 1;
	long out;

	if (fd < 0)
		return;
	while (n > 0 && len < sizeof(text) && clock_now_ms() < until && poll(&pfd, 1, READ_MS) > 0) {
		n = read(fd, text + len, sizeof(text) - len);
		len += n > 0 ? (size_t)n : 0;
	}
	station_read_console(st); /* an answer to what the box has asked by now is not changed by it */
	if (!n && !order_parse(&o, text, len) && !st->drive.err && !obey(st, &o, &s)) {
		out = order_state_format(&s, text, sizeof(text));
		if (out > 0)
			io_write_all(fd, text, (size_t)out);
	}
	close(fd);
}
