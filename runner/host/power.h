/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * power: the power commands of a board, one after the other, while the station goes on listening: cycle, or where there is none, or it
 * fails each time, off, a pause, on. Each command has a time-out and is tried again.
 *
 * Contract: power_tick never blocks; each step is told to `step` before it is taken, and is not taken where that fails.
 */
#ifndef KD_POWER_H
#define KD_POWER_H

#include "common/proc.h"
#include "host/board.h"

enum power_step { POWER_IDLE, POWER_CYCLE, POWER_OFF, POWER_PAUSE, POWER_ON };
enum power_end { POWER_BUSY, POWER_DONE, POWER_FAILED, POWER_STOPPED /* step refused */ };

struct power {
	/* given */
	const struct board *board;
	int (*step)(void *ctx, const char *how); /* cycle, off or on is about to be run. 0 or -errno */
	void (*failed)(void *ctx, const char *command, const char *why);
	void *ctx;
	/* running */
	enum power_step at;
	unsigned tries; /* of this command */
	int again;      /* the pause is one before the same command, next is which */
	enum power_step next;
	int started;
	uint64_t until_ms;
	const char *argv[4];
	struct proc proc;
};

/* 1 where the board has commands with which its power can be cut, and they may be used. */
int power_is_there(const struct board *b);
/* 0, -EBUSY while the last one still runs, or what step said. */
int power_start(struct power *p, uint64_t now_ms);
enum power_end power_tick(struct power *p, uint64_t now_ms);
/* Lets a command that runs end, within bounds, and switches on what was switched off. May take a while; nothing runs afterwards. */
void power_stop(struct power *p);

#endif
