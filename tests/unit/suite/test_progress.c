/* SPDX-License-Identifier: GPL-2.0-or-later */
/* progress: notes fall into their intervals, nothing is lost when intervals are put together, a stall is seen exactly. */
#include "../common/unit.h"

#include "../../suite/progress.h"

#define MS 1000000ull
#define KIB 1024ull

static uint64_t total(const struct progress *p)
{
	uint64_t sum = 0;

	for (unsigned i = 0; i < PROGRESS_SLOTS; i++)
		sum += p->kib[i];
	return sum;
}

static void test_slots(void **state)
{
	static struct progress p;

	(void)state;
	progress_start(&p, 5 * MS);
	progress_note(&p, 5 * MS + 10 * MS, 256 * KIB);
	progress_note(&p, 5 * MS + 99 * MS, 512 * KIB);
	progress_note(&p, 5 * MS + 100 * MS, 768 * KIB);
	progress_note(&p, 5 * MS + 730 * MS, 1024 * KIB + 1000); /* a stall of 630 ms from 100 ms on */
	progress_note(&p, 5 * MS + 740 * MS, 1024 * KIB + 1024); /* odd bytes make a KiB together */
	progress_note(&p, 5 * MS + 750 * MS, 10);                /* nonsense: it went back */
	assert_int_equal(p.n, 8);
	assert_int_equal(p.kib[0], 512);
	assert_int_equal(p.kib[1], 256);
	for (int i = 2; i < 7; i++)
		assert_int_equal(p.kib[i], 0);
	assert_int_equal(p.kib[7], 257);
	assert_int_equal(p.stall_ns, 630 * MS);
	assert_int_equal(p.stall_at_ns, 100 * MS);
	assert_int_equal(p.bytes, 1024 * KIB + 1024);
}

/* 250 s at 4 MiB/s: intervals of 100 ms become 800 ms (75 s each time), and the sum stays. */
static void test_halve(void **state)
{
	static struct progress p;
	uint64_t kib[PROGRESS_SAID_MAX], ms, sum = 0;
	size_t n;

	(void)state;
	progress_start(&p, 0);
	for (uint64_t i = 1; i <= 4000; i++)
		progress_note(&p, i * 62500000ull, i * 256 * KIB);
	assert_int_equal(p.interval_ms, 800);
	assert_int_equal(p.n, 250 * 1000 / 800 + 1);
	assert_int_equal(total(&p), 4000 * 256);
	assert_int_equal(p.stall_ns, 62500000);
	n = progress_series(&p, kib, PROGRESS_SAID_MAX, &ms);
	assert_true(n <= PROGRESS_SAID_MAX);
	assert_int_equal(ms, 800 * 6);
	for (size_t i = 0; i < n; i++)
		sum += kib[i];
	assert_int_equal(sum, 4000 * 256);
	/* one note after a day */
	progress_start(&p, 0);
	progress_note(&p, 86400000ull * MS, 1 << 20);
	assert_true(p.n <= PROGRESS_SLOTS && p.n > PROGRESS_SLOTS / 2);
	assert_int_equal(total(&p), 1024);
}

/* 20 s of 1 MiB an interval, but for 2 s of nothing. */
static void test_windows(void **state)
{
	static struct progress p;
	struct progress_windows w;
	uint64_t done = 0;

	(void)state;
	progress_start(&p, 0);
	progress_windows(&p, &w);
	assert_int_equal(w.n, 0);
	for (uint64_t i = 0; i < 200; i++) {
		if (i < 80 || i >= 100)
			done += 1 << 20;
		progress_note(&p, (i * 100 + 50) * MS, done);
	}
	progress_windows(&p, &w);
	assert_int_equal(w.ms, 1000);
	assert_int_equal(w.n, 199 - 10 + 1); /* the last interval is not over */
	assert_int_equal(w.min, 0);
	assert_true(w.has_p1 && w.has_p50);
	assert_int_equal(w.p1, 0);
	assert_int_equal(w.p50, 10 * 1024);
	progress_start(&p, 0);
	for (uint64_t i = 0; i < 30; i++)
		progress_note(&p, (i * 100 + 50) * MS, (i + 1) << 20);
	progress_windows(&p, &w);
	assert_int_equal(w.n, 20);
	assert_true(w.has_p50 && !w.has_p1);
	progress_start(&p, 0);
	progress_note(&p, 900 * MS, 1 << 20);
	progress_windows(&p, &w);
	assert_int_equal(w.n, 0); /* no second was whole */
}

static void test_keep(void **state)
{
	static struct progress worst, p;

	(void)state;
	progress_start(&p, 0);
	progress_note(&p, 10 * MS, 1);
	progress_keep(&worst, &p);
	assert_int_equal(worst.stall_ns, 10 * MS);
	progress_start(&p, 0);
	progress_note(&p, 5 * MS, 1);
	progress_keep(&worst, &p);
	assert_int_equal(worst.stall_ns, 10 * MS);
	progress_start(&p, 0);
	progress_note(&p, 20 * MS, 1);
	progress_keep(&worst, &p);
	assert_int_equal(worst.stall_ns, 20 * MS);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_slots),
		cmocka_unit_test(test_halve),
		cmocka_unit_test(test_windows),
		cmocka_unit_test(test_keep),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
