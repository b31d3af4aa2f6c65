/* SPDX-License-Identifier: GPL-2.0-or-later */
/* ptable: whose disk it is. */
#include "unit.h"

#include "common/ptable.h"

static unsigned char s[PTABLE_BYTES];

static void found(size_t at, const char *bytes, size_t len, const char *name)
{
	memset(s, 0, sizeof s);
	memcpy(s + at, bytes, len);
	assert_string_equal(ptable_find(s, sizeof s), name);
	s[at] ^= 1;
	assert_null(ptable_find(s, sizeof s));
	s[at] ^= 1;
	assert_null(ptable_find(s, at + len - 1));
}

static void test_marks(void **state)
{
	(void)state;
	found(512, "EFI PART", 8, "GPT");
	found(4096, "EFI PART", 8, "GPT");
	found(512, "PM\0\0", 4, "Apple");
	found(508, "\xda\xbe", 2, "Sun");
	found(0, "\x0b\xe5\xa9\x41", 4, "SGI");
	found(64, "\x57\x45\x56\x82", 4, "BSD");
	found(0, "RDSK", 4, "Amiga");
	found(512, "LABELONE", 8, "LVM");
}

static void test_mbr(void **state)
{
	(void)state;
	for (int i = 0; i < 4; i++) {
		memset(s, 0, sizeof s);
		s[510] = 0x55;
		s[511] = 0xaa;
		assert_null(ptable_find(s, sizeof s)); /* a boot sector, and nothing in it */
		s[446 + 16 * i + 4] = 0x83;
		assert_string_equal(ptable_find(s, sizeof s), "MBR");
		assert_string_equal(ptable_find(s, 512), "MBR");
		assert_null(ptable_find(s, 511));
		s[511] = 0;
		assert_null(ptable_find(s, sizeof s));
	}
	assert_null(ptable_find(s, 0));
}

int main(void)
{
	const struct CMUnitTest tests[] = {cmocka_unit_test(test_marks), cmocka_unit_test(test_mbr)};

	return cmocka_run_group_tests_name("ptable", tests, NULL, NULL);
}
