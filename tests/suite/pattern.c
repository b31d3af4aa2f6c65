/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * pattern: noise with a stamp in each sector.
 */
#include <errno.h>
#include <stdlib.h>

#include "pattern.h"

#define PAGE 4096
#define WORD sizeof(uint64_t)
#define SECTOR_WORDS (PATTERN_SECTOR / WORD)

static uint64_t xorshift(uint64_t x)
{
	x ^= x << 13;
	x ^= x >> 7;
	x ^= x << 17;
	return x;
}

static uint64_t stamp(const struct pattern *p, uint64_t offset, unsigned generation)
{
	uint64_t x = p->seed ^ offset ^ ((uint64_t)generation << 56) ^ 0x9e3779b97f4a7c15u;

	return xorshift(xorshift(x ? x : 1));
}

int pattern_init(struct pattern *p, uint64_t seed, size_t chunk)
{
	uint64_t x = seed ? seed : 1;
	void *noise;

	if (chunk < PATTERN_SECTOR || (chunk & (chunk - 1)))
		return -EINVAL;
	p->seed = seed;
	p->period = chunk > PATTERN_PERIOD ? chunk : PATTERN_PERIOD;
	if (posix_memalign(&noise, PAGE, p->period)) /* O_DIRECT takes it as it is */
		return -ENOMEM;
	p->noise = noise;
	for (size_t i = 0; i < p->period / WORD; i++)
		p->noise[i] = x = xorshift(x);
	return 0;
}

void pattern_free(struct pattern *p)
{
	free(p->noise);
	p->noise = NULL;
}

void pattern_stamp(const struct pattern *p, void *buf, size_t len, uint64_t offset, unsigned generation)
{
	uint64_t *word = buf;

	for (size_t at = 0; at < len; at += PATTERN_SECTOR)
		word[at / WORD] = stamp(p, offset + at, generation);
}

const void *pattern_at(struct pattern *p, uint64_t offset, size_t len, unsigned generation)
{
	uint64_t *word = p->noise + (size_t)(offset & (p->period - 1)) / WORD;

	pattern_stamp(p, word, len, offset, generation);
	return word;
}

static int wrong(uint64_t at, uint64_t *bad)
{
	if (bad)
		*bad = at;
	return -EILSEQ;
}

int pattern_check_stamps(const struct pattern *p, const void *buf, size_t len, uint64_t offset, unsigned generation, uint64_t *bad)
{
	const uint64_t *word = buf;

	for (size_t at = 0; at < len; at += PATTERN_SECTOR)
		if (word[at / WORD] != stamp(p, offset + at, generation))
			return wrong(offset + at, bad);
	return 0;
}

int pattern_check(const struct pattern *p, const void *buf, size_t len, uint64_t offset, unsigned generation, uint64_t *bad)
{
	const uint64_t *word = buf;
	const uint64_t *noise = p->noise + (size_t)(offset & (p->period - 1)) / WORD;

	for (size_t i = 0; i < len / WORD; i += SECTOR_WORDS) {
		if (word[i] != stamp(p, offset + i * WORD, generation))
			return wrong(offset + i * WORD, bad);
		for (size_t j = i + 1; j < i + SECTOR_WORDS; j++)
			if (word[j] != noise[j])
				return wrong(offset + j * WORD, bad);
	}
	return 0;
}
