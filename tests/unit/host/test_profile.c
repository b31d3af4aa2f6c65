/* SPDX-License-Identifier: GPL-2.0-or-later */
/* profile, choose, sizes: which tests a sweep runs, and with which parameters. */
#include "../common/unit.h"

#include <errno.h>
#include <glob.h>
#include <unistd.h>

#include "common/io.h"
#include "host/choose.h"

static struct unit_dir dir;
static char err[1024];
static struct suite suite;
static struct profile profile;
static struct plan plan;
static struct choose given;

#define METRICS "[metric m]\nunit = ns\nbetter = lower\nprimary = yes\n[metric n]\nunit = B/s\nbetter = higher\n"
#define PROFILE "[profile]\nsummary = words\ntests = b, c a\nrounds = 12\nvariants = smp up:nosmp\nboot_s = 7\n"

static void put(const char *name, const char *text) { assert_int_equal(io_write_file(unit_path(&dir, name), text, strlen(text), 0644), 0); }

static int setup(void **state)
{
	(void)state;
	unit_dir_make(&dir);
	put("a.test", "[test]\nname = a\ndeadline_s = 10\nquiet_s = 5\n[args]\nsize_bytes = 1024\nload = disk\nreps = 3\n" METRICS);
	put("b.test", "[test]\nname = b\nprogram = prog\nneeds = nfs\ndeadline_s = 20\nquiet_s = 6\n[args]\nreps = 1\n" METRICS);
	assert_int_equal(suite_read(&suite, dir.path, err, sizeof err), 0);
	given = (struct choose){.suite = &suite, .profile = &profile, .sizes = {"box", (uint64_t)512 << 20, (uint64_t)3 << 30, 0}};
	profile = (struct profile){.rounds = 0};
	plan = (struct plan){.tests = 0};
	return 0;
}

static int teardown(void **state)
{
	(void)state;
	plan_free(&plan);
	profile_free(&profile);
	suite_free(&suite);
	unit_dir_remove(&dir);
	return 0;
}

static int read_text(const char *text)
{
	profile_free(&profile);
	put("p.profile", text);
	return profile_read(&profile, unit_path(&dir, "p.profile"), err, sizeof err);
}

static void unread(const char *text, const char *says)
{
	assert_int_equal(read_text(text), -EINVAL);
	if (!strstr(err, says) || !strstr(err, "p.profile"))
		fail_msg("'%s' does not say '%s'", err, says);
}

static int choose(const char *text)
{
	plan_free(&plan);
	if (read_text(text))
		fail_msg("%s", err);
	return choose_tests(&given, &plan, err, sizeof err);
}

static void refused(const char *text, const char *says)
{
	assert_int_equal(choose(text), -EINVAL);
	if (!strstr(err, says))
		fail_msg("'%s' does not say '%s'", err, says);
}

static void test_read(void **state)
{
	(void)state;
	assert_int_equal(read_text(PROFILE
	                           "[test c]\nlike = a\nprimary = n\nneeds = nfs net\nquiet_s = 9\nmem_kb = 5\nsize_bytes = 2*mem\nreps = 2\n[test "
	                           "a]\nprimary = none\n"),
	                 0);
	assert_string_equal(profile.name, "p");
	assert_string_equal(profile.summary, "words");
	assert_string_equal(profile.variants, "smp,up:nosmp");
	assert_int_equal(profile.rounds, 12);
	assert_int_equal(profile.boot_s, 7);
	assert_int_equal(profile.tests, 3);
	assert_string_equal(profile.test[0].name, "b");
	assert_string_equal(profile.test[0].like, "b");
	assert_string_equal(profile.test[1].like, "a");
	assert_string_equal(profile.test[1].primary, "n");
	assert_int_equal(profile.test[1].quiet_ms, 9000);
	assert_int_equal(profile.test[1].mem_kb, 5);
	assert_string_equal(profile.test[1].needs, "nfs,net");
	assert_string_equal(profile.test[1].args, "size_bytes=2*mem,reps=2");
	assert_string_equal(profile_test(&profile, "a")->primary, "none");
	assert_null(profile_test(&profile, "d"));
	unread("[profile]\nsummary = x\n", "lacks tests");
	unread("[profile]\ntests = a a\n", "stands twice");
	unread("[profile]\ntests = a b/c\n", "is no name");
	unread("[profile]\ntests = a\ntest = b\n", "did you mean 'tests'");
	unread("[profile]\ntests = a\n[test b]\nreps = 1\n", "p.profile:4: [test b] is not in tests");
	unread("[profile]\ntests = a\n[test a]\nreps = 1,2\n", "no comma");
	unread("[profile]\ntests = a\nrounds = 0\n", "a number from 1");
	assert_int_equal(profile_read(&profile, "/nonexistent/x.profile", err, sizeof err), -ENOENT);
}

