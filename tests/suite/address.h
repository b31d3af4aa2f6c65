/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * address: what the environment says of the station: `ADDR:PORT` and `ADDR:PORT,MOUNTPORT:/path`. IPv4 in dots only: a box has no
 * resolver, and old kernels no IPv6.
 */
#ifndef KD_SUITE_ADDRESS_H
#define KD_SUITE_ADDRESS_H

#include <stdint.h>

struct address {
	char ip[16];               /* as text */
	uint32_t be;               /* network order */
	uint16_t port, mount_port; /* mount_port 0: none given */
	char path[200];            /* "" none */
};

/* Pure. 0 or -EINVAL. */
int address_parse(const char *text, struct address *out);
/* KD_PEER, of a test that needs net: 0, or the exit status after `skip` (not set) or `fail` (not to be understood). */
int address_of_peer(struct address *out);
/* A TCP connection within timeout_ms, blocking from then on. fd or -errno (-ETIMEDOUT). */
int address_connect(const struct address *a, unsigned timeout_ms);
/* The own address from which the other is reached, as text. 0 or -errno. */
int address_own(const struct address *a, char *out, unsigned size);

#endif
