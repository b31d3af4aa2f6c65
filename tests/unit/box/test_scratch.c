/* SPDX-License-Identifier: GPL-2.0-or-later */
/* scratch: which disk may be written over, and above all which may not. */
#include "../common/unit.h"

#include "box/scratch.h"
#include "common/kv.h"

static char mark[4096];

static int check(const char *body, const char *box, uint64_t bytes, const char **why)
{
	struct kv_out o;

	memset(mark, 0, sizeof(mark));
	kv_out_init(&o, mark, sizeof(mark) - 1);
	kv_out_raw(&o, body);
	kv_out_crc(&o, 0);
	assert_int_equal(o.err, 0);
	mark[o.len] = '\n';
	return scratch_mark_check(mark, sizeof(mark), box, bytes, why);
}

static void test_mark(void **state)
{
	const char *why = NULL;

	(void)state;
	assert_int_equal(check("kdyno-scratch v=1 uuid=12-34 box=b1 bytes=1048576", "b1", 1048576, &why), 1);
	assert_int_equal(check("kdyno-scratch v=1 uuid=12-34 box=b1 bytes=1048576", "b2", 1048576, &why), -1);
	assert_non_null(why);
	assert_int_equal(check("kdyno-scratch v=1 uuid=12-34 box=b1 bytes=1048576", "b1", 1048577, &why), -1);
	assert_int_equal(check("kdyno-scratch v=2 uuid=12-34 box=b1 bytes=1048576", "b1", 1048576, &why), -1);
	assert_int_equal(check("other v=1 uuid=12-34 box=b1 bytes=1048576", "b1", 1048576, &why), 0);
	check("kdyno-scratch v=1 uuid=12-34 box=b1 bytes=1048576", "b1", 1048576, &why);
	mark[20] ^= 1; /* damaged: no mark */
	assert_int_equal(scratch_mark_check(mark, sizeof(mark), "b1", 1048576, &why), 0);
	memset(mark, 0, sizeof(mark));
	assert_int_equal(scratch_mark_check(mark, sizeof(mark), "b1", 1048576, &why), 0);
	memset(mark, 'k', sizeof(mark));
	assert_int_equal(scratch_mark_check(mark, sizeof(mark), "b1", 1048576, &why), 0);
}

static void test_listed(void **state)
{
	static const char mounts[] = "rootfs / rootfs rw 0 0\n/dev/hda /mnt ext2 rw 0 0\n/dev/sdb1 /x ext2 rw 0 0\n";
	static const char swaps[] = "Filename\t\t\tType\t\tSize\tUsed\tPriority\n/dev/sdc partition\t130748\t0\t-1\n/dev/hdd\tpartition\t1\t0\t-2\n";

	(void)state;
	assert_true(scratch_is_listed(mounts, "hda"));
	assert_true(scratch_is_listed(swaps, "sdc"));
	assert_true(scratch_is_listed(swaps, "hdd"));
	assert_false(scratch_is_listed(mounts, "hd"));
	assert_false(scratch_is_listed(mounts, "sdb"));
	assert_false(scratch_is_listed(mounts, "a"));
	assert_false(scratch_is_listed("", "hda"));
}

static void test_names(void **state)
{
	const char *yes[] = {"sda", "hdb", "vda", "xvdc", "sdaa", "nvme0n1", "mmcblk0"};
	const char *no[] = {"sda1", "hdb12", "nvme0n1p2", "mmcblk0p1", "sr0", "loop0", "ram3", "fd0", "dm-0", "md0", "zram0", "x", "../sda"};

	(void)state;
	for (size_t i = 0; i < sizeof(yes) / sizeof(*yes); i++)
		assert_true(scratch_is_disk_name(yes[i]));
	for (size_t i = 0; i < sizeof(no) / sizeof(*no); i++)
		assert_false(scratch_is_disk_name(no[i]));
}

int main(void)
{
	const struct CMUnitTest tests[] = {cmocka_unit_test(test_mark), cmocka_unit_test(test_listed), cmocka_unit_test(test_names)};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
