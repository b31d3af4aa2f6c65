/* SPDX-License-Identifier: GPL-2.0-or-later */
/* tree: the same seed gives the same tree, as large as a kernel's, and each name tells what it is. */
#include "../common/unit.h"

#include <errno.h>
#include <string.h>

#include "../../suite/tree.h"

#define FILES 10500
#define DIRS 550

static struct tree t;

static int setup(void **state)
{
	(void)state;
	tree_init(&t, FILES, DIRS, 5120, 1);
	return 0;
}

static void test_same(void **state)
{
	struct tree other;
	char a[TREE_NAME_MAX], b[TREE_NAME_MAX];
	unsigned differ = 0;

	(void)state;
	tree_init(&other, FILES, DIRS, 5120, 1);
	for (unsigned i = 0; i < FILES; i++) {
		tree_file_name(&t, i, a);
		tree_file_name(&other, i, b);
		assert_string_equal(a, b);
		assert_int_equal(tree_file_bytes(&t, i), tree_file_bytes(&other, i));
	}
	tree_init(&other, FILES, DIRS, 5120, 2);
	for (unsigned i = 0; i < FILES; i++)
		differ += tree_file_bytes(&t, i) != tree_file_bytes(&other, i);
	assert_true(differ > FILES * 9 / 10);
}

/* Not to change: results would no longer be those of the same tree. */
static void test_fixed(void **state)
{
	struct tree_sum s;
	uint64_t room;
	char name[TREE_NAME_MAX], path[TREE_PATH_MAX];

	(void)state;
	tree_whole(&t, &s, &room);
	assert_int_equal(s.files, FILES);
	assert_int_equal(s.dirs, DIRS - 1);
	tree_file_name(&t, 0, name);
	tree_dir_path(&t, DIRS - 1, path);
	assert_int_equal(s.bytes, 131961407);
	assert_int_equal(room, 157368320);
	assert_true(s.check == 0x7ad71d41ce437a12u);
	assert_string_equal(name, "cukkxi_0.c");
	assert_string_equal(path, "ilmpukt_2/bzkfiy_35/toozax_549");
}

static int by_size(const void *a, const void *b)
{
	uint64_t x = *(const uint64_t *)a, y = *(const uint64_t *)b;

	return x < y ? -1 : x > y;
}

static void test_sizes(void **state)
{
	static uint64_t bytes[FILES];
	uint64_t sum = 0;

	(void)state;
	for (unsigned i = 0; i < FILES; i++)
		sum += bytes[i] = tree_file_bytes(&t, i);
	qsort(bytes, FILES, sizeof(*bytes), by_size);
	assert_in_range(bytes[FILES / 2], 5120 * 95 / 100, 5120 * 105 / 100);
	/* log-normal: one standard deviation is a factor of e^1.354 = 3.87 */
	assert_in_range(bytes[FILES * 84 / 100], 5120 * 34 / 10, 5120 * 43 / 10);
	assert_in_range(bytes[FILES * 16 / 100], 5120 * 10 / 43, 5120 * 10 / 34);
	assert_in_range(sum, 115000000, 145000000);
	assert_true(bytes[0] >= 1 && bytes[FILES - 1] <= TREE_FILE_BYTES_MAX);
	assert_true(bytes[FILES - 1] > 200000);
}

static void test_folders(void **state)
{
	unsigned at = 0, end, most = 0, empty = 0, depth_most = 0;
	uint64_t weight = 0;
	char path[TREE_PATH_MAX];

	(void)state;
	for (unsigned i = 0; i < DIRS; i++) {
		unsigned depth = 0;

		end = tree_files_end(&t, i, &weight);
		assert_true(end >= at);
		most = end - at > most ? end - at : most;
		empty += end == at;
		at = end;
		for (unsigned d = i; d; d = tree_parent(&t, d)) {
			assert_true(tree_parent(&t, d) < d);
			depth++;
		}
		depth_most = depth > depth_most ? depth : depth_most;
		tree_dir_path(&t, i, path);
		for (const char *p = path; (p = strchr(p, '/')); p++)
			depth--;
		assert_int_equal(depth, *path != 0);
	}
	assert_int_equal(at, FILES);
	assert_true(most > 60 && most < 2000);
	assert_true(empty < DIRS / 10);
	assert_in_range(depth_most, 3, 4);
	tree_init(&t, 100, TREE_DIRS_MAX, 5120, 7);
	for (unsigned i = 0; i < TREE_DIRS_MAX; i += 97) {
		tree_dir_path(&t, i, path);
		assert_true(strlen(path) < TREE_PATH_MAX - TREE_NAME_MAX);
	}
}

static void test_names(void **state)
{
	char name[TREE_NAME_MAX];
	unsigned n;

	(void)state;
	for (unsigned i = 0; i < FILES; i++) {
		tree_file_name(&t, i, name);
		assert_true(strlen(name) < TREE_NAME_MAX - 1);
		assert_int_equal(tree_find(&t, name, &n), 1);
		assert_int_equal(n, i);
	}
	for (unsigned i = 1; i < DIRS; i++) {
		tree_dir_name(&t, i, name);
		assert_int_equal(tree_find(&t, name, &n), 0);
		assert_int_equal(n, i);
	}
	assert_int_equal(tree_find(&t, "lost+found", &n), -ENOENT);
	assert_int_equal(tree_find(&t, "ab_1.c", &n), -ENOENT);
	assert_int_equal(tree_find(&t, "ab_", &n), -ENOENT);
	assert_int_equal(tree_find(&t, "ab_99999999999999999999.c", &n), -ENOENT);
	tree_file_name(&t, 5, name);
	strcat(name, "x");
	assert_int_equal(tree_find(&t, name, &n), -ENOENT);
	assert_int_equal(tree_find(&t, "", &n), -ENOENT);
}

static void test_small(void **state)
{
	struct tree s;
	struct tree_sum sum;
	uint64_t room, weight = 0;

	(void)state;
	tree_init(&s, 1, 1, 1, 3);
	tree_whole(&s, &sum, &room);
	assert_int_equal(sum.files, 1);
	assert_int_equal(sum.dirs, 0);
	assert_int_equal(tree_files_end(&s, 0, &weight), 1);
	tree_init(&s, TREE_FILES_MAX, 3, TREE_FILE_BYTES_MAX, 3);
	assert_true(tree_file_bytes(&s, TREE_FILES_MAX - 1) <= TREE_FILE_BYTES_MAX);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup(test_same, setup),    cmocka_unit_test_setup(test_fixed, setup), cmocka_unit_test_setup(test_sizes, setup),
		cmocka_unit_test_setup(test_folders, setup), cmocka_unit_test_setup(test_names, setup), cmocka_unit_test(test_small),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