static void test_choose(void **state)
{
	(void)state;
	assert_int_equal(choose("[profile]\ntests = b c a\n[test c]\nlike = a\nprimary = n\nquiet_s = 9\nsize_bytes = 2*mem\nreps = 2\n[test "
	                        "a]\nprimary = none\n"),
	                 0);
	assert_int_equal(plan.tests, 3);
	assert_string_equal(plan.test[0].name, "b");
	assert_string_equal(plan.test[0].program, "prog");
	assert_string_equal(plan.test[0].like, "");
	assert_string_equal(plan.test[0].needs, "nfs");
	assert_string_equal(plan.test[1].name, "c");
	assert_string_equal(plan.test[1].program, "a");
	assert_string_equal(plan.test[1].like, "a");
	assert_string_equal(plan.test[1].primary, "n");
	assert_string_equal(plan.test[1].args, "size_bytes=1073741824,load=disk,reps=2"); /* load is no size */
	assert_int_equal(plan.test[1].deadline_ms, 10000);
	assert_int_equal(plan.test[1].quiet_ms, 9000);
	assert_string_equal(plan.test[2].args, "size_bytes=1024,load=disk,reps=3");
	assert_string_equal(plan.test[2].primary, "none");
	given.args = "*.reps=8,a.size_bytes=disk/8,a.reps=9";
	given.tests = "a,b";
	assert_int_equal(choose("[profile]\ntests = b a\n"), 0);
	assert_string_equal(plan.test[0].args, "reps=8");
	assert_string_equal(plan.test[1].args, "size_bytes=402653184,load=disk,reps=9");
	given.tests = "a";
	given.args = NULL;
	given.more = "b";
	assert_int_equal(choose("[profile]\ntests = a\n"), 0);
	assert_int_equal(plan.tests, 1);
	given.tests = NULL;
	assert_int_equal(choose("[profile]\ntests = a\n"), 0);
	assert_int_equal(plan.tests, 2);
	assert_string_equal(plan.test[1].name, "b");
	assert_int_equal(choose("[profile]\ntests = x a\n[test x]\nlike = b\n"), 0); /* it has its place there */
	assert_int_equal(plan.tests, 2);
}

static void test_refused(void **state)
{
	(void)state;
	refused("[profile]\ntests = a d\n", "profile p, d: there is no test 'd'");
	refused("[profile]\ntests = b\n[test b]\nlike = a\n", "another name is wanted");
	refused("[profile]\ntests = a\n[test a]\nrep = 1\n", "did you mean 'reps'");
	refused("[profile]\ntests = a\n[test a]\nprimary = x\n", "no metric 'x'; there are: none, m, n");
	refused("[profile]\ntests = a\n[test a]\nsize_bytes = mem/0\n", "test a, size_bytes: 'mem/0' is no size");
	given.tests = "aa";
	refused("[profile]\ntests = a\n", "profile p has no test 'aa'; there is: a");
	given.tests = "b";
	refused("[profile]\ntests = a\n", "test b is not in profile p");
	given.tests = ",";
	refused("[profile]\ntests = a\n", "no test ''");
	given.tests = "";
	refused("[profile]\ntests = a\n", "names no test");
	given.tests = NULL;
	static const char *const wrong[][2] = {{"reps=1", "TEST.NAME=VALUE was expected"},
	                                       {"a.reps", "TEST.NAME=VALUE was expected"},
	                                       {"a.=1", "TEST.NAME=VALUE"},
	                                       {".reps=1", "TEST.NAME=VALUE"},
	                                       {"b.reps=1", "not in profile"},
	                                       {"a.rep=1", "did you mean 'reps'"},
	                                       {"*.rep=1", "no test of the sweep"},
	                                       {"a.size_bytes=many", "is no size"}};
	for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++) {
		given.args = wrong[i][0];
		refused("[profile]\ntests = a\n", wrong[i][1]);
	}
	given.args = NULL;
	char big[1200] = "[profile]\ntests = a\n[test a]\n";
	for (int i = 0; i < 2; i++)
		sprintf(big + strlen(big), "%s = %0125d\n  %0125d\n", (const char *[]){"reps", "load"}[i], 1, 1);
	refused(big, "more than a box takes");
}

