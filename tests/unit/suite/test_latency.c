/* SPDX-License-Identifier: GPL-2.0-or-later */
/* latency: a percentile is a metric from its least sample on and lacking before; timer and own: sleeps end where they should, bindings hold; chunk. */
#include "../common/unit.h"

#include <errno.h>
#include <fcntl.h>

#include "../../suite/chunk.h"
#include "../../suite/fact.h"
#include "../../suite/latency.h"
#include "../../suite/own.h"
#include "../../suite/team.h"
#include "../../suite/timer.h"

#include "common/clock.h"
#include "common/hist.h"

static char said[4096];

/* What a function says on fd 3, in said. */
static void hear(const struct hist *h)
{
	int saved = fcntl(FACT_FD, F_DUPFD, 100);
	FILE *file = tmpfile();
	size_t n;

	assert_non_null(file);
	assert_int_equal(dup2(fileno(file), FACT_FD), FACT_FD);
	latency_metrics(h);
	latency_fact("work", h);
	lseek(FACT_FD, 0, SEEK_SET);
	n = (size_t)read(FACT_FD, said, sizeof(said) - 1);
	said[n] = 0;
	if (saved >= 0) {
		dup2(saved, FACT_FD);
		close(saved);
	} else if (fileno(file) != FACT_FD) {
		close(FACT_FD);
	}
	fclose(file);
}

static void test_percentiles(void **state)
{
	static struct hist h;

	(void)state;
	hist_clear(&h);
	hear(&h);
	assert_string_equal(said, "fact lacks=p50\nfact lacks=p99\nfact lacks=p999\nfact lacks=max\nfact part=work n=0\n");
	for (int i = 0; i < 367; i++)
		hist_add(&h, 20);
	hear(&h);
	assert_string_equal(said,
	                    "metric name=p50 v=20\nfact lacks=p99\nfact lacks=p999\nmetric name=max v=20\nfact part=work n=367 p50=20 max=20\n");
	hist_add(&h, 50);
	hear(&h);
	assert_non_null(strstr(said, "metric name=p99 v=20\n"));
	assert_non_null(strstr(said, "metric name=max v=50\n"));
	hist_clear(&h);
	hist_add(&h, 0);
	hear(&h);
	assert_non_null(strstr(said, "metric name=max v=1\n")); /* a metric of 0 has no ratio */
}

static void test_timer(void **state)
{
	uint64_t due = clock_now_ns() + 5000000, woke = timer_sleep_until(due);

	(void)state;
	assert_true(woke >= due);
	assert_true(clock_now_ns() >= woke);
	assert_true(timer_sleep_until(due) >= woke); /* gone by: at once */
}

static int bound(void *data)
{
	(void)data;
	return own_bind(0) || own_cpus() != 1 || own_bind_or_only(0) || own_bind_or_only(1) != -ENODEV;
}

static void test_own(void **state)
{
	struct team team = {0};

	(void)state;
	assert_true(own_cpus() >= 1);
	assert_int_equal(own_bind(own_cpus()), -ENODEV);
	assert_int_equal(team_add(&team, bound, NULL), 0);
	assert_int_equal(team_join(&team), 0);
}

static void test_chunk(void **state)
{
	(void)state;
	assert_int_equal(chunk_do(0), 0);
	assert_int_equal(chunk_do(3), 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_percentiles),
		cmocka_unit_test(test_timer),
		cmocka_unit_test(test_own),
		cmocka_unit_test(test_chunk),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
