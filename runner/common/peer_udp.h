/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * peer_udp: the datagrams between net-udp and the station's peer (docs/test-programs.md, "UDP"). A head of PEER_UDP_HEAD bytes, big-endian; of `data` the rest
 * of the datagram is noise, a function of its number, so that both ends can check every byte.
 *
 * Pure. The trap is amplification: the peer answers a hello with as many bytes as came, and gives data only for a cookie, which nobody has who does not
 * receive at the address that it was made for.
 */
#ifndef KD_PEER_UDP_H
#define KD_PEER_UDP_H

#include <stddef.h>
#include <stdint.h>

#define PEER_UDP_HEAD 64
#define PEER_UDP_COOKIE 16
#define PEER_UDP_SIZE_MIN 128u   /* of a data datagram, head included */
#define PEER_UDP_SIZE_MAX 65000u /* IPv4 ends at 65507 */
#define PEER_UDP_GRANT_MAX 16u   /* datagrams a grant */
#define PEER_UDP_SEQ_MAX (UINT64_C(1) << 40)

enum peer_udp_type {
	PEER_UDP_HELLO = 'h', /* to the peer: who am I to you? */
	PEER_UDP_COOKIE_IS = 'c',
	PEER_UDP_GRANT = 'g', /* to the peer: send n datagrams of size bytes, the first of number seq */
	PEER_UDP_DATA = 'd',  /* either way */
	PEER_UDP_ACK = 'a',   /* from the peer, for each data: n is 0, or PEER_UDP_WRONG */
};

#define PEER_UDP_WRONG 1u /* its bytes were not what they should be */

struct peer_udp {
	enum peer_udp_type type;
	uint32_t epoch; /* of the cookie: when it was made */
	uint64_t nonce; /* the asker's, comes back in all */
	unsigned char cookie[PEER_UDP_COOKIE];
	uint64_t seq;
	uint32_t n, size;
};

/* head: PEER_UDP_HEAD bytes. */
void peer_udp_put(unsigned char *head, const struct peer_udp *d);
/*
 * A whole datagram of len bytes: 0, or -EBADMSG: too short or too long for its type, unknown, a field out of range, a byte set that is to be zero.
 */
int peer_udp_get(struct peer_udp *d, const unsigned char *datagram, size_t len);

/* Noise for all numbers: PEER_UDP_NOISE bytes. */
#define PEER_UDP_NOISE (65536u + PEER_UDP_SIZE_MAX)
void peer_udp_fill(unsigned char *noise);
/* What follows the head of data number seq: size - PEER_UDP_HEAD bytes in noise. */
const unsigned char *peer_udp_body(const unsigned char *noise, uint64_t seq);
/* 0, or -EILSEQ and the offset in the datagram of the first wrong byte. datagram: size bytes of data number seq. */
int peer_udp_check(const unsigned char *noise, const unsigned char *datagram, uint32_t size, uint64_t seq, uint32_t *bad);

#endif
