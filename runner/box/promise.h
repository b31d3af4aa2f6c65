/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * promise: what the runner tells PID 1, on the pipe that PID 1 gave it as fd 3 (runner/init/promise.h reads it). Whoever waits for
 * something first promises a little more than the wait's deadline.
 */
#ifndef KD_BOX_PROMISE_H
#define KD_BOX_PROMISE_H

#include <stdint.h>

struct promise {
	int fd; /* -1: nobody listens (a test) */
};

/* Moves fd 3 out of the way of tests, close-on-exec. */
void promise_open(struct promise *p);
void promise_close(struct promise *p);
void promise_say(const struct promise *p, uint64_t ms);
/* Early tests are over: the modules may be loaded. */
void promise_modules(const struct promise *p);
/* The watchdog is to wait so long from now on. */
void promise_watch(const struct promise *p, unsigned s);
void promise_jump(const struct promise *p, unsigned jump_s);

#endif
