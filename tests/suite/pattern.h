/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * pattern: data whose every byte is a function of its offset in the file, the seed and the generation, so that a read proves
 * what was read: f(offset) is noise[offset mod period], but the first 8 bytes of each 512 are a stamp of (offset, seed,
 * generation). Noise: xorshift64 (Marsaglia, Journal of Statistical Software 8(14), 2003).
 *
 * Made for a timer around it: to write, only the stamps (1/64 of the bytes) are made anew, in the noise itself; to read, the
 * stamps alone can be checked in the timed loop and every byte afterwards.
 * The trap: noise repeats with the period (64 KiB, or the chunk where that is larger): a server that compresses with a
 * larger window can see through it.
 */
#ifndef KD_SUITE_PATTERN_H
#define KD_SUITE_PATTERN_H

#include <stddef.h>
#include <stdint.h>

#define PATTERN_PERIOD 65536
#define PATTERN_SECTOR 512

struct pattern {
	uint64_t seed;
	size_t period; /* bytes */
	uint64_t *noise;
};

/* chunk: the largest piece to be asked for, a power of two of at least PATTERN_SECTOR. 0, -EINVAL, -ENOMEM. */
int pattern_init(struct pattern *p, uint64_t seed, size_t chunk);
void pattern_free(struct pattern *p);

/* len bytes of data for offset (a multiple of len), good until the next call. len: a power of two, at most chunk. */
const void *pattern_at(struct pattern *p, uint64_t offset, size_t len, unsigned generation);
/* Gives data in buf (of another generation, at the same offset) the stamps of this one: what a rewrite makes dirty. */
void pattern_stamp(const struct pattern *p, void *buf, size_t len, uint64_t offset, unsigned generation);

/* 0, or -EILSEQ and the file offset of the first wrong stamp or byte's word in *bad (may be NULL). */
int pattern_check_stamps(const struct pattern *p, const void *buf, size_t len, uint64_t offset, unsigned generation, uint64_t *bad);
int pattern_check(const struct pattern *p, const void *buf, size_t len, uint64_t offset, unsigned generation, uint64_t *bad);

#endif
