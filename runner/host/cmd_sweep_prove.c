/* SPDX-License-Identifier: GPL-2.0-or-later */
/* cmd_sweep_prove: kdyno sweep prove: nothing lost, nothing doubled, every boot judged, from the files of a sweep that is over. */
#include <stdio.h>
#include <string.h>

#include "common/err.h"
#include "common/kv.h"
#include "host/cmd.h"
#include "host/lab.h"
#include "host/prove.h"

static int run(int argc, char **argv)
{
	struct prove p;
	int wrong;

	if (argc != 1)
		err_usage("sweep prove wants the name of one sweep (kdyno sweep list)");
	if (!kv_is_id(argv[0]))
		err_usage("sweep prove: '%.70s' is no name of a sweep", argv[0]);
	lab_require();
	prove_lab(&p, argv[0]);
	for (size_t i = 0; i < p.wrongs && i < PROVE_WRONG_MAX; i++)
		printf("%s\n", p.wrong[i] ? p.wrong[i] : "out of memory");
	if (p.wrongs > PROVE_WRONG_MAX)
		printf("... and %zu more\n", p.wrongs - PROVE_WRONG_MAX);
	printf("boots=%u complete=%u given-up=%u tries=%zu failed=%u void=%u records=%llu gaps=%llu torn=%u wrong=%zu\n", p.boots, p.complete,
	       p.given_up, p.plan.tries, p.failed, p.voids, (unsigned long long)p.records, (unsigned long long)p.gaps, p.torn, p.wrongs);
	wrong = p.wrongs != 0;
	prove_free(&p);
	return wrong ? EXIT_FAIL : EXIT_OK;
}

const struct cmd cmd_sweep_prove = {
	.name = "sweep prove",
	.args = "SWEEP",
	.summary = "prove from its files that a sweep lost nothing and doubled nothing",
	.help = "Looks at the schedule, the journals of station and box, the store and the console of a sweep that is over. Says each thing that is\n"
		"wrong: a boot without a verdict, complete twice, or run again; a line started twice; a record that is missing without a gap, or\n"
		"there twice; another kernel than was meant; a failure of which nothing is kept; something that still runs. Exit code 0: nothing is.",
	.run = run,
};
