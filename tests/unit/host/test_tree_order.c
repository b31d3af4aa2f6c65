/* SPDX-License-Identifier: GPL-2.0-or-later */
/* tree_order: a tree that goes from boot to boot, and who may stand where. */
#include "../common/unit.h"

#include <errno.h>

#include "host/tree_order.h"

#define TREE "files=10,dirs=2,scale=1,median_bytes=9,seed=1"

static struct plan_test left = {.name = "left", .program = "disk-tree", .needs = "scratch", .args = "fs=keep,part=left," TREE};
static struct plan_test make = {.name = "make", .program = "disk-tree", .needs = "scratch", .args = "fs=ext2,part=make," TREE};
static struct plan_test whole = {.name = "disk-tree", .needs = "scratch", .args = "part=whole," TREE};
static struct plan_test seq = {.name = "disk-seq", .needs = "net,scratch", .args = "part=left"};
static struct plan_test tcp = {.name = "net-tcp", .needs = "net", .args = ""};

static char err[200];

static int check(const struct plan_test *a, const struct plan_test *b, const struct plan_test *c)
{
	struct plan_test test[4];
	struct plan p = {.test = test};

	err[0] = 0;
	test[p.tests++] = *a;
	if (b)
		test[p.tests++] = *b;
	if (c)
		test[p.tests++] = *c;
	return tree_order_check(&p, err, sizeof(err));
}

static void test_order(void **state)
{
	(void)state;
	assert_int_equal(check(&whole, &seq, &tcp), 0);
	assert_int_equal(check(&left, &seq, &make), 0);
	assert_int_equal(check(&tcp, &left, &make), 0);
	assert_int_equal(check(&left, &make, &tcp), 0);
	assert_int_equal(check(&make, NULL, NULL), 0);
	assert_int_equal(check(&seq, &left, &make), -EINVAL);
	assert_non_null(strstr(err, "disk-seq"));
	assert_int_equal(check(&left, &make, &whole), -EINVAL);
	assert_non_null(strstr(err, "lost to disk-tree"));
	assert_int_equal(check(&make, &left, NULL), -EINVAL);
	assert_int_equal(check(&left, NULL, NULL), -EINVAL);
	assert_non_null(strstr(err, "no test makes one"));
	assert_int_equal(check(&left, &left, &make), -EINVAL);
	assert_non_null(strstr(err, "one tree"));
}

static void test_same(void **state)
{
	struct plan_test other = make;

	(void)state;
	other.args = "fs=ext2,part=make,files=10,dirs=2,scale=1,median_bytes=9,seed=2";
	assert_int_equal(check(&left, &other, NULL), -EINVAL);
	assert_non_null(strstr(err, "seed="));
	other.args = "fs=ext4,part=make," TREE;
	assert_int_equal(check(&left, &other, NULL), -EINVAL);
	assert_non_null(strstr(err, "file system"));
	left.args = "fs=keep-ext4,part=left," TREE;
	assert_int_equal(check(&left, &other, NULL), 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {cmocka_unit_test(test_order), cmocka_unit_test(test_same)};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
