/* SPDX-License-Identifier: GPL-2.0-or-later */
/* mountd-ask tcp|udp VERSION PORT PATH: asks mountd on 127.0.0.1 for a handle of NFS v2 or v3 (runner/common/mountd.h). Prints it in hex. */
#include <arpa/inet.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "common/mountd.h"

int main(int argc, char **argv)
{
	struct sockaddr_in server = {.sin_family = AF_INET};
	struct mountd_fh fh;
	int err;

	if (argc != 5) {
		fprintf(stderr, "usage: mountd-ask tcp|udp VERSION PORT PATH\n");
		return 2;
	}
	server.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
	server.sin_port = htons((uint16_t)strtoul(argv[3], NULL, 10));
	err = mountd_ask(&server, !strcmp(argv[1], "udp"), (unsigned)strtoul(argv[2], NULL, 10), argv[4], &fh);
	if (err) {
		fprintf(stderr, "mountd-ask: %s\n", strerror(-err));
		return 1;
	}
	for (unsigned i = 0; i < fh.len; i++)
		printf("%02x", fh.data[i]);
	putchar('\n');
	return 0;
}