static void test_sizes(void **state)
{
	static const char *const right[][2] = {
		{"1", "1"},
		{"64M", "67108864"},
		{"3MiB", "3145728"},
		{"mem", "536870912"},
		{"2*mem", "1073741824"},
		{"2 * mem / 4", "268435456"},
		{"mem/1000", "0"}, /* refused below */
		{"mem/3", "178257920"},
		{"mem/1000 min 64K", "65536"},
		{"2*mem max 100M", "104857600"},
		{"2*mem min 8M max 100M", "104857600"},
		{"disk/8", "402653184"},
	};
	static const char *const wrong[] = {"",
	                                    "x",
	                                    "-1",
	                                    "1Q",
	                                    "mem*2",
	                                    "2*",
	                                    "2*mem/0",
	                                    "2*mem/",
	                                    "mem min",
	                                    "mem max 0",
	                                    "mem min 2M max 1M",
	                                    "mem max 1M min 2M",
	                                    "memory",
	                                    "2000*mem",
	                                    "mem/2 x",
	                                    "99999999999999999999",
	                                    "9999999T"};
	char out[256];
	(void)state;
	for (size_t i = 0; i < sizeof right / sizeof *right; i++) {
		if (!strcmp(right[i][1], "0")) {
			assert_int_equal(sizes_value(&given.sizes, right[i][0], out, sizeof out, err, sizeof err), -EINVAL);
			assert_non_null(strstr(err, "less than 1 MiB on box box"));
			continue;
		}
		assert_int_equal(sizes_value(&given.sizes, right[i][0], out, sizeof out, err, sizeof err), 0);
		assert_string_equal(out, right[i][1]);
	}
	for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++)
		if (sizes_value(&given.sizes, wrong[i], out, sizeof out, err, sizeof err) != -EINVAL)
			fail_msg("'%s' was taken", wrong[i]);
	given.sizes.disk_bytes = 0;
	assert_int_equal(sizes_value(&given.sizes, "disk/2 min 1M", out, sizeof out, err, sizeof err), -EINVAL);
	assert_non_null(strstr(err, "board of box box does not say its scratch disk"));
	given.sizes.later = 1;
	assert_int_equal(sizes_value(&given.sizes, "disk/2 min 1M", out, sizeof out, err, sizeof err), 0);
	assert_string_equal(out, "disk/2 min 1M");
	assert_true(sizes_is_size("bytes") && sizes_is_size("size_bytes") && !sizes_is_size("_bytes") && !sizes_is_size("load") &&
	            !sizes_is_size("bytes_x"));
}

/* Those that come along: every one can be made, with at most ten primaries. */
static void test_shipped(void **state)
{
	static const char *const have[] = {"smoke", "quick", "full", "rehearse"};
	glob_t found;
	(void)state;
	suite_free(&suite);
	assert_int_equal(suite_read(&suite, "tests/suite", err, sizeof err), 0);
	for (size_t i = 0; i < sizeof have / sizeof *have; i++) {
		char path[128];
		snprintf(path, sizeof path, "tests/suite/%s.profile", have[i]);
		assert_int_equal(access(path, R_OK), 0);
	}
	assert_int_equal(glob("tests/suite/*.profile", 0, NULL, &found), 0);
	for (size_t i = 0; i < found.gl_pathc; i++) {
		unsigned primaries = 0;
		struct suite own;
		plan_free(&plan);
		profile_free(&profile);
		assert_int_equal(suite_read(&own, "tests/suite", err, sizeof err), 0);
		if (profile_read(&profile, found.gl_pathv[i], err, sizeof err) || choose_tests(&given, &plan, err, sizeof err))
			fail_msg("%s: %s", found.gl_pathv[i], err);
		assert_int_equal(suite_adopt(&own, &plan), 0);
		for (size_t k = 0; k < plan.tests; k++)
			primaries += suite_primary(suite_test(&own, plan.test[k].name)) != NULL;
		if (primaries < 1 || primaries > CHOOSE_PRIMARIES_MAX)
			fail_msg("%s: %u primaries", found.gl_pathv[i], primaries);
		suite_free(&own);
	}
	globfree(&found);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup_teardown(test_read, setup, teardown),    cmocka_unit_test_setup_teardown(test_choose, setup, teardown),
		cmocka_unit_test_setup_teardown(test_refused, setup, teardown), cmocka_unit_test_setup_teardown(test_sizes, setup, teardown),
		cmocka_unit_test_setup_teardown(test_shipped, setup, teardown),
	};
	return cmocka_run_group_tests_name("profile", tests, NULL, NULL);
}
