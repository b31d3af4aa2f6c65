/* SPDX-License-Identifier: GPL-2.0-or-later */
/* number, table: quantities for people, and that nothing from a box reaches a terminal as it came. */
#include "../common/unit.h"

#include <math.h>

#include "host/number.h"
#include "host/table.h"

static void test_human(void **state)
{
	static const struct {
		double v;
		const char *unit, *want;
	} row[] = {
		{0, "B/s", "0 B/s"},
		{1023, "B/s", "1023 B/s"},
		{1024, "B/s", "1.00 KiB/s"},
		{8388608 / .2, "B/s", "40.0 MiB/s"},
		{1e18, "B/s", "909495 TiB/s"},
		{1536, "B", "1.50 KiB"},
		{999, "ns", "999 ns"},
		{52.5, "ns", "52.5 ns"},
		{900, "ps", "900 ps"},
		{37624, "ps", "37.6 ns"},
		{1500, "ns", "1.50 us"},
		{12345678, "ns", "12.3 ms"},
		{1.9e9, "ns", "1.90 s"},
		{2.37e11, "ns", "237 s"},
		{250000, "count/s", "250 k/s"},
		{2000, "count/s", "2.00 k/s"},
		{41, "count/s", "41 /s"},
		{3.5e6, "count/s", "3.50 M/s"},
		{1.98, "ratio", "1.98"},
		{123456, "count", "123456"},
		{7, "frob", "7 frob"},
		{-5, "count", "-5"},
		{NAN, "ns", "-"},
		{INFINITY, "ns", "-"},
		{.00001, "ratio", "1e-05"},
		{7, "", "7"},
		{999999, "ns", "1.00 ms"},
	};
	char out[NUMBER_MAX];
	(void)state;
	for (size_t i = 0; i < sizeof row / sizeof *row; i++)
		assert_string_equal(number_human(row[i].v, row[i].unit, out, sizeof out), row[i].want);
}

static void test_others(void **state)
{
	char out[NUMBER_MAX];
	(void)state;
	assert_string_equal(number_change(1.12, out, sizeof out), "+12.0 %");
	assert_string_equal(number_change(.88, out, sizeof out), "-12.0 %");
	assert_string_equal(number_change(.99999, out, sizeof out), "+0.0 %");
	assert_string_equal(number_change(3.1, out, sizeof out), "x3.10");
	assert_string_equal(number_change(.3, out, sizeof out), "x0.300");
	assert_string_equal(number_change(150, out, sizeof out), "x150");
	assert_string_equal(number_change(NAN, out, sizeof out), "-");
	assert_string_equal(number_percent(.036, out, sizeof out), "3.6 %");
	assert_string_equal(number_percent(NAN, out, sizeof out), "-");
	assert_string_equal(number_p(.0022, out, sizeof out), ".0022");
	assert_string_equal(number_p(.818, out, sizeof out), ".818");
	assert_string_equal(number_p(1e-7, out, sizeof out), "<.0001");
	assert_string_equal(number_p(1, out, sizeof out), "1");
	assert_string_equal(number_duration(830, out, sizeof out), "830 ms");
	assert_string_equal(number_duration(12345, out, sizeof out), "12.3 s");
	assert_string_equal(number_duration(245000, out, sizeof out), "4 min 05 s");
	assert_string_equal(number_duration(12000000, out, sizeof out), "3 h 20 min");
	assert_string_equal(number_time(0, out, sizeof out), "-");
	assert_string_equal(number_time(UINT64_MAX, out, sizeof out), "-");
	char tiny[4];
	number_human(1e9, "B/s", tiny, sizeof tiny); /* cut, not past its end */
	assert_true(strlen(tiny) < sizeof tiny);
}

static char *print(struct table *t, unsigned indent)
{
	char *text = NULL;
	size_t len;
	FILE *f = open_memstream(&text, &len);
	assert_non_null(f);
	table_print(t, f, indent);
	fclose(f);
	return text;
}

static void test_table(void **state)
{
	struct table t;
	(void)state;
	table_open(&t, "name|>n|what");
	table_add(&t, "a");
	table_addf(&t, "%d", 100);
	table_add(&t, "x");
	table_add(&t, "longer");
	table_add(&t, "7");
	table_add(&t, "");
	char *text = print(&t, 2);
	assert_string_equal(text, "  name      n  what\n  a       100  x\n  longer    7\n");
	free(text);
	table_open(&t, "none");
	text = print(&t, 0);
	assert_string_equal(text, "");
	free(text);
}

static void test_table_is_harmless(void **state)
{
	struct table t;
	(void)state;
	table_open(&t, "x");
	table_add(&t, "\x1b[2J\r\n\x07\x9b");
	table_add(&t, NULL);
	char *text = print(&t, 0);
	for (char *c = text; *c; c++)
		assert_true(*c == '\n' || (*c >= ' ' && *c < 0x7f));
	assert_non_null(strstr(text, "\\x1b[2J"));
	free(text);
	char *long_text = malloc(100000);
	assert_non_null(long_text);
	memset(long_text, '\x1b', 99999);
	long_text[99999] = 0;
	table_open(&t, "x");
	table_add(&t, long_text);
	table_addf(&t, "%s", long_text);
	text = print(&t, 0);
	assert_true(strlen(text) < 2000);
	free(text);
	free(long_text);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_human),
		cmocka_unit_test(test_others),
		cmocka_unit_test(test_table),
		cmocka_unit_test(test_table_is_harmless),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
