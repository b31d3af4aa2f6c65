/* SPDX-License-Identifier: GPL-2.0-or-later */
/* mkfs: which file system is wanted, and which one is there. */
#include "../common/unit.h"

#include <errno.h>

#include "box/mkfs.h"

static void test_want(void **state)
{
	struct mkfs_want w;

	(void)state;
	assert_int_equal(mkfs_want(&w, ""), 0);
	assert_false(w.ext4 || w.keep);
	assert_int_equal(mkfs_want(&w, "size_bytes=1,fs=ext4,seed=1"), 0);
	assert_true(w.ext4 && !w.keep);
	assert_int_equal(mkfs_want(&w, "fs=keep"), 0);
	assert_true(!w.ext4 && w.keep);
	assert_int_equal(mkfs_want(&w, "fs=keep-ext4"), 0);
	assert_true(w.ext4 && w.keep);
	assert_int_equal(mkfs_want(&w, "offs=ext4"), 0);
	assert_false(w.ext4);
	assert_int_equal(mkfs_want(&w, "fs=ext3"), -EINVAL);
	assert_int_equal(mkfs_want(&w, "fs=a-name-that-is-far-too-long"), -EINVAL);
}

static void put(unsigned char *p, uint32_t v, unsigned bytes)
{
	for (unsigned i = 0; i < bytes; i++)
		p[i] = (unsigned char)(v >> 8 * i);
}

static void test_super(void **state)
{
	unsigned char text[MKFS_SUPER_BYTES] = {0};
	struct mkfs_super s;

	(void)state;
	assert_int_equal(mkfs_super_parse(&s, text, sizeof text), -EBADMSG);
	put(text, 65536, 4);
	put(text + 4, 131056, 4);
	put(text + 24, 2, 4);
	put(text + 56, 0xef53, 2);
	assert_int_equal(mkfs_super_parse(&s, text, sizeof text), 0); /* revision 0 */
	assert_int_equal(s.block_bytes, 4096);
	assert_int_equal(s.inode_bytes, 128);
	assert_false(s.ext4);
	put(text + 76, 1, 4);
	put(text + 88, 256, 2);
	put(text + 92, 0x2c, 4);
	put(text + 96, 0x242, 4);
	put(text + 100, 0x6b, 4);
	assert_int_equal(mkfs_super_parse(&s, text, sizeof text), 0);
	assert_int_equal(s.inodes, 65536);
	assert_int_equal(s.blocks, 131056);
	assert_int_equal(s.inode_bytes, 256);
	assert_int_equal(s.incompat, 0x242);
	assert_true(s.ext4);
	put(text + 92, 0, 4);
	put(text + 96, 2, 4); /* filetype alone */
	assert_int_equal(mkfs_super_parse(&s, text, sizeof text), 0);
	assert_false(s.ext4);
	assert_int_equal(mkfs_super_parse(&s, text, 103), -EBADMSG);
	put(text + 24, 7, 4);
	assert_int_equal(mkfs_super_parse(&s, text, sizeof text), -EBADMSG);
}

static void test_kernel_has(void **state)
{
	(void)state;
	assert_true(mkfs_kernel_has("nodev\tsysfs\n\text4\n\text2\n", "ext4"));
	assert_true(mkfs_kernel_has("\text4", "ext4"));
	assert_false(mkfs_kernel_has("\text4dev\n\text2\n", "ext4"));
	assert_false(mkfs_kernel_has("nodev\text\n", "ext4"));
	assert_false(mkfs_kernel_has("", "ext4"));
}

int main(void)
{
	const struct CMUnitTest tests[] = {cmocka_unit_test(test_want), cmocka_unit_test(test_super), cmocka_unit_test(test_kernel_has)};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
