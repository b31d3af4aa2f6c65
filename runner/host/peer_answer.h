/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * peer_answer: the UDP side of the peer: what is sent for a datagram that came. It holds nothing about anybody: a cookie is a hash of who asks, of his
 * nonce and of the time, under a secret of this process, so that whoever shows it has received it at that address and port.
 *
 * Contract: nothing at all for what is not well-formed or not proven; never more bytes than came for a hello; for a grant at most
 * PEER_UDP_GRANT_MAX datagrams. So nobody can be flooded who has not asked, and nobody can make it keep state.
 */
#ifndef KD_PEER_ANSWER_H
#define KD_PEER_ANSWER_H

#include "common/peer_udp.h"

#define PEER_ANSWER_LIFE_S 3600u /* of a cookie */

struct peer_answer {
	unsigned char secret[32];
	unsigned char noise[PEER_UDP_NOISE];
};

struct peer_answer_to {
	uint32_t addr; /* as in the socket address */
	uint16_t port;
	uint32_t now_s;
};

/* What to send: count datagrams of head, then body: number seq of the first is in head; 0: nothing. */
struct peer_answer_out {
	struct peer_udp head; /* of the first */
	unsigned count;
};

/* Fills secret and noise. 0 or -errno. */
int peer_answer_init(struct peer_answer *p);
/* Pure. One datagram, truncated ones (longer than PEER_UDP_SIZE_MAX) excluded by the caller. */
struct peer_answer_out peer_answer(const struct peer_answer *p, const struct peer_answer_to *from, const unsigned char *datagram, size_t len);

#endif
