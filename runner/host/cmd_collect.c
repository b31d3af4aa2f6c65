/* SPDX-License-Identifier: GPL-2.0-or-later */
/* cmd_collect.c: kdyno collect (to be written). */
#include "common/err.h"
#include "host/cmd.h"

static int run(int argc, char **argv)
{
	(void)argc;
	(void)argv;
	err_die("collect: not yet");
}

const struct cmd cmd_collect = {.name = "collect", .args = "SOURCE", .summary = "read a console and print or store its records", .run = run};
