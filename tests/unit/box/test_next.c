/* SPDX-License-Identifier: GPL-2.0-or-later */
/* next: who guards a jump. */
#include "../common/plan_fixture.h"

#include "box/next.h"

#define SUM "0123456789abcdef0123456789abcdef0123456789abcdef0123456789abcdef"

static struct text manifest;

static void put_kernel(const char *kernel, const char *watchdog)
{
	char line[300];

	snprintf(line, sizeof(line), "file role=kernel id=%s path=kernels/%s/vmlinuz bytes=1 sha256=" SUM, kernel, kernel);
	add(&manifest, line);
	snprintf(line, sizeof(line), "file role=image id=%s path=sweeps/s1/image-%s bytes=1 sha256=" SUM, kernel, kernel);
	add(&manifest, line);
	snprintf(line, sizeof(line), "expect kernel=%s release=%s version=x%s%s", kernel, kernel, *watchdog ? " watchdog=" : "", watchdog);
	add(&manifest, line);
}

static void read_plan(void)
{
	add_all(&schedule, good_schedule);
	assert_int_equal(read_schedule(), 0);
	put_kernel("6.1", "i6300esb");
	put_kernel("h1", "i6300esb");
	put_kernel("other", "iTCO_wdt");
	put_kernel("none", "");
	add(&manifest, "cmdline subject=6.1/smp words=");
	add(&manifest, "cmdline subject=6.1/up words=");
	assert_int_equal(plan_read_manifest(&plan, manifest.s, manifest.len, &why), 0);
}

/* Only where both kernels have the same driver, and it keeps a time-out of at least jump_s (90 here). */
static void test_guard(void **state)
{
	static const struct {
		const char *own, *next, *carries_s;
		enum journal_guard guard;
	} row[] = {
		{"h1", "6.1", "1800", JOURNAL_GUARD_WATCHDOG},   {"6.1", "6.1", "90", JOURNAL_GUARD_WATCHDOG},
		{"h1", "6.1", "89", JOURNAL_GUARD_STATION},      {"h1", "6.1", "0", JOURNAL_GUARD_STATION},
		{"h1", "6.1", "", JOURNAL_GUARD_STATION},        {"h1", "other", "1800", JOURNAL_GUARD_STATION},
		{"h1", "none", "1800", JOURNAL_GUARD_STATION},   {"none", "h1", "1800", JOURNAL_GUARD_STATION},
		{"none", "none", "1800", JOURNAL_GUARD_STATION}, {"h1", "unknown", "1800", JOURNAL_GUARD_STATION},
		{"x", "6.1", "1800", JOURNAL_GUARD_STATION},
	};

	(void)state;
	read_plan();
	for (size_t i = 0; i < sizeof(row) / sizeof(*row); i++)
		assert_int_equal(next_guard_of(&plan, row[i].own, row[i].next, row[i].carries_s), row[i].guard);
	plan_free(&plan);
}

int main(void)
{
	const struct CMUnitTest tests[] = {cmocka_unit_test(test_guard)};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
