/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * sha256: SHA-256 after FIPS 180-4, section 6.2; names of functions and variables are those of the standard.
 *
 * Written for size and for 32-bit machines: no 64-bit arithmetic but the byte count.
 */
#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <unistd.h>

#include "common/sha256.h"

/* Section 4.2.2: the first 32 bits of the fractional parts of the cube roots of the first 64 primes. */
/* clang-format off */
static const uint32_t k[64] = {
	0x428a2f98, 0x71374491, 0xb5c0fbcf, 0xe9b5dba5, 0x3956c25b, 0x59f111f1, 0x923f82a4, 0xab1c5ed5,
	0xd807aa98, 0x12835b01, 0x243185be, 0x550c7dc3, 0x72be5d74, 0x80deb1fe, 0x9bdc06a7, 0xc19bf174,
	0xe49b69c1, 0xefbe4786, 0x0fc19dc6, 0x240ca1cc, 0x2de92c6f, 0x4a7484aa, 0x5cb0a9dc, 0x76f988da,
	0x983e5152, 0xa831c66d, 0xb00327c8, 0xbf597fc7, 0xc6e00bf3, 0xd5a79147, 0x06ca6351, 0x14292967,
	0x27b70a85, 0x2e1b2138, 0x4d2c6dfc, 0x53380d13, 0x650a7354, 0x766a0abb, 0x81c2c92e, 0x92722c85,
	0xa2bfe8a1, 0xa81a664b, 0xc24b8b70, 0xc76c51a3, 0xd192e819, 0xd6990624, 0xf40e3585, 0x106aa070,
	0x19a4c116, 0x1e376c08, 0x2748774c, 0x34b0bcb5, 0x391c0cb3, 0x4ed8aa4a, 0x5b9cca4f, 0x682e6ff3,
	0x748f82ee, 0x78a5636f, 0x84c87814, 0x8cc70208, 0x90befffa, 0xa4506ceb, 0xbef9a3f7, 0xc67178f2,
};
/* clang-format on */

static uint32_t rotr(uint32_t x, unsigned n) { return x >> n | x << (32 - n); }

static uint32_t load_be32(const unsigned char *p) { return (uint32_t)p[0] << 24 | (uint32_t)p[1] << 16 | (uint32_t)p[2] << 8 | p[3]; }

static void store_be32(unsigned char *p, uint32_t v)
{
	p[0] = (unsigned char)(v >> 24);
	p[1] = (unsigned char)(v >> 16);
	p[2] = (unsigned char)(v >> 8);
	p[3] = (unsigned char)v;
}

/* Section 6.2.2, step 3, with a at v[at], b at v[at + 1] and so on, round the end. */
static inline __attribute__((always_inline)) void one_round(uint32_t v[8], unsigned at, uint32_t kw)
{
	uint32_t a = v[at], b = v[(at + 1) & 7], c = v[(at + 2) & 7], e = v[(at + 4) & 7], f = v[(at + 5) & 7], g = v[(at + 6) & 7];
	uint32_t s1 = rotr(e, 6) ^ rotr(e, 11) ^ rotr(e, 25);
	uint32_t ch = (e & f) ^ (~e & g);
	uint32_t t1 = v[(at + 7) & 7] + s1 + ch + kw;
	uint32_t s0 = rotr(a, 2) ^ rotr(a, 13) ^ rotr(a, 22);
	uint32_t maj = (a & b) ^ (a & c) ^ (b & c);

	v[(at + 3) & 7] += t1;
	v[(at + 7) & 7] = t1 + s0 + maj;
}

