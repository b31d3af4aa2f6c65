/* SPDX-License-Identifier: GPL-2.0-or-later */
/* ext2: archives in, a file system out; its structure is e2fsck's to judge (tests/build/45-legacy.t), here is what that does not see. */
#include "unit.h"

#include <errno.h>
#include <fcntl.h>
#include <sys/stat.h>

#include "common/cpio.h"
#include "common/ext2.h"
#include "common/io.h"
#include "common/job_text.h"

struct archive {
	char *text;
	size_t len;
};

/* Two archives as image and overlay follow each other: the second replaces a file of the first. */
static void make(struct archive *a, int with_kd)
{
	struct unit_dir d;
	char path[300];
	struct cpio c;

	unit_dir_make(&d);
	snprintf(path, sizeof(path), "%s/a", d.path);
	int fd = open(path, O_RDWR | O_CREAT, 0600);
	cpio_open(&c, fd);
	cpio_dir(&c, "dev", 0755);
	cpio_node(&c, "dev/console", S_IFCHR | 0600, 5, 1);
	if (with_kd)
		cpio_dir(&c, "kd", 0755);
	cpio_file(&c, "init", 0755, "old", 3);
	cpio_link(&c, "sbin", "bin");
	assert_int_equal(cpio_close(&c), 0);
	cpio_open(&c, fd);
	cpio_dir(&c, "dev", 0755);
	cpio_file(&c, "init", 0755, "newer", 5);
	assert_int_equal(cpio_close(&c), 0);
	close(fd);
	assert_int_equal(io_read_file(path, 1 << 20, &a->text, &a->len), 0);
	unlink(path);
	unit_dir_remove(&d);
}

static void test_tree(void **state)
{
	struct ext2_tree t = {0};
	struct archive a;

	(void)state;
	make(&a, 1);
	assert_int_equal(ext2_tree_cpio(&t, a.text, a.len), 0);
	assert_int_equal(t.count, 5);
	assert_string_equal(t.entry[1].path, "dev/console");
	assert_int_equal(t.entry[1].major, 5);
	assert_int_equal(t.entry[1].minor, 1);
	assert_true(S_ISCHR(t.entry[1].mode));
	assert_string_equal(t.entry[3].path, "init");
	assert_int_equal(t.entry[3].len, 5);
	assert_memory_equal(t.entry[3].data, "newer", 5);
	ext2_tree_free(&t);
	free(a.text);
}

static void test_tree_refuses(void **state)
{
	static const char lonely[] = "0707010000000100008180000000000000000000000001000000000000000000000000000000000000000000000000"
				     "0000000400000000a/b\0";
	struct ext2_tree t = {0};
	struct archive a;

	(void)state;
	make(&a, 1);
	for (size_t len = 1; len < 110; len += 7) /* torn */
		assert_int_equal(ext2_tree_cpio(&t, a.text, len), -EINVAL);
	assert_int_equal(ext2_tree_cpio(&t, "garbage that is no archive", 26), -EINVAL);
	assert_int_equal(ext2_tree_cpio(&t, lonely, sizeof(lonely)), -EINVAL); /* no a */
	a.text[6 + 8 * 6] = 'z';                                               /* the size of the first entry */
	assert_int_equal(ext2_tree_cpio(&t, a.text, a.len), -EINVAL);
	ext2_tree_free(&t);
	free(a.text);
}

static void test_make(void **state)
{
	struct ext2_tree t = {0};
	struct archive a;
	unsigned char *one = NULL, *two = NULL;
	size_t len = 0, again = 0;
	uint64_t at = 0, room = 0;

	(void)state;
	make(&a, 1);
	assert_int_equal(ext2_tree_cpio(&t, a.text, a.len), 0);
	assert_int_equal(ext2_make(&t, 65536, &one, &len), 0);
	assert_int_equal(ext2_make(&t, 65536, &two, &again), 0);
	assert_int_equal(len, again);
	assert_memory_equal(one, two, len);
	assert_int_equal(len % 1024, 0);
	assert_int_equal(ext2_job_find(one, len, &at, &room), 0);
	assert_int_equal(room, EXT2_JOB_BYTES);
	assert_int_equal(at % 1024, 0);
	assert_true(at + room <= len);
	for (size_t i = 0; i < room; i++)
		assert_int_equal(one[at + i], '\n');
	assert_int_not_equal(one[at + room], '\n'); /* and no more of it */
	free(two);
	assert_int_equal(ext2_make(&t, EXT2_BYTES_MAX, &two, &again), -EFBIG);
	assert_null(two);
	ext2_tree_free(&t);
	free(one);
	free(a.text);
	make(&a, 0); /* nowhere to put a job */
	assert_int_equal(ext2_tree_cpio(&t, a.text, a.len), 0);
	assert_int_equal(ext2_make(&t, 0, &two, &again), -EINVAL);
	ext2_tree_free(&t);
	free(a.text);
}

static void test_job_find(void **state)
{
	static const char *const bad[] = {"", "job", "job 1024", "job 1000 16384", "job 1024 0", "/mnt", "job 99999999999 1024", "job 1024 99999999"};
	unsigned char head[EXT2_HEAD_BYTES] = {0};
	uint64_t at, room;

	(void)state;
	head[1024 + 56] = 0x53;
	head[1024 + 57] = 0xef;
	for (size_t i = 0; i < sizeof(bad) / sizeof(*bad); i++) {
		memset(head + 1024 + 136, 0, 64);
		memcpy(head + 1024 + 136, bad[i], strlen(bad[i]));
		assert_int_equal(ext2_job_find(head, sizeof(head), &at, &room), -EINVAL);
	}
	memset(head + 1024 + 136, '9', 64); /* no end */
	assert_int_equal(ext2_job_find(head, sizeof(head), &at, &room), -EINVAL);
	strcpy((char *)head + 1024 + 136, "job 2048 4096");
	assert_int_equal(ext2_job_find(head, sizeof(head), &at, &room), 0);
	assert_int_equal(at, 2048);
	assert_int_equal(room, 4096);
	assert_int_equal(ext2_job_find(head, sizeof(head) - 1, &at, &room), -EINVAL);
	head[1024 + 56] = 0;
	assert_int_equal(ext2_job_find(head, sizeof(head), &at, &room), -EINVAL);
}

static void test_job_write(void **state)
{
	struct unit_dir d;
	char path[300], text[64] = {0}, *all;
	size_t len;

	(void)state;
	unit_dir_make(&d);
	snprintf(path, sizeof(path), "%s/a", d.path);
	int fd = open(path, O_RDWR | O_CREAT, 0600);
	memset(text, 'x', 40);
	assert_int_equal(io_write_all(fd, text, 40), 0);
	assert_int_equal(job_text_write(fd, 10, 20, "a longer job", 12), 0);
	assert_int_equal(job_text_write(fd, 10, 20, "a job\n", 6), 0); /* nothing of the one before stays */
	assert_int_equal(job_text_write(fd, 10, 5, "a job\n", 6), -EFBIG);
	close(fd);
	assert_int_equal(io_read_file(path, 100, &all, &len), 0);
	assert_int_equal(len, 40);
	assert_string_equal(all, "xxxxxxxxxxa job\n\n\n\n\n\n\n\n\n\n\n\n\n\n\nxxxxxxxxxx");
	free(all);
	unlink(path);
	unit_dir_remove(&d);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_tree),     cmocka_unit_test(test_tree_refuses), cmocka_unit_test(test_make),
		cmocka_unit_test(test_job_find), cmocka_unit_test(test_job_write),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
