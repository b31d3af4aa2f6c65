/* SPDX-License-Identifier: GPL-2.0-or-later */
/* cmd_compare: kdyno compare (to be written). */
#include "common/err.h"
#include "host/cmd.h"

static int run(int argc, char **argv)
{
	(void)argc;
	(void)argv;
	err_die("compare: not yet");
}

const struct cmd cmd_compare = {.name = "compare", .args = "SWEEP", .summary = "compare a sweep", .run = run};
