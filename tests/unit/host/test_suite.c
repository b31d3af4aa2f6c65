/* SPDX-License-Identifier: GPL-2.0-or-later */
/* suite: descriptors of tests, what they inherit, and what a schedule makes of them. */
#include "../common/unit.h"

#include <errno.h>

#include "common/io.h"
#include "host/suite.h"

#define HEAD "[test]\nname = t\ndeadline_s = 10\nquiet_s = 5\n"
#define METRIC "[metric m]\nunit = ns\nbetter = lower\n"

static struct unit_dir dir;
static char err[512];

static void put(const char *name, const char *text) { assert_int_equal(io_write_file(unit_path(&dir, name), text, strlen(text), 0644), 0); }

static int read_one(struct suite *s, const char *text)
{
	put("t.test", text);
	return suite_read(s, dir.path, err, sizeof err);
}

static void refused(const char *text, const char *says)
{
	struct suite s;
	assert_int_equal(read_one(&s, text), -EINVAL);
	if (!strstr(err, says) || !strstr(err, "t.test"))
		fail_msg("'%s' does not say '%s'", err, says);
}

static void test_read(void **state)
{
	struct suite s;
	(void)state;
	put("boot-time.test", "[test]\nname = boot-time\ndeadline_s = 1\nquiet_s = 1\nneeds = early\n");
	put("a.txt", "not a descriptor");
	assert_int_equal(read_one(&s, HEAD "needs = scratch, nfs\nmem_kb = 7\nsummary = s\n[args]\na = 1\nb = x\n" METRIC
	                                   "primary = yes\nabout = words\n[metric n]\nunit = B/s\nbetter = neither\n"),
	                 0);
	assert_int_equal(s.tests, 2);
	assert_string_equal(s.test[0].name, "boot-time"); /* first, whatever its name */
	const struct suite_test *t = suite_test(&s, "t");
	assert_string_equal(t->needs, "scratch,nfs");
	assert_int_equal(t->deadline_ms, 10000);
	assert_int_equal(t->mem_kb, 7);
	assert_int_equal(suite_metric(&s, "t", "m")->primary, 1);
	assert_int_equal(suite_metric(&s, "t", "m")->better, SUITE_LOWER);
	assert_int_equal(suite_metric(&s, "t", "n")->better, SUITE_NEITHER);
	assert_null(suite_metric(&s, "t", "x"));
	assert_null(suite_test(&s, "x"));
	assert_string_equal(t->args, "a=1,b=x");
	assert_string_equal(t->program, "t");
	assert_string_equal(s.test[0].args, "");
	assert_ptr_equal(suite_primary(t), suite_metric(&s, "t", "m"));
	assert_null(suite_primary(&s.test[0]));
	assert_null(suite_primary(NULL));
	suite_free(&s);
}

#define BASE                                                                                                         \
	"[test]\nname = base\nprogram = p\nsummary = s\ndeadline_s = 10\nquiet_s = 5\nmem_kb = 9\nneeds = scratch\n" \
	"[args]\na = 1\nb = 2\n[metric m]\nunit = ns\nbetter = lower\nprimary = yes\nabout = words\n[metric n]\nunit = B/s\nbetter = higher\n"
#define LIKE "[test]\nname = t\nlike = base\n"

/* What a descriptor does not say is as in the one that it is like. */
static void test_like(void **state)
{
	struct suite s;
	(void)state;
	put("base.test", BASE);
	assert_int_equal(read_one(&s, LIKE "quiet_s = 7\nneeds =\n[args]\nb = 3\nc = 4\n[metric o]\nunit = count\nbetter = neither\n"), 0);
	const struct suite_test *t = suite_test(&s, "t");
	assert_string_equal(t->program, "p");
	assert_string_equal(t->summary, "s");
	assert_string_equal(t->needs, ""); /* said, and nothing */
	assert_int_equal(t->deadline_ms, 10000);
	assert_int_equal(t->quiet_ms, 7000);
	assert_int_equal(t->mem_kb, 9);
	assert_string_equal(t->args, "a=1,b=3,c=4");
	assert_int_equal(t->metrics, 3);
	assert_string_equal(t->metric[0].name, "m");
	assert_string_equal(t->metric[0].about, "words");
	assert_int_equal(t->metric[0].primary, 1);
	assert_string_equal(t->metric[2].name, "o");
	suite_free(&s);
	/* A primary of its own takes the place of the other's. */
	assert_int_equal(read_one(&s, LIKE "program = q\n[metric n]\nprimary = yes\n"), 0);
	t = suite_test(&s, "t");
	assert_string_equal(t->program, "q");
	assert_string_equal(t->needs, "scratch");
	assert_int_equal(t->metric[0].primary, 0);
	assert_int_equal(t->metric[1].primary, 1);
	assert_string_equal(t->metric[1].unit, "B/s");
	suite_free(&s);
	assert_int_equal(read_one(&s, LIKE "[metric m]\nprimary = no\n"), 0);
	assert_int_equal(suite_metric(&s, "t", "m")->primary, 0);
	assert_string_equal(suite_test(&s, "base")->program, "p");
	assert_int_equal(suite_metric(&s, "base", "m")->primary, 1);
	suite_free(&s);
	refused("[test]\nname = t\nlike = bass\n", "did you mean 'base'");
	refused("[test]\nname = t\nlike = t\n", "which is like t itself");
	refused("[test]\nname = t\nlike = base\nprogram = a/b\n", "is no name");
}

