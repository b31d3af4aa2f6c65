/* SPDX-License-Identifier: GPL-2.0-or-later */
/* cmd_serve: `kdyno serve http|peer PORT` and `serve rpcbind FOLDER`, started by `sweep run` and not meant for people. */
#include <stdlib.h>
#include <string.h>

#include "common/err.h"
#include "host/cmd.h"
#include "host/lab.h"
#include "host/serve.h"

static int run(int argc, char **argv)
{
	char *end;
	unsigned long port;

	if (argc != 2)
		err_usage("serve wants http or peer, and a port");
	if (!strcmp(argv[0], "rpcbind"))
		return serve_rpcbind(argv[1]);
	port = strtoul(argv[1], &end, 10);
	if (*end || !port || port > 65535)
		err_usage("serve: '%s' is no port", argv[1]);
	if (!strcmp(argv[0], "http")) {
		lab_require();
		return serve_http((unsigned)port);
	}
	if (!strcmp(argv[0], "peer"))
		return serve_peer((unsigned)port);
	err_usage("serve: unknown server '%s' (http or peer)", argv[0]);
}

const struct cmd cmd_serve = {
	.name = "serve",
	.args = "http|peer PORT",
	.summary = "serve a lab to its boxes (internal: sweep run starts it)",
	.run = run,
	.hidden = 1,
};
