/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * net: brings the network up in a child, beside the early tests: finds the interface, waits for its carrier, configures it by
 * udhcpc or from ip=. A network that fails is tried again, from 5 s to 60 s, for as long as the runner lives.
 */
#ifndef KD_BOX_NET_H
#define KD_BOX_NET_H

#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

enum net_state { NET_NONE, NET_STARTING, NET_UP, NET_FAILED };

struct net {
	pid_t pid; /* 0: none */
	int fd;    /* reports, -1 none */
	enum net_state state;
	unsigned tries;
	char report[256]; /* the last one: pairs, escaped, for an env record */
	char line[256];
	size_t len;
};

/* ip: ADDR/PREFIX[,GATEWAY] or "" for DHCP. 0 or -errno. */
int net_start(struct net *n, const char *ip, const int *close_fds, size_t nfds);
/* Reads reports. */
void net_poll(struct net *n);

/* ADDR/PREFIX[,GATEWAY] to network byte order; gateway 0 where none. Pure. */
int net_ip_parse(const char *s, uint32_t *addr, uint32_t *mask, uint32_t *gateway);
/* One try, in the child: 0, or -errno with the reason in why. Fills report on success. */
int net_bring_up(const char *ip, char *report, size_t size, const char **why);

#endif
