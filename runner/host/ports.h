/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * ports: the TCP ports on which the station's servers listen, all on 127.0.0.1. Chosen once, when a lab first needs them, and
 * kept in run/ports: home's command line names them, so a restart must use the same.
 */
#ifndef KD_PORTS_H
#define KD_PORTS_H

enum port_id { PORT_HTTP, PORT_NFS, PORT_NFS_MOUNT, PORT_NFSTEST, PORT_NFSTEST_MOUNT, PORT_PEER, PORT_IDS };

struct ports {
	unsigned port[PORT_IDS];
};

/* Reads run/ports, or chooses free ones and writes it. Dies with one line. */
void ports_load(struct ports *p);
/* 0 when nobody listens there, -EADDRINUSE, -errno. */
int ports_check(unsigned port);
/* A free port on 127.0.0.1, for whoever takes it at once; or -errno. */
int ports_free(void);
const char *ports_name(enum port_id id);

#endif
