/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * runner: PID 1's one child that matters. Starts it, keeps the watchdog fed while it keeps its promises, reaps all that
 * becomes an orphan, and says how it ended.
 */
#ifndef KD_INIT_RUNNER_H
#define KD_INIT_RUNNER_H

#include "init/modules.h"
#include "init/promise.h"
#include "init/watchdog.h"

#define RUNNER_PATH "/kd/runner"
#define RUNNER_PROMISE_FD 3

/* Before the reason that goes to `--next` where something is left that not even KILL has ended. */
#define RUNNER_STUCK "stuck-"

/* The runner's exit codes that mean something; every other end calls for `runner --next`. */
enum { RUNNER_JUMP = 42, RUNNER_RESET = 43 };

struct runner {
	struct promise promise;
	char why[32]; /* how it ended: exit-3, signal-11, promise, fork-12, stuck-promise */
	int code;     /* exit code, or -1 */
};

/*
 * Runs the runner to its end, petting w; when the modules are in, opens w and says so in /run/kd/modules. next: NULL, or the reason that goes
 * to `--next`. Returns its exit code, or -1 when it was killed, broke its promise or could not be started; why says which.
 */
int runner_run(struct runner *r, struct watchdog *w, struct modules *m, const char *next);

#endif
