/* SPDX-License-Identifier: GPL-2.0-or-later */
/* cmd_sweep_run.c: kdyno sweep run (to be written). */
#include "common/err.h"
#include "host/cmd.h"

static int run(int argc, char **argv)
{
	(void)argc;
	(void)argv;
	err_die("sweep run: not yet");
}

const struct cmd cmd_sweep_run = {.name = "sweep run", .args = "SWEEP", .summary = "run or resume a sweep", .run = run};
