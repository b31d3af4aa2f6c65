/* SPDX-License-Identifier: GPL-2.0-or-later */
/* cmd_show: kdyno show (to be written). */
#include "common/err.h"
#include "host/cmd.h"

static int run(int argc, char **argv)
{
	(void)argc;
	(void)argv;
	err_die("show: not yet");
}

const struct cmd cmd_show = {.name = "show", .args = "SWEEP", .summary = "show a sweep", .run = run};
