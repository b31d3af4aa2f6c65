/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * sha256: SHA-256 after FIPS 180-4, for files that travel to the box and for the proof of what ran.
 */
#ifndef KD_SHA256_H
#define KD_SHA256_H

#include <stddef.h>
#include <stdint.h>

struct sha256 {
	uint32_t h[8];
	uint64_t bytes;
	unsigned char block[64];
	size_t fill;
};

void sha256_init(struct sha256 *s);
void sha256_update(struct sha256 *s, const void *data, size_t len);
void sha256_final(struct sha256 *s, unsigned char out[32]);
/* 64 hex digits and a NUL. */
void sha256_hex(const void *data, size_t len, char out[65]);
void sha256_final_hex(struct sha256 *s, char out[65]);
/* Whole file, 64 KiB at a time; *bytes (may be NULL) is its length. 0 or -errno. */
int sha256_file(const char *path, char out[65], uint64_t *bytes);

#endif
