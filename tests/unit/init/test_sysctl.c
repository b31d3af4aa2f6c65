/* SPDX-License-Identifier: GPL-2.0-or-later */
/* sysctl: what PID 1 sets, over a folder that stands for /proc/sys/kernel. */
#include "../common/unit.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include "common/io.h"
#include "init/sysctl.h"

static char dir[] = "/tmp/kd-sysctl.XXXXXX";
static char done[SYSCTL_DONE_MAX];
static struct degraded degraded;

static char *path_of(const char *name)
{
	static char path[128];

	snprintf(path, sizeof(path), "%s/%s", dir, name);
	return path;
}

/* A kernel that has these, with the value 0. */
static void have(const char *const *names)
{
	for (; *names; names++)
		assert_int_equal(io_write_file(path_of(*names), "0", 1, 0644), 0);
}

static const char *now(const char *name)
{
	static char text[32];

	assert_true(io_read_small(path_of(name), text, sizeof(text)) > 0);
	return text;
}

static void set(const char *cmdline)
{
	degraded = (struct degraded){0};
	sysctl_set(dir, cmdline, done, sizeof(done), &degraded);
}

static const char *const all[] = {"panic",
                                  "panic_on_oops",
                                  "softlockup_panic",
                                  "hardlockup_panic",
                                  "hung_task_panic",
                                  "hung_task_timeout_secs",
                                  "panic_on_rcu_stall",
                                  "warn_limit",
                                  "oops_limit",
                                  NULL};

static int setup(void **state)
{
	(void)state;
	strcpy(dir, "/tmp/kd-sysctl.XXXXXX");
	return mkdtemp(dir) ? 0 : -1;
}

static int teardown(void **state)
{
	(void)state;
	for (size_t i = 0; all[i]; i++)
		unlink(path_of(all[i]));
	return rmdir(dir);
}

static void test_all(void **state)
{
	(void)state;
	have(all);
	set("quiet");
	assert_string_equal(now("panic"), "10");
	assert_string_equal(now("panic_on_oops"), "1");
	assert_string_equal(now("softlockup_panic"), "1");
	assert_string_equal(now("hardlockup_panic"), "1");
	assert_string_equal(now("hung_task_panic"), "1");
	assert_string_equal(now("hung_task_timeout_secs"), "0"); /* the kernel's own */
	assert_string_equal(now("warn_limit"), "100");
	assert_string_equal(done, "panic,panic_on_oops,softlockup_panic,hardlockup_panic,hung_task_panic,panic_on_rcu_stall,warn_limit,oops_limit");
	assert_string_equal(degraded.text, "");
}

/* What a kernel lacks is no fault; what it refuses is degraded. */
static void test_some(void **state)
{
	static const char *const some[] = {"panic", NULL};

	(void)state;
	have(some);
	assert_int_equal(mkdir(path_of("panic_on_oops"), 0755), 0);
	set("");
	assert_string_equal(done, "panic");
	assert_string_equal(degraded.text, "sysctl.panic_on_oops:21");
	rmdir(path_of("panic_on_oops"));
}

/* The command line wins: by the kernel's own word for it, and by sysctl.kernel. on kernels of any age. */
static void test_words(void **state)
{
	(void)state;
	have(all);
	set("panic=30 oops=panic nmi_watchdog=0 xpanic=1 sysctl.kernel.warn_limit=0 sysctl.kernel.hung_task_timeout_secs=300\n");
	assert_string_equal(now("panic"), "0");
	assert_string_equal(now("panic_on_oops"), "1");
	assert_string_equal(now("hardlockup_panic"), "0");
	assert_string_equal(now("hung_task_timeout_secs"), "300");
	assert_string_equal(now("softlockup_panic"), "1");
	/* the last word counts; one that is no number is not written */
	have(all);
	set("panic=30 panic=10 sysctl.kernel.softlockup_panic=x sysctl.kernel.oops_limit= sysctl.kernel.warn_limit=12345678901234567890");
	assert_string_equal(now("panic"), "10");
	assert_string_equal(now("softlockup_panic"), "0");
	assert_string_equal(now("oops_limit"), "0");
	assert_string_equal(now("warn_limit"), "0");
}

/* PID 1 of a namespace sets nothing, even where it may. */
static void test_ours(void **state)
{
	static const struct {
		const char *map;
		int ours;
	} row[] = {{"         0          0 4294967295\n", 1},
	           {"         0          0          1\n", 0},
	           {"0 1000 1\n", 0},
	           {"0 0 1\n5 5 1\n", 0},
	           {"x", 0}};

	(void)state;
	assert_int_equal(sysctl_is_ours(path_of("panic")), 1); /* no such file */
	for (size_t i = 0; i < sizeof(row) / sizeof(*row); i++) {
		assert_int_equal(io_write_file(path_of("panic"), row[i].map, strlen(row[i].map), 0644), 0);
		assert_int_equal(sysctl_is_ours(path_of("panic")), row[i].ours);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup_teardown(test_all, setup, teardown),
		cmocka_unit_test_setup_teardown(test_some, setup, teardown),
		cmocka_unit_test_setup_teardown(test_words, setup, teardown),
		cmocka_unit_test_setup_teardown(test_ours, setup, teardown),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
