/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * block_file: filled and verified in pieces, worked on in blocks.
 */
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "block_file.h"
#include "common/err.h"
#include "fact.h"
#include "place.h"

#define PAGE 4096

int block_file_init(struct block_file *b, const char *path, uint64_t size, size_t block, uint64_t seed)
{
	void *buf, *map;
	int err;

	memset(b, 0, sizeof(*b));
	if (block > BLOCK_BYTES_MAX || !size || size & (block - 1) || size / block > BLOCK_FILE_BLOCKS_MAX)
		return -EINVAL;
	b->path = path;
	b->block = block;
	b->blocks = (uint32_t)(size / block);
	b->piece = block > PATTERN_PERIOD ? block : PATTERN_PERIOD;
	err = pattern_init(&b->pattern, seed, block);
	if (err)
		return err;
	map = mmap(NULL, b->blocks, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
	if (map != MAP_FAILED)
		b->generation = map;
	if (!b->generation || posix_memalign(&buf, PAGE, b->piece)) {
		block_file_free(b);
		return -ENOMEM;
	}
	b->buf = buf;
	return 0;
}

int block_file_begin(struct block_file *f, struct place *place, const char *path, uint64_t size, size_t block, uint64_t seed)
{
	int err = block_file_init(f, path, size, block, seed);

	if (!err)
		return 0;
	place_close(place);
	if (err == -ENOMEM)
		return fact_skip("no memory for the work on %" PRIu64 " blocks", size / block);
	err_usage("size_bytes must be a multiple of block_bytes, that a power of two, and at most %u blocks", BLOCK_FILE_BLOCKS_MAX);
}

void block_file_free(struct block_file *b)
{
	pattern_free(&b->pattern);
	free(b->buf);
	if (b->generation)
		munmap(b->generation, b->blocks);
	b->buf = NULL;
	b->generation = NULL;
}

const void *block_data(struct block_file *b, uint32_t block, unsigned generation)
{
	return pattern_at(&b->pattern, (uint64_t)block * b->block, b->block, generation);
}

int block_check(const struct block_file *b, uint32_t block, uint64_t *bad)
{
	return pattern_check_stamps(&b->pattern, b->buf, b->block, (uint64_t)block * b->block, b->generation[block], bad);
}

/* Blocks of the piece that begins with this one. */
static uint32_t in_piece(const struct block_file *b, uint32_t block, uint32_t blocks)
{
	uint32_t n = (uint32_t)(b->piece / b->block);

	return blocks - block < n ? blocks - block : n;
}

static int write_piece(struct block_file *b, int fd, uint32_t block, uint32_t n)
{
	size_t done = 0, len = n * b->block;

	for (uint32_t i = 0; i < n; i++)
		memcpy(b->buf + i * b->block, block_data(b, block + i, 0), b->block);
	while (done < len) {
		ssize_t got = pwrite(fd, b->buf + done, len - done, (off_t)((uint64_t)block * b->block + done));

		if (got < 0 && errno == EINTR)
			continue;
		if (got <= 0)
			return got ? -errno : -EIO;
		done += (size_t)got;
	}
	return 0;
}

int block_file_fill(struct block_file *b)
{
	int fd = open(b->path, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0600), err = 0;

	if (fd < 0)
		return -errno;
	for (uint32_t i = 0, n; i < b->blocks && !err; i += n) {
		n = in_piece(b, i, b->blocks);
		err = write_piece(b, fd, i, n);
	}
	if (!err && fsync(fd))
		err = -errno;
	if (close(fd) && !err)
		err = -errno;
	memset(b->generation, 0, b->blocks);
	return err;
}

static int check_piece(struct block_file *b, int fd, uint32_t block, uint32_t n, uint64_t *bad)
{
	size_t have = 0, len = n * b->block;
	int err = 0;

	while (have < len) {
		ssize_t got = pread(fd, b->buf + have, len - have, (off_t)((uint64_t)block * b->block + have));

		if (got < 0 && errno == EINTR)
			continue;
		if (got <= 0)
			return got ? -errno : -ENODATA;
		have += (size_t)got;
	}
	for (uint32_t i = 0; i < n && !err; i++)
		err = pattern_check(&b->pattern, b->buf + i * b->block, b->block, (uint64_t)(block + i) * b->block, b->generation[block + i], bad);
	return err;
}

int block_file_verify(struct block_file *b, uint32_t blocks, uint64_t *bad)
{
	int fd = open(b->path, O_RDONLY | O_CLOEXEC), err = 0;

	if (fd < 0)
		return -errno;
	for (uint32_t i = 0, n; i < blocks && !err; i += n) {
		n = in_piece(b, i, blocks);
		err = check_piece(b, fd, i, n, bad);
	}
	close(fd);
	return err;
}

const char *block_error(const char *what, int err, uint64_t bad, char *out, size_t size)
{
	if (err == -EILSEQ)
		snprintf(out, size, "%s: wrong data at %" PRIu64, what, bad);
	else
		snprintf(out, size, "%s: %s", what, err == -ENODATA ? "the file is too short" : strerror(-err));
	return out;
}
