/* SPDX-License-Identifier: GPL-2.0-or-later */
/* hist_read: what is whole comes back as it was; what is not is refused, whatever a box sends. */
#include "../common/unit.h"

#include <errno.h>

#include "host/hist_read.h"

static struct hist_reader r;

static int head(const char *n, const char *min, const char *max, const char *parts)
{
	struct kv_pair pair[] = {{"name", "x"}, {"n", n}, {"sum", "50"}, {"min", min}, {"max", max}, {"parts", parts}};
	struct store_record rec = {.kind = "hist", .n = sizeof pair / sizeof *pair, .pair = pair};

	return hist_read_head(&r, &rec);
}

static void test_whole(void **state)
{
	(void)state;
	assert_int_equal(head("6", "17", "1000", "2"), 0);
	assert_int_equal(hist_read_part(&r, "1/2", "17:2,18:3"), 0);
	assert_int_equal(hist_read_done(&r), -EINVAL);
	assert_int_equal(hist_read_part(&r, "2/2", "190:1"), 0);
	assert_int_equal(hist_read_done(&r), 0);
	assert_int_equal(r.h.bucket[17], 2);
	assert_int_equal(r.h.bucket[190], 1);
	assert_int_equal(r.h.max, 1000);
	assert_int_equal(head("6", "17", "1000", "2"), 0); /* the same, said shorter */
	assert_int_equal(hist_read_part(&r, "1/2", "17:2,3"), 0);
	assert_int_equal(hist_read_part(&r, "2/2", "190:1"), 0);
	assert_int_equal(hist_read_done(&r), 0);
	assert_int_equal(r.h.bucket[18], 3);
	assert_int_equal(head("0", "0", "0", "0"), 0);
	assert_int_equal(hist_read_done(&r), 0);
}

static void test_bad(void **state)
{
	static const char *const pairs[] = {"",
	                                    "17",
	                                    "17:",
	                                    ":2",
	                                    "17:2,",
	                                    "17:2,17:3",
	                                    "17:2,0",
	                                    "17:2,,3",
	                                    "1151:2,3",
	                                    "17:2,3:",
	                                    "18:1,17:1",
	                                    "1152:1",
	                                    "17:0",
	                                    "17:4294967296",
	                                    "17:2 ",
	                                    "a:1",
	                                    "17:99999999999999999999999"};
	static const char *const parts[] = {"", "1", "2/2", "1/3", "0/2", "1/2x", "x/2", "-1/2"};

	(void)state;
	for (size_t i = 0; i < sizeof pairs / sizeof *pairs; i++) {
		assert_int_equal(head("6", "17", "1000", "2"), 0);
		assert_int_equal(hist_read_part(&r, "1/2", pairs[i]), -EINVAL);
	}
	for (size_t i = 0; i < sizeof parts / sizeof *parts; i++) {
		assert_int_equal(head("6", "17", "1000", "2"), 0);
		assert_int_equal(hist_read_part(&r, parts[i], "17:2"), -EINVAL);
	}
	assert_int_equal(head("6", "17", "1000", "2"), 0); /* a part says where it begins */
	assert_int_equal(hist_read_part(&r, "1/2", "17:2"), 0);
	assert_int_equal(hist_read_part(&r, "2/2", "3"), -EINVAL);
	assert_int_equal(hist_read_part(&r, NULL, "17:2"), -EINVAL);
	assert_int_equal(hist_read_part(&r, "1/2", NULL), -EINVAL);
	assert_int_equal(head("-1", "17", "1000", "2"), -EINVAL);
	assert_int_equal(head("6", "17", "16", "2"), -EINVAL);
	assert_int_equal(head("6", "17", "18", "1153"), -EINVAL);
	assert_int_equal(head(NULL, "17", "18", "1"), -EINVAL);
	assert_int_equal(head("6x", "17", "18", "1"), -EINVAL);
}

/* Numbers that contradict the buckets. */
static void test_contradiction(void **state)
{
	static const struct {
		const char *n, *min, *max;
	} wrong[] = {{"5", "17", "18"}, {"2", "16", "18"}, {"2", "17", "19"}, {"2", "17", "17"}};

	(void)state;
	for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++) {
		assert_int_equal(head(wrong[i].n, wrong[i].min, wrong[i].max, "1"), 0);
		assert_int_equal(hist_read_part(&r, "1/1", "17:1,18:1"), 0);
		assert_int_equal(hist_read_done(&r), -EINVAL);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {cmocka_unit_test(test_whole), cmocka_unit_test(test_bad), cmocka_unit_test(test_contradiction)};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
