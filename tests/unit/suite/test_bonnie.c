/* SPDX-License-Identifier: GPL-2.0-or-later */
/* seek, stream, fair: where tickets lead, what a seeker takes for right, bytes through a buffer of a given size, how even shares are. */
#include "../common/unit.h"

#include <errno.h>
#include <fcntl.h>

#include "../../suite/bonnie.h"
#include "../../suite/fair.h"
#include "../../suite/stream.h"

static void test_tickets(void **state)
{
	unsigned hits[16] = {0};

	(void)state;
	for (uint64_t i = 0; i < 16000; i++) {
		uint64_t at = seek_chunk(7, i, 16);

		assert_true(at < 16);
		assert_int_equal(at, seek_chunk(7, i, 16));
		hits[at]++;
	}
	for (int i = 0; i < 16; i++)
		assert_in_range(hits[i], 800, 1200); /* six standard deviations */
	assert_int_equal(seek_chunk(1, 5, 1), 0);
	assert_int_not_equal(seek_chunk(1, 0, 1u << 30), seek_chunk(2, 0, 1u << 30));
}

/* A chunk half rewritten is right; one of a third generation, or from elsewhere, is not. */
static void test_seek_check(void **state)
{
	unsigned char buf[4096];
	struct pattern p;
	uint64_t bad = 0;

	(void)state;
	assert_int_equal(pattern_init(&p, 1, sizeof(buf)), 0);
	memcpy(buf, pattern_at(&p, 8192, sizeof(buf), 2), sizeof(buf));
	assert_int_equal(seek_check(&p, buf, sizeof(buf), 8192, 2, &bad), 0);
	pattern_stamp(&p, buf, 1024, 8192, 3);
	assert_int_equal(seek_check(&p, buf, sizeof(buf), 8192, 2, &bad), 0);
	assert_int_equal(seek_check(&p, buf, sizeof(buf), 4096, 2, &bad), -EILSEQ);
	assert_int_equal(bad, 4096);
	pattern_stamp(&p, buf + 2048, 512, 8192 + 2048, 4);
	assert_int_equal(seek_check(&p, buf, sizeof(buf), 8192, 2, &bad), -EILSEQ);
	assert_int_equal(bad, 8192 + 2048);
	pattern_free(&p);
}

/* Through a pipe, whose reads and writes of a buffer can be counted: the size of the buffer is what is given, locked or not. */
static void test_stream(void **state)
{
	unsigned char buf[8], raw[64];
	int fd[2];

	(void)state;
	for (int locked = 0; locked < 2; locked++) {
		struct stream s = {.buf = buf, .size = sizeof(buf)};
		int (*put)(struct stream *, unsigned char) = locked ? stream_put : stream_put_unlocked;
		int (*get)(struct stream *) = locked ? stream_get : stream_get_unlocked;

		assert_int_equal(pipe2(fd, O_NONBLOCK), 0);
		s.fd = fd[1];
		for (int i = 0; i < 20; i++)
			assert_int_equal(put(&s, (unsigned char)(200 + i)), 0);
		assert_int_equal(read(fd[0], raw, sizeof(raw)), 16); /* two buffers; the third is not full */
		assert_int_equal(stream_flush(&s), 0);
		assert_int_equal(read(fd[0], raw + 16, sizeof(raw) - 16), 4);
		for (int i = 0; i < 20; i++)
			assert_int_equal(raw[i], 200 + i);
		assert_int_equal(write(fd[1], raw, 20), 20);
		close(fd[1]);
		s = (struct stream){.fd = fd[0], .buf = buf, .size = sizeof(buf)};
		for (int i = 0; i < 20; i++)
			assert_int_equal(get(&s), 200 + i);
		assert_int_equal(get(&s), -ENODATA);
		close(fd[0]);
	}
}

static void test_fair(void **state)
{
	static const uint64_t same[] = {5, 5, 5, 5}, one[] = {0, 0, 0, 9}, mixed[] = {1, 2, 3, 4}, none[] = {0, 0},
			      big[] = {UINT64_MAX, UINT64_MAX / 2};
	uint64_t many[512];

	(void)state;
	assert_int_equal(fair_jain_permille(same, 4), 1000);
	assert_int_equal(fair_ratio_permille(same, 4), 1000);
	assert_int_equal(fair_jain_permille(one, 4), 250);
	assert_int_equal(fair_ratio_permille(one, 4), 0);
	assert_int_equal(fair_jain_permille(mixed, 4), 833); /* 100 / (4 * 30) */
	assert_int_equal(fair_ratio_permille(mixed, 4), 250);
	assert_int_equal(fair_jain_permille(none, 2), 0);
	assert_int_equal(fair_ratio_permille(none, 2), 0);
	assert_in_range(fair_jain_permille(big, 2), 899, 900); /* 2.25 / (2 * 1.25) */
	assert_in_range(fair_ratio_permille(big, 2), 499, 500);
	for (int i = 0; i < 512; i++)
		many[i] = 4000000000u;
	assert_int_equal(fair_jain_permille(many, 512), 1000);
	assert_int_equal(fair_jain_permille(many, 1), 1000);
}

static struct unit_dir dir;

/* The phases in the order of Bonnie, and a byte changed behind getc's back is told with its place; nothing is told where all is right. */
static void test_phases(void **state)
{
	static struct bonnie b;
	const char *path;
	char c;
	int fd;

	(void)state;
	unit_dir_make(&dir);
	path = unit_path(&dir, "f");
	b = (struct bonnie){.path = path, .size = 1u << 18, .char_bytes = 1u << 18, .chunk = 1u << 16, .buffer = 1000, .locked = 1};
	b.seek.chunk = 4096;
	b.seek.seeks = 50;
	b.seek.seekers = 3;
	assert_int_equal(bonnie_init(&b, 3), 0);
	for (int p = 0; p < BONNIE_PHASES; p++)
		assert_int_equal(bonnie_run(&b, (enum bonnie_phase)p, 1), 0);
	assert_int_equal(b.seek.rewrites, 5);
	assert_int_equal(b.seek.hist.n, 50);
	assert_int_equal(bonnie_verify(&b), 0);
	assert_int_equal(bonnie_run(&b, BONNIE_WRITE, 0), 0);
	fd = open(path, O_RDWR);
	assert_int_equal(pread(fd, &c, 1, 150001), 1);
	c = (char)~c;
	assert_int_equal(pwrite(fd, &c, 1, 150001), 1);
	assert_int_equal(bonnie_run(&b, BONNIE_GETC, 1), -EILSEQ);
	assert_int_equal(b.bad, 150001);
	assert_int_equal(bonnie_verify(&b), -EILSEQ);
	assert_int_equal(ftruncate(fd, 100000), 0);
	b.locked = 0;
	assert_int_equal(bonnie_run(&b, BONNIE_GETC, 1), -ENODATA);
	assert_int_equal(bonnie_run(&b, BONNIE_SEEK, 1), -ENODATA);
	close(fd);
	bonnie_free(&b);
	unit_dir_remove(&dir);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_tickets), cmocka_unit_test(test_seek_check), cmocka_unit_test(test_stream),
		cmocka_unit_test(test_fair),    cmocka_unit_test(test_phases),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
