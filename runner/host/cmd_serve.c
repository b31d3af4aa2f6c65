/* SPDX-License-Identifier: GPL-2.0-or-later */
/* cmd_serve.c: kdyno serve (to be written). */
#include "common/err.h"
#include "host/cmd.h"

static int run(int argc, char **argv)
{
	(void)argc;
	(void)argv;
	err_die("serve: not yet");
}

const struct cmd cmd_serve = {.name = "serve", .args = "http|peer PORT", .summary = "serve a lab (internal)", .run = run};