static void hash_block(uint32_t h[8], const unsigned char *block)
{
	uint32_t w[64], v[8];

	for (unsigned t = 0; t < 16; t++)
		w[t] = load_be32(block + 4 * t);
	for (unsigned t = 16; t < 64; t++) {
		uint32_t s0 = rotr(w[t - 15], 7) ^ rotr(w[t - 15], 18) ^ w[t - 15] >> 3;
		uint32_t s1 = rotr(w[t - 2], 17) ^ rotr(w[t - 2], 19) ^ w[t - 2] >> 10;

		w[t] = w[t - 16] + s0 + w[t - 7] + s1;
	}
	memcpy(v, h, sizeof(v)); /* a b c d e f g h */
	/* Eight rounds at a time, each with the names moved on by one: nothing is copied (seen: memmove(3) here cost 7/8 of all time). */
	for (unsigned t = 0; t < 64; t += 8) {
		one_round(v, 0, k[t] + w[t]);
		one_round(v, 7, k[t + 1] + w[t + 1]);
		one_round(v, 6, k[t + 2] + w[t + 2]);
		one_round(v, 5, k[t + 3] + w[t + 3]);
		one_round(v, 4, k[t + 4] + w[t + 4]);
		one_round(v, 3, k[t + 5] + w[t + 5]);
		one_round(v, 2, k[t + 6] + w[t + 6]);
		one_round(v, 1, k[t + 7] + w[t + 7]);
	}
	for (unsigned i = 0; i < 8; i++)
		h[i] += v[i];
}

void sha256_init(struct sha256 *s)
{
	/* Section 5.3.3: square roots of the first 8 primes. */
	static const uint32_t h0[8] = {0x6a09e667, 0xbb67ae85, 0x3c6ef372, 0xa54ff53a, 0x510e527f, 0x9b05688c, 0x1f83d9ab, 0x5be0cd19};

	memcpy(s->h, h0, sizeof(h0));
	s->bytes = 0;
	s->fill = 0;
}

void sha256_update(struct sha256 *s, const void *data, size_t len)
{
	const unsigned char *p = data;

	s->bytes += len;
	while (len) {
		size_t n = sizeof(s->block) - s->fill;

		if (!s->fill && len >= sizeof(s->block)) {
			n = sizeof(s->block);
			hash_block(s->h, p);
		} else {
			if (n > len)
				n = len;
			memcpy(s->block + s->fill, p, n);
			s->fill += n;
			if (s->fill == sizeof(s->block)) {
				hash_block(s->h, s->block);
				s->fill = 0;
			}
		}
		p += n;
		len -= n;
	}
}

void sha256_final(struct sha256 *s, unsigned char out[32])
{
	uint64_t bits = s->bytes << 3;

	s->block[s->fill++] = 0x80;
	if (s->fill > 56) {
		memset(s->block + s->fill, 0, sizeof(s->block) - s->fill);
		hash_block(s->h, s->block);
		s->fill = 0;
	}
	memset(s->block + s->fill, 0, 56 - s->fill);
	store_be32(s->block + 56, (uint32_t)(bits >> 32));
	store_be32(s->block + 60, (uint32_t)bits);
	hash_block(s->h, s->block);
	for (unsigned i = 0; i < 8; i++)
		store_be32(out + 4 * i, s->h[i]);
}

void sha256_final_hex(struct sha256 *s, char out[65])
{
	static const char digits[] = "0123456789abcdef";
	unsigned char sum[32];

	sha256_final(s, sum);
	for (unsigned i = 0; i < 32; i++) {
		out[2 * i] = digits[sum[i] >> 4];
		out[2 * i + 1] = digits[sum[i] & 15];
	}
	out[64] = 0;
}

void sha256_hex(const void *data, size_t len, char out[65])
{
	struct sha256 s;

	sha256_init(&s);
	sha256_update(&s, data, len);
	sha256_final_hex(&s, out);
}

int sha256_file(const char *path, char out[65], uint64_t *bytes)
{
	struct sha256 s;
	char buf[65536];
	ssize_t n;
	int fd, err = 0;

	fd = open(path, O_RDONLY | O_CLOEXEC);
	if (fd < 0)
		return -errno;
	sha256_init(&s);
	while ((n = read(fd, buf, sizeof(buf))) != 0) {
		if (n > 0)
			sha256_update(&s, buf, (size_t)n);
		else if (errno != EINTR) {
			err = -errno;
			break;
		}
	}
	close(fd);
	if (err)
		return err;
	if (bytes)
		*bytes = s.bytes;
	sha256_final_hex(&s, out);
	return 0;
}
