/* SPDX-License-Identifier: GPL-2.0-or-later */
/* serve: the station's own little servers, each a process of its own (`kdyno serve http|peer PORT`), on 127.0.0.1. */
#ifndef KD_SERVE_H
#define KD_SERVE_H

#include <stddef.h>

/* Serve until SIGTERM or SIGINT. Exit code. */
int serve_http(unsigned port);
int serve_peer(unsigned port);
/* serve_peer_udp.c: a socket on that port, -1 where there is none to be had (said; TCP is served all the same); what has come on it is answered. */
int serve_peer_udp_open(unsigned port);
void serve_peer_udp(int fd);
/* On FOLDER/rpcbind.sock; see serve_rpcbind.c. */
int serve_rpcbind(const char *folder);

/* Is a URL's path one that is served (docs/formats.md, "Lab directory")? Pure. */
int serve_http_allows(const char *url);
/* Where a `sweep run` listens for questions: lab/run/ask-<sweep>.sock. */
#define SERVE_ASK_PREFIX "ask-"
#define SERVE_ASK_SUFFIX ".sock"
#define SERVE_ASK_MAX 512 /* bytes of a question or an answer */
#define SERVE_ASK_MS 5000 /* how long an answer may take */

#endif
