/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * cmd_sweep_list: kdyno sweep list: the sweeps of the lab and how far they are.
 */
#include <stdio.h>
#include <stdlib.h>

#include "common/err.h"
#include "host/cmd.h"
#include "host/lab.h"
#include "host/sweep.h"

static int print(const char *id)
{
	struct sweep s;
	char why[512];
	if (sweep_read(&s, id, why, sizeof why)) {
		err_warn("%s", why);
		return EXIT_FAIL;
	}
	unsigned boots = 0, complete = 0;
	for (size_t i = 0; i < s.plan.tries; i++) {
		const struct plan_try *t = &s.plan.try[i];
		boots += !t->of;
		complete += journal_state(s.journal, t->line) == JOURNAL_COMPLETE;
	}
	printf("%-24s %-12s %2zu %-9s %2u %-7s %3u of %3u boots complete, %s\n", s.id, s.plan.box, s.plan.subjects,
	       s.plan.subjects == 1 ? "subject," : "subjects,", s.plan.rounds, s.plan.rounds == 1 ? "round," : "rounds,", complete, boots,
	       s.plan.suite);
	sweep_close(&s);
	return EXIT_OK;
}

static int run(int argc, char **argv)
{
	size_t n;
	(void)argv;
	if (argc)
		err_usage("sweep list takes no words");
	lab_require();
	char **names = lab_list("sweeps", &n);
	if (!n)
		printf("no sweeps yet; 'kdyno sweep new' makes one\n");
	int status = EXIT_OK;
	for (size_t i = 0; i < n; i++)
		status |= print(names[i]);
	lab_list_free(names);
	return status;
}

const struct cmd cmd_sweep_list = {.name = "sweep list", .args = "", .summary = "the sweeps of the lab", .run = run};