static void test_refused(void **state)
{
	(void)state;
	refused(HEAD METRIC "primary = yes\n[metric n]\nunit = ns\nbetter = lower\nprimary = yes\n", "2 metrics are primary");
	refused(HEAD "[metric m]\nunit = ns\n", "lacks unit or better");
	refused(HEAD "[metric m]\nunit = ns\nbetter = bigger\n", "higher, lower or neither");
	refused("[test]\nname = u\ndeadline_s = 1\nquiet_s = 1\n", "but the file is t.test");
	refused("[test]\nname = t\nquiet_s = 1\n", "is missing");
	refused(HEAD "needs = scrach\n", "did you mean 'scratch'");
	refused(HEAD "[args]\na = 1,2\n", "no comma");
	refused(HEAD "[args.quick]\na = 1\n", "args.quick");
	refused(HEAD "[metric none]\nunit = ns\nbetter = lower\n", "no name of a metric");
	refused(HEAD "dead_line = 1\n", "unknown key");
	struct suite s;
	assert_int_equal(suite_read(&s, "/nonexistent", err, sizeof err), -ENOENT);
}

/* What a sweep's schedule says of its tests: instances, primaries of its own, and nothing of what no suite knows. */
static void test_adopt(void **state)
{
	struct suite s;
	struct plan_test t[] = {{.name = "base"},
	                        {.name = "other", .like = "base", .primary = "n"},
	                        {.name = "t", .primary = "none"},
	                        {.name = "gone"}};
	struct plan p = {.test = t, .tests = 4};
	(void)state;
	put("base.test", BASE);
	assert_int_equal(read_one(&s, LIKE), 0);
	assert_int_equal(suite_adopt(&s, &p), 0);
	assert_int_equal(s.tests, 3);
	assert_string_equal(suite_primary(suite_test(&s, "base"))->name, "m");
	assert_string_equal(suite_primary(suite_test(&s, "other"))->name, "n");
	assert_string_equal(suite_metric(&s, "other", "m")->unit, "ns");
	assert_null(suite_primary(suite_test(&s, "t")));
	assert_null(suite_test(&s, "gone"));
	suite_free(&s);
	/* A later suite has a test of the instance's name: the schedule wins. */
	struct plan_test late[] = {{.name = "t", .like = "base", .primary = "n"}, {.name = "u", .like = "t"}};
	p = (struct plan){.test = late, .tests = 2};
	assert_int_equal(read_one(&s, HEAD METRIC "primary = yes\n"), 0);
	assert_int_equal(suite_adopt(&s, &p), 0);
	assert_int_equal(s.tests, 3);
	assert_string_equal(suite_primary(suite_test(&s, "t"))->name, "n");
	assert_string_equal(suite_primary(suite_test(&s, "u"))->name, "m");
	suite_free(&s);
}

/* Descriptors from elsewhere: like those of the suite, and never in their place. */
static void test_add(void **state)
{
	struct suite s;
	struct unit_dir more;
	(void)state;
	put("base.test", BASE);
	assert_int_equal(read_one(&s, HEAD), 0);
	unit_dir_make(&more);
	assert_int_equal(io_write_file(unit_path(&more, "x.test"), "[test]\nname = x\nlike = base\n", 28, 0644), 0);
	assert_int_equal(suite_add(&s, more.path, err, sizeof err), 0);
	assert_int_equal(s.tests, 3);
	assert_string_equal(suite_test(&s, "x")->program, "p");
	assert_int_equal(suite_add(&s, more.path, err, sizeof err), -EEXIST);
	assert_non_null(strstr(err, "there is a test x already"));
	assert_int_equal(s.tests, 0);
	unit_dir_remove(&more);
}

/* What comes along must be right. */
static void test_shipped(void **state)
{
	struct suite s;
	(void)state;
	if (suite_read(&s, "tests/suite", err, sizeof err))
		fail_msg("%s", err);
	assert_true(s.tests >= 6);
	suite_free(&s);
}

static int setup(void **state)
{
	(void)state;
	unit_dir_make(&dir);
	return 0;
}

static int teardown(void **state)
{
	(void)state;
	unit_dir_remove(&dir);
	return 0;
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup_teardown(test_read, setup, teardown),    cmocka_unit_test_setup_teardown(test_like, setup, teardown),
		cmocka_unit_test_setup_teardown(test_refused, setup, teardown), cmocka_unit_test_setup_teardown(test_adopt, setup, teardown),
		cmocka_unit_test_setup_teardown(test_add, setup, teardown),     cmocka_unit_test(test_shipped),
	};
	return cmocka_run_group_tests_name("suite", tests, NULL, NULL);
}
