/* SPDX-License-Identifier: GPL-2.0-or-later */
/* step: what a test says on fd 3 becomes records, whatever it says. */
#include "../common/unit.h"

#include <fcntl.h>
#include <unistd.h>

#include "box/step.h"

static struct records r;
static char reason[64];
static char last[RECORD_MAX + 1];
static unsigned lines;
static const char *name = "t1";

static int keep(struct sink *s, const char *line, size_t len)
{
	(void)s;
	assert_true(len <= RECORD_MAX);
	memcpy(last, line, len + 1);
	lines++;
	return 0;
}

static const struct sink_ops ops = {"keep", keep, NULL};
static struct sink sink = {.ops = &ops};

static void take(const char *fact)
{
	last[0] = 0;
	lines = 0;
	step_take_fact(&r, name, fact, strlen(fact), reason, sizeof(reason));
}

static int setup(void **state)
{
	(void)state;
	memset(&r, 0, sizeof(r));
	r.fd = -1;
	r.max_bytes = RECORDS_BYTES_MAX;
	r.sink[0] = &sink;
	r.sinks = 1;
	reason[0] = 0;
	return 0;
}

static void test_kinds(void **state)
{
	(void)state;
	take("metric name=write v=16777216 ns=123");
	assert_non_null(strstr(last, " metric test=t1 name=write v=16777216 ns=123 *"));
	take("phase name=write quiet_ms=20000");
	assert_non_null(strstr(last, " phase test=t1 name=write quiet_ms=20000 *"));
	take("note msg=a%20b");
	assert_non_null(strstr(last, " note test=t1 msg=a%20b *"));
	take("skip reason=no%20luck");
	assert_int_equal(lines, 0);
	assert_string_equal(reason, "no luck");
	assert_int_equal(r.of_test, 3);
}

static void test_bad(void **state)
{
	(void)state;
	take("bye count=1 digest=00000000"); /* a test does not speak for the box */
	assert_non_null(strstr(last, " note test=t1 msg=unknown%20fact"));
	take("not a fact at all");
	assert_non_null(strstr(last, " note test=t1 msg=not%20a%20fact"));
	take("fact test=other x=1");
	assert_non_null(strstr(last, " fact test=t1 x=1 *"));
	take("");
	assert_int_equal(lines, 0);
}

static void test_long(void **state)
{
	char fact[STEP_FACT_MAX + 40] = "fact";

	(void)state;
	for (int i = 0; strlen(fact) < STEP_FACT_MAX - 12; i++)
		sprintf(fact + strlen(fact), " key%d=value", i);
	name = "a-test-with-a-long-name";
	take(fact); /* fits a line of fd 3, not a record: spread over two */
	assert_int_equal(lines, 2);
	name = "t1";
	take("metric name=a v=1");
	assert_int_equal(lines, 1);
	memset(fact, 'a', sizeof(fact) - 1);
	fact[sizeof(fact) - 1] = 0;
	take(fact);
	assert_non_null(strstr(last, "not%20a%20fact"));
}

/* What wants more than is free is not started: it skips, with both numbers. */
static void test_no_memory(void **state)
{
	static const struct job_test t = {.name = "huge", .deadline_ms = 1000, .quiet_ms = 1000, .mem_kb = 1ull << 40};
	static struct box b;

	(void)state;
	b.rec = r;
	b.promise.fd = -1;
	b.kmsg_fd = open("/dev/null", O_RDONLY | O_CLOEXEC);
	assert_true(b.kmsg_fd >= 0);
	lines = 0;
	step_run(&b, &t);
	close(b.kmsg_fd);
	assert_int_equal(lines, 2); /* begin and end */
	assert_non_null(strstr(last, " end test=huge status=skip records=2 "));
	assert_non_null(strstr(last, " reason=memory:%20"));
	assert_non_null(strstr(last, "it%20wants%201099511627776%20kB"));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup(test_kinds, setup),
		cmocka_unit_test_setup(test_bad, setup),
		cmocka_unit_test_setup(test_long, setup),
		cmocka_unit_test_setup(test_no_memory, setup),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
