/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * block_file: a file of blocks of a checked pattern (pattern.h) that are read and written one by one, in any order, by several processes: beside it, in
 * memory that they share, stands which generation of data each block holds, so that every read can be checked, and all of the file at the end.
 *
 * Two processes that write the same block write the same generation, so whoever comes last leaves the same bytes. Buffers are aligned for O_DIRECT.
 * Make it before the first fork. Memory: one byte a block, 64 KiB of pattern, one buffer of a piece (64 KiB, or a block where that is larger).
 */
#ifndef KD_SUITE_BLOCK_FILE_H
#define KD_SUITE_BLOCK_FILE_H

#include <stddef.h>
#include <stdint.h>

#include "pattern.h"

#define BLOCK_FILE_BLOCKS_MAX (1u << 24)
#define BLOCK_BYTES_MAX (1u << 20)

struct block_file {
	const char *path; /* not copied */
	size_t block, piece;
	uint32_t blocks;
	struct pattern pattern;
	char *buf;
	uint8_t *generation; /* of each block */
};

/* 0, -EINVAL (size is no multiple of block, or too many), -ENOMEM. */
int block_file_init(struct block_file *b, const char *path, uint64_t size, size_t block, uint64_t seed);
struct place;
/* For a test: the same; or closes the place and gives the exit status (no memory: a skip), or ends with a usage error. */
int block_file_begin(struct block_file *f, struct place *place, const char *path, uint64_t size, size_t block, uint64_t seed);
void block_file_free(struct block_file *b);
/* A new file with every block in generation 0, on the disk (fsync). 0 or -errno. */
int block_file_fill(struct block_file *b);
/* The first `blocks` of the file, every byte. 0, -EILSEQ with the offset in *bad, -ENODATA: too short, -errno. */
int block_file_verify(struct block_file *b, uint32_t blocks, uint64_t *bad);

/* What is to be written to a block; good until the next call. The caller sets the generation. */
const void *block_data(struct block_file *b, uint32_t block, unsigned generation);
/* What was read into buf, by its stamps. 0 or -EILSEQ with the offset. */
int block_check(const struct block_file *b, uint32_t block, uint64_t *bad);
/* For fact_fail: "read: wrong data at 4096". Returns out. */
const char *block_error(const char *what, int err, uint64_t bad, char *out, size_t size);

#endif
