/* SPDX-License-Identifier: GPL-2.0-or-later */
/* cmd_sweep_run: kdyno sweep run. Runs a sweep to its end, or goes on with it. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "common/err.h"
#include "common/sha256.h"
#include "host/cmd.h"
#include "host/lab.h"
#include "host/station.h"

static int plain, hold_on_failure;

static const struct opt opts[] = {
	{"plain", OPT_FLAG, NULL, "a line for each thing that happens, also on a terminal", &plain},
	{"hold-on-failure", OPT_FLAG, NULL, "pause when a try or a test fails, with the box held where it stands", &hold_on_failure},
	{NULL, 0, NULL, NULL, NULL},
};

/* By our own journal: what the box did alone is still to be filed. */
static int nothing_left(const struct station *st)
{
	const struct plan *p = &st->sweep.plan;

	if (st->sweep.journal->paused)
		return 0; /* it may have been paused to look into the box */
	for (size_t i = 0; i < p->tries; i++) {
		enum journal_state_id s = journal_state(st->sweep.journal, p->try[i].line);

		if (s == JOURNAL_START || s == JOURNAL_HELLO)
			return 0;
	}
	return !journal_next(st->sweep.journal, p);
}

/* Exit code. */
static int summarise(const struct station *st)
{
	struct progress_count c;

	progress_counts(&st->sweep.plan, st->sweep.journal, &c);
	if (st->stopped) {
		printf("stopped: %u of %u boots are complete; 'kdyno sweep run %s' goes on%s\n", c.complete, c.boots, st->sweep.id,
		       st->sweep.journal->paused ? " (it stays paused until 'kdyno sweep resume')" : "");
		return EXIT_FAIL;
	}
	printf("sweep %s: %u of %u boots complete, %u tries did not count; see 'kdyno show %s' and 'kdyno compare %s'\n", st->sweep.id, c.complete,
	       c.boots, c.failed_tries, st->sweep.id, st->sweep.id);
	return c.complete == c.boots ? EXIT_OK : EXIT_FAIL;
}

/* What the box will refuse by its hash would be asked for again and again. */
static void check_files(const struct sweep *s)
{
	char hex[65];

	for (size_t i = 0; i < s->plan.files; i++) {
		const struct plan_file *f = &s->plan.file[i];
		char *path = lab_path("%s", f->path);
		int err = sha256_file(path, hex, NULL);

		if (err)
			err_die_code(err, "read %s:", path);
		if (strcmp(hex, f->sha256))
			err_die("%s is not what sweep %s was made with; put that back, or make a new sweep", path, s->id);
		free(path);
	}
}

static int run(int argc, char **argv)
{
	struct station *st = malloc(sizeof(*st)); /* large, and needed until exit */

	if (argc != 1)
		err_usage("sweep run wants the name of one sweep (kdyno sweep list)");
	if (!st)
		err_die("out of memory");
	station_open(st, argv[0], plain);
	if (getenv(STATION_RESUMED)) {
		st->resumes = (unsigned)strtoul(getenv(STATION_RESUMED), NULL, 10);
		unsetenv(STATION_RESUMED);
		station_inherit(st);
	}
	st->hold_on_failure = hold_on_failure;
	station_replay(st);
	if (!nothing_left(st)) {
		check_files(&st->sweep);
		station_begin(st);
		station_loop(st);
	}
	station_end(st);
	return summarise(st);
}

const struct cmd cmd_sweep_run = {
	.name = "sweep run",
	.args = "SWEEP [--plain] [--hold-on-failure]",
	.summary = "run a sweep, or go on with one that was stopped",
	.help = "Starts what is needed (servers, the twin), or adopts what an earlier run left, and drives the box until every boot of the\n"
		"schedule is complete or given up. Ctrl-C ends everything; the same command goes on. Exit code 0: every boot is complete.\n"
		"With --hold-on-failure the sweep pauses itself behind a try that failed, or in whose boot a test ended with fail, crash or "
		"timeout:\n"
		"the box is held in the kernel in which it stands, and 'kdyno sweep resume' goes on.\n"
		"What it does with a box that hangs or a disk that is full, and what its lines mean: docs/running.md.",
	.opts = opts,
	.run = run,
};
