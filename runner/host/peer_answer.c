/* SPDX-License-Identifier: GPL-2.0-or-later */
/* peer_answer: see peer_answer.h. The hash is over a fixed length with the secret first, and cut: nothing can be appended to it. */
#include "host/peer_answer.h"

#include <errno.h>
#include <string.h>
#include <sys/random.h>

#include "common/sha256.h"

static void make_cookie(const struct peer_answer *p, const struct peer_answer_to *from, uint64_t nonce, uint32_t epoch, unsigned char *out)
{
	unsigned char hash[32];
	struct sha256 s;

	sha256_init(&s);
	sha256_update(&s, p->secret, sizeof p->secret);
	sha256_update(&s, &from->addr, sizeof from->addr);
	sha256_update(&s, &from->port, sizeof from->port);
	sha256_update(&s, &nonce, sizeof nonce);
	sha256_update(&s, &epoch, sizeof epoch);
	sha256_final(&s, hash);
	memcpy(out, hash, PEER_UDP_COOKIE);
}

/* In a time that does not depend on where they differ. */
static int is_proven(const struct peer_answer *p, const struct peer_answer_to *from, const struct peer_udp *d)
{
	unsigned char want[PEER_UDP_COOKIE];
	unsigned differs = 0;

	if (from->now_s - d->epoch > PEER_ANSWER_LIFE_S) /* one of the future wraps round, and is over too */
		return 0;
	make_cookie(p, from, d->nonce, d->epoch, want);
	for (size_t i = 0; i < sizeof want; i++)
		differs |= want[i] ^ d->cookie[i];
	return !differs;
}

int peer_answer_init(struct peer_answer *p)
{
	peer_udp_fill(p->noise);
	return getrandom(p->secret, sizeof p->secret, 0) == (ssize_t)sizeof p->secret ? 0 : -errno;
}

struct peer_answer_out peer_answer(const struct peer_answer *p, const struct peer_answer_to *from, const unsigned char *datagram, size_t len)
{
	struct peer_answer_out out = {.count = 0};
	struct peer_udp d;
	uint32_t bad;

	if (peer_udp_get(&d, datagram, len))
		return out;
	if (d.type == PEER_UDP_HELLO) {
		out.head = (struct peer_udp){.type = PEER_UDP_COOKIE_IS, .nonce = d.nonce, .epoch = from->now_s};
		make_cookie(p, from, d.nonce, from->now_s, out.head.cookie);
		out.count = 1;
	} else if (d.type == PEER_UDP_GRANT && is_proven(p, from, &d)) {
		out.count = d.n;
		out.head = (struct peer_udp){.type = PEER_UDP_DATA, .nonce = d.nonce, .seq = d.seq, .size = d.size};
	} else if (d.type == PEER_UDP_DATA && is_proven(p, from, &d)) {
		out.count = 1;
		out.head = (struct peer_udp){.type = PEER_UDP_ACK, .nonce = d.nonce, .seq = d.seq, .size = d.size};
		out.head.n = peer_udp_check(p->noise, datagram, d.size, d.seq, &bad) ? PEER_UDP_WRONG : 0;
	}
	return out;
}
