/* SPDX-License-Identifier: GPL-2.0-or-later */
/* power: see power.h. A command runs as `sh -c` in a process group of its own, its output thrown away. */
#include "host/power.h"

#include <errno.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/wait.h>

#define RETRY_PAUSE_MS 1000
#define GRACE_MS 500
#define STOP_MS 15000 /* of a command, when kdyno is to end */

int power_is_there(const struct board *b)
{
	if (!b->power_enabled)
		return 0;
	return b->console == BOARD_CONSOLE_QEMU || b->power_cycle || (b->power_on && b->power_off);
}

static const char *command(const struct power *p)
{
	return p->at == POWER_CYCLE ? p->board->power_cycle : p->at == POWER_OFF ? p->board->power_off : p->board->power_on;
}

static const char *how(enum power_step s) { return s == POWER_CYCLE ? "cycle" : s == POWER_OFF ? "off" : "on"; }

/* Tells, then starts the command of this step. */
static int run(struct power *p, uint64_t now_ms)
{
	int err = p->step(p->ctx, how(p->at));

	if (err)
		return err;
	p->argv[0] = "/bin/sh";
	p->argv[1] = "-c";
	p->argv[2] = command(p);
	p->argv[3] = NULL;
	p->proc = (struct proc){.argv = p->argv, .fd = {-1, -1, -1, -1}};
	p->started = !proc_start(&p->proc);
	p->until_ms = now_ms + (uint64_t)p->board->power_timeout_s * 1000;
	return 0;
}

static int enter(struct power *p, enum power_step s, uint64_t now_ms)
{
	p->at = s;
	p->tries = 1;
	return run(p, now_ms);
}

static void pause_before(struct power *p, enum power_step next, int again, uint64_t ms)
{
	p->at = POWER_PAUSE;
	p->next = next;
	p->again = again;
	p->until_ms = ms;
}

int power_start(struct power *p, uint64_t now_ms)
{
	int err;

	if (p->at != POWER_IDLE)
		return -EBUSY;
	err = enter(p, p->board->power_cycle ? POWER_CYCLE : POWER_OFF, now_ms);
	if (err)
		p->at = POWER_IDLE;
	return err;
}

/* The command has ended well, or not for the last time. */
static enum power_end next(struct power *p, int ok, uint64_t now_ms)
{
	const struct board *b = p->board;

	if (ok && p->at == POWER_OFF) {
		pause_before(p, POWER_ON, 0, now_ms + (uint64_t)b->power_off_s * 1000);
		return POWER_BUSY;
	}
	if (ok) {
		p->at = POWER_IDLE;
		return POWER_DONE;
	}
	if (p->tries <= b->power_retries) {
		pause_before(p, p->at, 1, now_ms + RETRY_PAUSE_MS);
		return POWER_BUSY;
	}
	if (p->at == POWER_CYCLE && b->power_on && b->power_off) {
		pause_before(p, POWER_OFF, 0, now_ms);
		return POWER_BUSY;
	}
	if (p->at == POWER_OFF) { /* better on for a long time than off for ever */
		pause_before(p, POWER_ON, 0, now_ms);
		return POWER_BUSY;
	}
	p->at = POWER_IDLE;
	return POWER_FAILED;
}

static enum power_end resume(struct power *p, uint64_t now_ms)
{
	unsigned tries = p->tries;
	int err;

	if (now_ms < p->until_ms)
		return POWER_BUSY;
	err = enter(p, p->next, now_ms);
	if (p->again)
		p->tries = tries + 1;
	if (!err)
		return POWER_BUSY;
	p->at = POWER_IDLE;
	return POWER_STOPPED;
}

enum power_end power_tick(struct power *p, uint64_t now_ms)
{
	char why[64];
	int late, ok;

	if (p->at == POWER_IDLE)
		return POWER_DONE;
	if (p->at == POWER_PAUSE)
		return resume(p, now_ms);
	late = now_ms >= p->until_ms;
	if (p->started && !late && proc_poll(&p->proc) == 0)
		return POWER_BUSY;
	if (p->started && !p->proc.ended)
		proc_wait(&p->proc, 0, GRACE_MS);
	ok = p->started && p->proc.ended && !p->proc.timed_out && WIFEXITED(p->proc.status) && !WEXITSTATUS(p->proc.status);
	if (!ok) {
		if (!p->started)
			snprintf(why, sizeof(why), "cannot be started");
		else if (p->proc.timed_out)
			snprintf(why, sizeof(why), "no end within %u s", p->board->power_timeout_s);
		else if (WIFEXITED(p->proc.status))
			snprintf(why, sizeof(why), "exit %d", WEXITSTATUS(p->proc.status));
		else
			snprintf(why, sizeof(why), "signal %d", WTERMSIG(p->proc.status));
		p->failed(p->ctx, command(p), why);
	}
	return next(p, ok, now_ms);
}

static void let_end(struct power *p)
{
	uint64_t ms = (uint64_t)p->board->power_timeout_s * 1000;

	if (p->started && !p->proc.ended)
		proc_wait(&p->proc, ms < STOP_MS ? ms : STOP_MS, GRACE_MS);
}

/* Who cut a cycle short, or stopped behind off, would leave a box without power until somebody finds it deaf. */
void power_stop(struct power *p)
{
	int is_off = p->at == POWER_OFF || (p->at == POWER_PAUSE && p->next == POWER_ON);

	if (p->at != POWER_IDLE && p->at != POWER_PAUSE)
		let_end(p);
	if (is_off && !enter(p, POWER_ON, 0))
		let_end(p);
	p->at = POWER_IDLE;
}
