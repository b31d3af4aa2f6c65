/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * tree: numbers, names and sizes. The trap: a change of any function here makes another tree of the same seed, and results that cannot be
 * compared with those of before: the unit test holds it.
 */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "tree.h"

#define BLOCK 4096u
#define FANOUT 8u
#define ONE 65536    /* 1.0 of a variate and of an exponent */
#define DRAWS 12     /* uniform ones of 16 bit, which have the variance of one normal one */
#define SIGMA_64 125 /* octaves of a file's size a standard deviation, in 1/64: 1.953, that is sigma 1.354 */
#define WEIGHT_64 96 /* of a folder's weight: 1.5 octaves */
#define WEIGHT 256

enum what { FILE_SIZE = 1, FILE_NAME, DIR_NAME, DIR_PARENT, DIR_WEIGHT, FILE_CHECK };

static uint64_t mix(uint64_t x)
{
	x += 0x9e3779b97f4a7c15u;
	x = (x ^ (x >> 30)) * 0xbf58476d1ce4e5b9u;
	x = (x ^ (x >> 27)) * 0x94d049bb133111ebu;
	return x ^ (x >> 31);
}

static uint64_t hash(const struct tree *t, enum what what, unsigned number) { return mix(mix(t->seed ^ ((uint64_t)what << 56)) ^ number); }

/* A normal variate in 1/ONE: the sum of DRAWS uniform ones less its mean. */
static int32_t normal(uint64_t h)
{
	int32_t sum = 0;

	for (unsigned i = 0; i < DRAWS / 4; i++) {
		for (unsigned j = 0; j < 4; j++)
			sum += (int32_t)(h >> 16 * j & 0xffff);
		h = mix(h);
	}
	return sum - DRAWS * (ONE - 1) / 2;
}

/* base * 2^(octaves/ONE), between 1 and max. */
static uint64_t scale(uint64_t base, int64_t octaves, uint64_t max)
{
	int64_t whole = octaves >= 0 ? octaves / ONE : -((-octaves + ONE - 1) / ONE);
	uint64_t f = (uint64_t)(octaves - whole * ONE);
	uint64_t v = base * (ONE + (f * (43024 + f * 22512 / ONE)) / ONE);

	/* 43024 and 22512: 2^f = 1 + .6565 f + .3435 f^2 */
	v = whole >= 16 ? v << (whole - 16) : whole > -32 ? v >> (16 - whole) : 0;
	return v < 1 ? 1 : v > max ? max : v;
}

void tree_init(struct tree *t, unsigned files, unsigned dirs, unsigned median_bytes, uint64_t seed)
{
	memset(t, 0, sizeof(*t));
	t->files = files;
	t->dirs = dirs;
	t->median_bytes = median_bytes;
	t->seed = seed;
	for (unsigned i = 0; i < dirs; i++)
		tree_files_end(t, i, &t->weights);
}

unsigned tree_parent(const struct tree *t, unsigned dir)
{
	unsigned among = dir / FANOUT;

	return among ? (unsigned)(hash(t, DIR_PARENT, dir) % among) : 0;
}

/* 2 to 9 letters, then _NUMBER. */
static size_t put_name(uint64_t h, unsigned number, char out[TREE_NAME_MAX])
{
	size_t n = 2 + h % 8;

	for (size_t i = 0; i < n; i++) {
		h /= 26;
		out[i] = (char)('a' + h % 26);
	}
	return n + (size_t)snprintf(out + n, TREE_NAME_MAX - n, "_%u", number);
}

void tree_dir_name(const struct tree *t, unsigned dir, char out[TREE_NAME_MAX]) { put_name(hash(t, DIR_NAME, dir), dir, out); }

void tree_file_name(const struct tree *t, unsigned file, char out[TREE_NAME_MAX])
{
	uint64_t h = hash(t, FILE_NAME, file);
	size_t n = put_name(h, file, out);

	snprintf(out + n, TREE_NAME_MAX - n, ".%c", "cccccchS"[h >> 61]);
}

void tree_dir_path(const struct tree *t, unsigned dir, char out[TREE_PATH_MAX])
{
	char name[TREE_NAME_MAX];
	size_t at = TREE_PATH_MAX - 1, n;

	/* from the end to the front */
	out[at] = 0;
	for (; dir; dir = tree_parent(t, dir)) {
		tree_dir_name(t, dir, name);
		n = strlen(name);
		if (at < n + 1)
			break; /* cannot be: TREE_PATH_MAX */
		if (out[at])
			out[--at] = '/';
		at -= n;
		memcpy(out + at, name, n);
	}
	memmove(out, out + at, TREE_PATH_MAX - at);
}

int tree_find(const struct tree *t, const char *name, unsigned *number)
{
	const char *digits = strchr(name, '_');
	char want[TREE_NAME_MAX], *end;
	unsigned long v;
	int is_file;

	if (!digits || digits[1] < '0' || digits[1] > '9')
		return -ENOENT;
	errno = 0;
	v = strtoul(digits + 1, &end, 10);
	is_file = *end == '.';
	if (errno || v >= (is_file ? t->files : t->dirs))
		return -ENOENT;
	*number = (unsigned)v;
	if (is_file)
		tree_file_name(t, *number, want);
	else
		tree_dir_name(t, *number, want);
	return strcmp(name, want) ? -ENOENT : is_file;
}

uint64_t tree_file_bytes(const struct tree *t, unsigned file)
{
	return scale(t->median_bytes, (int64_t)normal(hash(t, FILE_SIZE, file)) * SIGMA_64 / 64, TREE_FILE_BYTES_MAX);
}

unsigned tree_files_end(const struct tree *t, unsigned dir, uint64_t *weight)
{
	*weight += scale(WEIGHT, (int64_t)normal(hash(t, DIR_WEIGHT, dir)) * WEIGHT_64 / 64, 1u << 16);
	if (!t->weights) /* they are being added up */
		return 0;
	return dir + 1 == t->dirs ? t->files : (unsigned)(t->files * *weight / t->weights);
}

void tree_sum_file(struct tree_sum *s, const struct tree *t, unsigned file, uint64_t bytes)
{
	s->files++;
	s->bytes += bytes;
	s->check += hash(t, FILE_CHECK, file);
}

void tree_whole(const struct tree *t, struct tree_sum *s, uint64_t *room)
{
	memset(s, 0, sizeof(*s));
	s->dirs = t->dirs - 1;
	*room = (uint64_t)t->dirs * BLOCK;
	for (unsigned i = 0; i < t->files; i++) {
		uint64_t bytes = tree_file_bytes(t, i);

		tree_sum_file(s, t, i, bytes);
		*room += (bytes + BLOCK - 1) & ~(uint64_t)(BLOCK - 1);
	}
}
