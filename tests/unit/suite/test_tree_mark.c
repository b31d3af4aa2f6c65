/* SPDX-License-Identifier: GPL-2.0-or-later */
/* tree_mark: what one boot says of its tree is what the next one reads, and nothing else is taken for it. */
#include "../common/unit.h"

#include <errno.h>

#include "../../suite/tree_mark.h"

static void test_round(void **state)
{
	struct tree_mark m = {.tree = {.files = 10500, .dirs = 550, .median_bytes = 5120, .seed = UINT64_MAX}}, back;
	char text[TREE_MARK_MAX];
	long len;

	(void)state;
	strcpy(m.tag, "0badcafe");
	strcpy(m.subject, "6.1.0-41-cloud/smp");
	strcpy(m.release, "6.1.0-41 cloud amd64");
	len = tree_mark_format(&m, text, sizeof(text));
	assert_true(len > 0 && text[len - 1] == '\n' && !text[len]);
	assert_int_equal(tree_mark_parse(&back, text, (size_t)len), 0);
	assert_int_equal(back.tree.files, 10500);
	assert_int_equal(back.tree.dirs, 550);
	assert_int_equal(back.tree.median_bytes, 5120);
	assert_true(back.tree.seed == UINT64_MAX);
	assert_string_equal(back.tag, m.tag);
	assert_string_equal(back.subject, m.subject);
	assert_string_equal(back.release, m.release);
	assert_int_equal(tree_mark_format(&m, text, 40), -EMSGSIZE);
}

static void test_bad(void **state)
{
	struct tree_mark m = {.tree = {.files = 5, .dirs = 2, .median_bytes = 9, .seed = 0}}, back;
	char text[TREE_MARK_MAX];
	long len;

	(void)state;
	len = tree_mark_format(&m, text, sizeof(text));
	assert_true(len > 0);
	for (long i = 0; i < len; i++) { /* a byte of it, or its end, is lost */
		char keep = text[i];

		text[i] ^= 1;
		assert_int_equal(tree_mark_parse(&back, text, (size_t)len), -EBADMSG);
		text[i] = keep;
		assert_int_equal(tree_mark_parse(&back, text, (size_t)i), -EBADMSG);
	}
	m.tree.files = 0;
	len = tree_mark_format(&m, text, sizeof(text));
	assert_int_equal(tree_mark_parse(&back, text, (size_t)len), -EBADMSG);
	assert_int_equal(tree_mark_parse(&back, "", 0), -EBADMSG);
}

int main(void)
{
	const struct CMUnitTest tests[] = {cmocka_unit_test(test_round), cmocka_unit_test(test_bad)};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
