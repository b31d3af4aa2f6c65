/* SPDX-License-Identifier: GPL-2.0-or-later */
/* boot_marks: which line of a console is whose, and medians over boots that count. */
#include "../common/unit.h"

#include <math.h>

#include "host/boot_marks.h"

static struct plan_try planned[3] = {{.line = 1, .subject = 0}, {.line = 2, .subject = 1}, {.line = 3, .subject = 0}};
static struct show_try shown[3] = {{.try = &planned[0]}, {.try = &planned[1]}, {.try = &planned[2]}};

/* Jumps at 1000, 2000 and 3000; hellos 800 later; the third boot does not count. */
static void make(struct boot_marks *b, struct boot_marks_try *t)
{
	for (int i = 0; i < 3; i++) {
		t[i] = (struct boot_marks_try){.try = &shown[i], .counts = i < 2, .from_ms = 1000u * (unsigned)(i + 1)};
		t[i].to_ms = t[i].from_ms + 800;
		for (int k = 0; k < BOOT_MARKS; k++)
			t[i].ms[k] = -1;
	}
	*b = (struct boot_marks){.try = t, .tries = 3};
}

static void say(struct boot_marks *b, uint64_t at_ms, const char *line) { boot_marks_console(b, at_ms, line, strlen(line)); }

static void test_console(void **state)
{
	struct boot_marks_try t[3];
	struct boot_marks b;

	(void)state;
	make(&b, t);
	say(&b, 999, "Linux version 1");
	say(&b, 1100, "[ 99.0] Freeing unused kernel image (initmem) memory: 1K"); /* before a banner: the last kernel's */
	say(&b, 1300, "[ 0.0] Linux version 6.1");
	say(&b, 1350, "[ 0.0] Linux version 6.1, again");
	say(&b, 1600, "Freeing unused kernel memory: 108k freed");
	say(&b, 1700, "Run /init as init process");
	say(&b, 1900, "Linux version 7, between two");
	say(&b, 2800, "<5>Linux version 2.4.24");
	say(&b, 3100, "# kd1 00000001 1 1 note msg=Linux version 3 *00000000");
	say(&b, 3200, "");
	assert_true(t[0].ms[BOOT_BANNER] == 300);
	assert_true(t[0].ms[BOOT_RUN_INIT] == 600);
	assert_true(t[1].ms[BOOT_BANNER] == 800);
	assert_true(t[1].ms[BOOT_RUN_INIT] < 0);
	assert_true(t[2].ms[BOOT_BANNER] < 0);
	t[2].from_ms = 0; /* never started */
	say(&b, 3300, "Linux version 6.1");
	assert_true(t[2].ms[BOOT_BANNER] < 0);
}

static void test_median(void **state)
{
	struct boot_marks_try t[3];
	struct boot_marks b;
	size_t n;

	(void)state;
	make(&b, t);
	t[0].ms[BOOT_INIT] = 5;
	t[2].ms[BOOT_INIT] = 50;
	assert_true(boot_marks_median(&b, 0, BOOT_INIT, &n) == 5);
	assert_int_equal(n, 1);
	t[2].counts = 1;
	assert_true(boot_marks_median(&b, 0, BOOT_INIT, &n) == 27.5);
	assert_true(isnan(boot_marks_median(&b, 1, BOOT_INIT, &n)));
	assert_int_equal(n, 0);
	assert_true(boot_marks_by_box(BOOT_NFS) && !boot_marks_by_box(BOOT_BANNER));
}

static void test_slowest(void **state)
{
	struct boot_call calls[] = {{0, "a", 10}, {0, "a", 30}, {0, "a", 20}, {0, "b", 5}, {0, "c", 90}, {1, "a", 1}};
	struct boot_marks b = {.call = calls, .calls = 6};
	struct boot_slow slow[2];

	(void)state;
	assert_int_equal(boot_marks_slowest(&b, 0, slow, 2), 2);
	assert_string_equal(slow[0].name, "c");
	assert_string_equal(slow[1].name, "a");
	assert_true(slow[1].us == 20);
	assert_int_equal(slow[1].n, 3);
	assert_int_equal(boot_marks_slowest(&b, 1, slow, 2), 1);
	assert_int_equal(boot_marks_slowest(&b, 2, slow, 2), 0);
	assert_int_equal(boot_marks_slowest(&b, 0, slow, 0), 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_console),
		cmocka_unit_test(test_median),
		cmocka_unit_test(test_slowest),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
