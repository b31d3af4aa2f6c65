/* SPDX-License-Identifier: GPL-2.0-or-later */
/* sha256: the examples of FIPS 180-2, appendix B, lengths around a block, pieces, and files. */
#include "unit.h"

#include <errno.h>

#include "common/io.h"
#include "common/sha256.h"

static void expect_sum(const char *text, const char *want)
{
	char got[65];

	sha256_hex(text, strlen(text), got);
	assert_string_equal(got, want);
}

static void test_known(void **state)
{
	(void)state;
	expect_sum("", "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855");
	expect_sum("abc", "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad");
	expect_sum("abcdbcdecdefdefgefghfghighijhijkijkljklmklmnlmnomnopnopq", "248d6a61d20638b8e5c026930c3e6039a33ce45964ff2167f6ecedd419db06c1");
	expect_sum("abcdefghbcdefghicdefghijdefghijkefghijklfghijklmghijklmnhijklmnoijklmnopjklmnopqklmnopqrlmnopqrsmnopqrst"
	           "nopqrstu",
	           "cf5b16a778af8380036ce59e7b0492370b249b11e8f07a51afac45037afee9d1");
}

static void test_million(void **state)
{
	struct sha256 s;
	char got[65], a[1000];

	(void)state;
	memset(a, 'a', sizeof(a));
	sha256_init(&s);
	for (int i = 0; i < 1000; i++)
		sha256_update(&s, a, sizeof(a));
	sha256_final_hex(&s, got);
	assert_string_equal(got, "cdc76e5c9914fb9281a1c7e284d73e67f1809a48a497200e046d39ccc7112cd0");
}

/* Every cut of every length around one and two blocks. */
static void test_pieces(void **state)
{
	unsigned char buf[150];
	uint32_t r = 2;

	(void)state;
	for (size_t i = 0; i < sizeof(buf); i++)
		buf[i] = (unsigned char)unit_random(&r);
	for (size_t len = 0; len <= sizeof(buf); len++) {
		char whole[65], cut[65];

		sha256_hex(buf, len, whole);
		for (size_t at = 0; at <= len; at++) {
			struct sha256 s;

			sha256_init(&s);
			sha256_update(&s, buf, at);
			sha256_update(&s, buf + at, len - at);
			sha256_final_hex(&s, cut);
			assert_string_equal(cut, whole);
		}
	}
}

static void test_file(void **state)
{
	struct unit_dir d;
	char got[65], want[65];
	uint64_t bytes = 7;
	size_t len = 200000; /* more than one read */
	char *data = malloc(len);

	(void)state;
	assert_non_null(data);
	memset(data, 'x', len);
	unit_dir_make(&d);
	assert_int_equal(io_write_file(unit_path(&d, "f"), data, len, 0644), 0);
	assert_int_equal(sha256_file(unit_path(&d, "f"), got, &bytes), 0);
	sha256_hex(data, len, want);
	assert_string_equal(got, want);
	assert_int_equal(bytes, len);
	assert_int_equal(sha256_file(unit_path(&d, "f"), got, NULL), 0);
	assert_int_equal(sha256_file(unit_path(&d, "none"), got, NULL), -ENOENT);
	assert_int_equal(sha256_file(d.path, got, NULL), -EISDIR);
	unit_dir_remove(&d);
	free(data);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_known),
		cmocka_unit_test(test_million),
		cmocka_unit_test(test_pieces),
		cmocka_unit_test(test_file),
	};

	return cmocka_run_group_tests_name("sha256", tests, NULL, NULL);
}
