/* SPDX-License-Identifier: GPL-2.0-or-later */
/* meminfo: texts as of 2.4, of 2.6 and of today, and ones that are cut short. */
#include "unit.h"

#include <errno.h>

#include "common/meminfo.h"

static void test_texts(void **state)
{
	static const char new[] = "MemTotal:  29000 kB\nMemFree:  1000 kB\nMemAvailable:  20000 kB\nBuffers: 5 kB\nCached: 7 kB\n";
	static const char old[] =
		"        total:    used:\nMem:  1 2 3\nMemTotal:  29000 kB\nMemFree:  1000 kB\nMemShared: 0 kB\nBuffers: 500 kB\nCached: 7000 kB\n"
		"SwapCached: 9999 kB\n";
	uint64_t kb;

	(void)state;
	assert_int_equal(meminfo_parse(new, &kb), 0);
	assert_int_equal(kb, 20000);
	assert_int_equal(meminfo_parse(old, &kb), 0);
	assert_int_equal(kb, 8500);
	assert_int_equal(meminfo_parse("MemAvailable: 0 kB\nMemFree: 100 kB\n", &kb), 0);
	assert_int_equal(kb, 0);
	assert_int_equal(meminfo_parse("MemFree: 9 kB", &kb), 0);
	assert_int_equal(kb, 9);
}

static void test_lacking(void **state)
{
	static const char *const texts[] =
		{"", "MemFree", "MemFree:", "MemFree:\nBuffers: 1", "xMemFree: 100 kB\nSwapCached: 7 kB\n", "MemFree: -1 kB\n", "\n\n"};
	uint64_t kb;

	(void)state;
	for (size_t i = 0; i < sizeof(texts) / sizeof(*texts); i++)
		assert_int_equal(meminfo_parse(texts[i], &kb), -ENOENT);
}

int main(void)
{
	const struct CMUnitTest tests[] = {cmocka_unit_test(test_texts), cmocka_unit_test(test_lacking)};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
