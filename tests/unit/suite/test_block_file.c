/* SPDX-License-Identifier: GPL-2.0-or-later */
/* block_file: what was written is found, block by block and as a whole, and what was not is not. */
#include "../common/unit.h"

#include <errno.h>
#include <fcntl.h>

#include "../../suite/block_file.h"

#define BLOCK 4096
#define BLOCKS 37 /* no whole pieces */

static struct unit_dir dir;
static char path[300];

static void write_at(uint64_t at, const void *data, size_t len)
{
	int fd = open(path, O_WRONLY);

	assert_true(fd >= 0);
	assert_int_equal(pwrite(fd, data, len, (off_t)at), (ssize_t)len);
	close(fd);
}

static void test_work(void **state)
{
	struct block_file b;
	uint64_t bad = 0;
	int fd;

	(void)state;
	assert_int_equal(block_file_init(&b, path, BLOCK * BLOCKS, BLOCK, 7), 0);
	assert_int_equal(b.blocks, BLOCKS);
	assert_int_equal(block_file_fill(&b), 0);
	assert_int_equal(block_file_verify(&b, BLOCKS, &bad), 0);
	write_at(20 * BLOCK, block_data(&b, 20, 3), BLOCK);
	assert_int_equal(block_file_verify(&b, BLOCKS, &bad), -EILSEQ);
	assert_int_equal(bad, 20 * BLOCK);
	assert_int_equal(block_file_verify(&b, 20, &bad), 0);
	b.generation[20] = 3;
	assert_int_equal(block_file_verify(&b, BLOCKS, &bad), 0);
	write_at(36 * BLOCK + 1000, "x", 1);
	assert_int_equal(block_file_verify(&b, BLOCKS, &bad), -EILSEQ);
	assert_int_equal(bad, 36 * BLOCK + 1000);

	fd = open(path, O_RDONLY);
	assert_int_equal(pread(fd, b.buf, BLOCK, 20 * BLOCK), BLOCK);
	close(fd);
	assert_int_equal(block_check(&b, 20, &bad), 0);
	assert_int_equal(block_check(&b, 21, &bad), -EILSEQ);
	b.generation[20] = 2; /* old data */
	assert_int_equal(block_check(&b, 20, &bad), -EILSEQ);
	assert_int_equal(truncate(path, 36 * BLOCK), 0);
	assert_int_equal(block_file_verify(&b, BLOCKS, &bad), -EILSEQ); /* block 20 comes first */
	b.generation[20] = 3;
	assert_int_equal(block_file_verify(&b, BLOCKS, &bad), -ENODATA);
	block_file_free(&b);
}

static void test_aligned(void **state)
{
	struct block_file b;

	(void)state;
	for (size_t block = 512; block <= BLOCK_BYTES_MAX; block *= 2) {
		assert_int_equal(block_file_init(&b, path, 4 * block, block, 1), 0);
		assert_int_equal((uintptr_t)b.buf % 4096, 0);
		for (uint32_t i = 0; i < 4; i++)
			assert_int_equal((uintptr_t)block_data(&b, i, 0) % 512, 0);
		block_file_free(&b);
	}
}

static void test_bad(void **state)
{
	struct block_file b;

	(void)state;
	assert_int_equal(block_file_init(&b, path, 0, BLOCK, 1), -EINVAL);
	assert_int_equal(block_file_init(&b, path, BLOCK + 1, BLOCK, 1), -EINVAL);
	assert_int_equal(block_file_init(&b, path, 3000, 1000, 1), -EINVAL);
	assert_int_equal(block_file_init(&b, path, ((uint64_t)BLOCK_FILE_BLOCKS_MAX + 1) * BLOCK, BLOCK, 1), -EINVAL);
	assert_int_equal(block_file_init(&b, path, 4 * BLOCK_BYTES_MAX, 2 * BLOCK_BYTES_MAX, 1), -EINVAL);
	assert_int_equal(block_file_init(&b, "/nowhere/at/all", BLOCK, BLOCK, 1), 0);
	assert_int_equal(block_file_fill(&b), -ENOENT);
	block_file_free(&b);
}

static int setup(void **state)
{
	(void)state;
	unit_dir_make(&dir);
	snprintf(path, sizeof(path), "%s", unit_path(&dir, "file"));
	return 0;
}

static int teardown(void **state)
{
	(void)state;
	unit_dir_remove(&dir);
	return 0;
}

int main(void)
{
	const struct CMUnitTest tests[] = {cmocka_unit_test(test_work), cmocka_unit_test(test_aligned), cmocka_unit_test(test_bad)};

	return cmocka_run_group_tests(tests, setup, teardown);
}
