/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * promise: what the runner owes PID 1. The runner writes lines to a pipe (its fd 3):
 *
 *     promise <ms>    I shall say so again within ms
 *     jump <s>        the jump may take so long, and the watchdog is to guard it; 0: it must not, the next kernel cannot pet it
 *     modules         the early tests are over: load the modules now
 *
 * A promise that is not kept ends the runner. Pure over bytes; the pipe is runner.c's.
 */
#ifndef KD_INIT_PROMISE_H
#define KD_INIT_PROMISE_H

#include <stddef.h>
#include <stdint.h>

#define PROMISE_FIRST_MS 30000 /* until the runner has spoken */
#define PROMISE_MAX_MS (24u * 3600 * 1000)

struct promise {
	uint64_t until_ms;
	unsigned jump_s;  /* 0: no guard */
	unsigned watch_s; /* the watchdog is to wait so long; 0: it was not said, or has been done */
	int modules;      /* told to load them */
	char line[32];
	size_t len;
};

void promise_init(struct promise *p, uint64_t now_ms);
void promise_feed(struct promise *p, const char *s, size_t n, uint64_t now_ms);

#endif
