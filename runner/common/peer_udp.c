/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * peer_udp: one layout for all types; what a type does not use is zero, and must be.
 */
#include "common/peer_udp.h"

#include <errno.h>
#include <string.h>

/* Where the fields stand; 0 to 3 is the magic, 5 to 7 and 52 to 63 are zero. */
enum { AT_TYPE = 4, AT_NONCE = 8, AT_COOKIE = 16, AT_SEQ = 32, AT_N = 40, AT_SIZE = 44, AT_EPOCH = 48, AT_END = 52 };

static const unsigned char magic[4] = {'k', 'd', 'u', '1'};

static void put_32(unsigned char *p, uint32_t v)
{
	for (unsigned i = 0; i < 4; i++)
		p[i] = (unsigned char)(v >> (24 - 8 * i));
}

static void put_64(unsigned char *p, uint64_t v)
{
	put_32(p, (uint32_t)(v >> 32));
	put_32(p + 4, (uint32_t)v);
}

static uint32_t get_32(const unsigned char *p) { return (uint32_t)p[0] << 24 | (uint32_t)p[1] << 16 | (uint32_t)p[2] << 8 | p[3]; }

static uint64_t get_64(const unsigned char *p) { return (uint64_t)get_32(p) << 32 | get_32(p + 4); }

void peer_udp_put(unsigned char *head, const struct peer_udp *d)
{
	memset(head, 0, PEER_UDP_HEAD);
	memcpy(head, magic, sizeof(magic));
	head[AT_TYPE] = (unsigned char)d->type;
	put_64(head + AT_NONCE, d->nonce);
	memcpy(head + AT_COOKIE, d->cookie, PEER_UDP_COOKIE);
	put_64(head + AT_SEQ, d->seq);
	put_32(head + AT_N, d->n);
	put_32(head + AT_SIZE, d->size);
	put_32(head + AT_EPOCH, d->epoch);
}

static int is_zero(const unsigned char *p, size_t from, size_t to)
{
	for (; from < to; from++)
		if (p[from])
			return 0;
	return 1;
}

static int is_sane(const struct peer_udp *d, size_t len)
{
	int sized = d->size >= PEER_UDP_SIZE_MIN && d->size <= PEER_UDP_SIZE_MAX && d->seq < PEER_UDP_SEQ_MAX;

	switch (d->type) {
	case PEER_UDP_HELLO:
	case PEER_UDP_COOKIE_IS:
		return len == PEER_UDP_HEAD && !d->seq && !d->n && !d->size;
	case PEER_UDP_GRANT:
		return len == PEER_UDP_HEAD && sized && d->n && d->n <= PEER_UDP_GRANT_MAX;
	case PEER_UDP_DATA:
		return sized && len == d->size && !d->n;
	case PEER_UDP_ACK:
		return len == PEER_UDP_HEAD && sized && d->n <= PEER_UDP_WRONG;
	}
	return 0;
}

int peer_udp_get(struct peer_udp *d, const unsigned char *datagram, size_t len)
{
	memset(d, 0, sizeof(*d));
	if (len < PEER_UDP_HEAD || memcmp(datagram, magic, sizeof(magic)) || !is_zero(datagram, AT_TYPE + 1, AT_NONCE) ||
	    !is_zero(datagram, AT_END, PEER_UDP_HEAD))
		return -EBADMSG;
	d->type = (enum peer_udp_type)datagram[AT_TYPE];
	d->nonce = get_64(datagram + AT_NONCE);
	memcpy(d->cookie, datagram + AT_COOKIE, PEER_UDP_COOKIE);
	d->seq = get_64(datagram + AT_SEQ);
	d->n = get_32(datagram + AT_N);
	d->size = get_32(datagram + AT_SIZE);
	d->epoch = get_32(datagram + AT_EPOCH);
	return is_sane(d, len) ? 0 : -EBADMSG;
}

void peer_udp_fill(unsigned char *noise)
{
	uint64_t x = UINT64_C(0x9e3779b97f4a7c15);

	for (size_t i = 0; i < PEER_UDP_NOISE; i += 8) {
		unsigned char word[8];

		x ^= x << 13;
		x ^= x >> 7;
		x ^= x << 17;
		put_64(word, x);
		memcpy(noise + i, word, 8);
	}
}

/* An odd step, so that 65536 numbers in a row have as many bodies. */
const unsigned char *peer_udp_body(const unsigned char *noise, uint64_t seq) { return noise + (seq * 40503u & 0xffff); }

int peer_udp_check(const unsigned char *noise, const unsigned char *datagram, uint32_t size, uint64_t seq, uint32_t *bad)
{
	const unsigned char *want = peer_udp_body(noise, seq), *got = datagram + PEER_UDP_HEAD;
	size_t len = size - PEER_UDP_HEAD, i = 0;

	if (!memcmp(got, want, len))
		return 0;
	while (got[i] == want[i])
		i++;
	*bad = (uint32_t)(i + PEER_UDP_HEAD);
	return -EILSEQ;
}
