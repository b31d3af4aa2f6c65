/* SPDX-License-Identifier: GPL-2.0-or-later */
/* plan_manifest: files, command lines and what a kernel must say, and all that can be wrong with them. */
#include "plan_fixture.h"

#include <errno.h>

#define SUM "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855"
#define KERNEL "file role=kernel id=6.1 path=kernels/6.1/vmlinuz bytes=100 sha256=" SUM
#define IMAGE "file role=image id=6.1 path=sweeps/s1/image-6.1.cpio.xz bytes=100 sha256=" SUM
#define CMD_A "cmdline subject=6.1/smp words=console%3DttyS0%20quiet"
#define CMD_B "cmdline subject=6.1/up words="
#define EXPECT "expect kernel=6.1 release=6.1.0-17-amd64 version=%231%20SMP%20Debian"

static const char *const good_manifest[] = {KERNEL, IMAGE, CMD_A, CMD_B, EXPECT, NULL};

static struct text manifest;

static int read_manifest(const char *const *lines)
{
	add_all(&schedule, good_schedule);
	assert_int_equal(read_schedule(), 0);
	add_all(&manifest, lines);
	return plan_read_manifest(&plan, manifest.s, manifest.len, &why);
}

static void refuse_manifest(size_t at, const char *line, unsigned want_line, const char *want)
{
	const char *lines[16] = {NULL};

	memcpy(lines, good_manifest, sizeof(good_manifest));
	lines[at] = line;
	if (read_manifest(lines) != -EINVAL)
		fail_msg("taken: %s", line);
	if (why.line != want_line || !strstr(why.text, want))
		fail_msg("line %u, not %u: '%s' should say '%s'", why.line, want_line, why.text, want);
	assert_null(plan.subject);
	assert_null(plan.file);
}

static void test_manifest(void **state)
{
	const struct plan_file *f;

	(void)state;
	assert_int_equal(read_manifest(good_manifest), 0);
	f = plan_file(&plan, PLAN_KERNEL, "6.1");
	assert_non_null(f);
	assert_string_equal(f->path, "kernels/6.1/vmlinuz");
	assert_true(f->bytes == 100);
	assert_string_equal(f->sha256, SUM);
	assert_non_null(plan_file(&plan, PLAN_IMAGE, "6.1"));
	assert_null(plan_file(&plan, PLAN_PACK, "6.1"));
	assert_null(plan_file(&plan, PLAN_KERNEL, "6.2"));
	assert_string_equal(plan.subject[0].cmdline, "console=ttyS0 quiet");
	assert_string_equal(plan.subject[1].cmdline, "");
	assert_string_equal(plan_expect(&plan, "6.1")->release, "6.1.0-17-amd64");
	assert_string_equal(plan_expect(&plan, "6.1")->version, "#1 SMP Debian");
	assert_string_equal(plan_expect(&plan, "6.1")->watchdog, "");
	assert_null(plan_expect(&plan, "6.2"));
	assert_int_equal(plan_read_manifest(&plan, manifest.s, manifest.len, &why), -EINVAL);
	assert_non_null(strstr(why.text, "second manifest"));
	assert_null(plan.subject);
}

static void test_manifest_paths(void **state)
{
	static const char *const bad[] = {
		"", "/etc/passwd", "..", "../x", "a/../b", "a/..", "./a", "a//b", "a/", "a%20b", "a%5Cb", "a%25b", "a%3Fb", "a%0Ab", "a/./b",
	};
	char line[512], longer[300];

	(void)state;
	for (size_t i = 0; i < sizeof(bad) / sizeof(bad[0]); i++) {
		snprintf(line, sizeof(line), "file role=kernel id=6.1 path=%s bytes=1 sha256=" SUM, bad[i]);
		refuse_manifest(0, line, 1, "path=");
	}
	memset(longer, 'a', sizeof(longer));
	longer[256] = 0;
	snprintf(line, sizeof(line), "file role=kernel id=6.1 path=%s bytes=1 sha256=" SUM, longer);
	refuse_manifest(0, line, 1, "longer than 255");
	longer[255] = 0;
	snprintf(line, sizeof(line), "file role=kernel id=6.1 path=%s bytes=1 sha256=" SUM, longer);
	assert_int_equal(read_manifest((const char *const[]){line, IMAGE, CMD_A, CMD_B, EXPECT, NULL}), 0);
	plan_free(&plan);
	assert_int_equal(read_manifest((const char *const[]){"file role=kernel id=6.1 path=a/..b/c.. bytes=1 sha256=" SUM, IMAGE, CMD_A, CMD_B,
	                                                     EXPECT, NULL}),
	                 0);
	plan_free(&plan);
}

static void test_manifest_refused(void **state)
{
	char line[3000];

	(void)state;
	refuse_manifest(0, "file role=disk id=6.1 path=a bytes=1 sha256=" SUM, 1, "role= wants kernel, image or pack");
	refuse_manifest(0, "file role=kernel id=6.1 path=a bytes=0 sha256=" SUM, 1, "bytes= wants");
	refuse_manifest(0, "file role=kernel id=6.1 path=a bytes=1 sha256=abc", 1, "sha256= wants");
	refuse_manifest(0, "file role=kernel id=6.1 path=a bytes=1", 1, "no sha256=");
	refuse_manifest(1, KERNEL, 2, "twice");
	refuse_manifest(2, "cmdline subject=x/y words=", 3, "not in the schedule");
	refuse_manifest(3, CMD_A, 4, "twice");
	refuse_manifest(2, "cmdline subject=6.1/smp words=quiet%20kd=1", 3, "not a line");
	refuse_manifest(2, "cmdline subject=6.1/smp words=quiet%20kd%3D00000001", 3, "kd word");
	refuse_manifest(2, "cmdline subject=6.1/smp words=kd.role%3Dcrash", 3, "kd word");
	refuse_manifest(2, "cmdline subject=6.1/smp words=a%0Ab", 3, "control byte");
	refuse_manifest(2, "cmdline subject=6.1/smp", 3, "no words=");
	snprintf(line, sizeof(line), "cmdline subject=6.1/smp words=%02048d", 0);
	refuse_manifest(2, line, 3, "longer than");
	refuse_manifest(4, "expect kernel=6.1 release= version=x", 5, "release= wants");
	refuse_manifest(4, "expect kernel=6.1 release=6%20x version=x", 5, "release= wants");
	snprintf(line, sizeof(line), "expect kernel=6.1 release=%096d version=x", 0);
	refuse_manifest(4, line, 5, "release= wants");
	refuse_manifest(4, EXPECT " watchdog=a%20b", 5, "watchdog");
	refuse_manifest(0, "what", 1, "unknown word what, want file, cmdline, home or expect");
	refuse_manifest(4, "home words=kd.of%3D00000001", 5, "kd word");
	refuse_manifest(4, "home", 5, "no words=");
	refuse_manifest(0, "expect kernel=6.2 release=x version=x", 0, "no kernel file for 6.1");
	refuse_manifest(1, "expect kernel=6.2 release=x version=x", 0, "no image file for 6.1");
	refuse_manifest(2, "expect kernel=6.2 release=x version=x", 0, "no cmdline for 6.1/smp");
	refuse_manifest(4, "expect kernel=6.2 release=x version=x", 0, "no expect line for 6.1");
}

/* A crash kernel wants home, and how it is started. */
static void test_manifest_home(void **state)
{
	static const char home[] = "home words=console%3DttyS0%20quiet";
	static const char *const files[] = {"file role=kernel id=h1 path=kernels/h1/vmlinuz bytes=1 sha256=" SUM,
	                                    "file role=image id=h1 path=kernels/h1/image bytes=1 sha256=" SUM};
	const char *lines[] = {KERNEL, IMAGE, CMD_A, CMD_B, EXPECT, home, files[0], files[1], NULL};

	(void)state;
	assert_int_equal(read_manifest(good_manifest), 0);
	assert_null(plan.home_cmdline);
	assert_true(plan.crash_bytes == 0);
	plan_free(&plan);
	assert_int_equal(read_manifest(lines), 0);
	assert_string_equal(plan.home_cmdline, "console=ttyS0 quiet");
	plan_free(&plan);
	for (int missing = 5; missing < 9; missing++) {
		schedule.len = manifest.len = 0;
		add(&schedule, SWEEP " crash=201326592");
		for (size_t i = 1; good_schedule[i]; i++)
			add(&schedule, good_schedule[i]);
		assert_int_equal(plan_read_schedule(&plan, schedule.s, schedule.len, &why), 0);
		assert_true(plan.crash_bytes == 201326592);
		for (int i = 0; i < 8; i++)
			if (i != missing)
				add(&manifest, lines[i]);
		assert_int_equal(plan_read_manifest(&plan, manifest.s, manifest.len, &why), missing < 8 ? -EINVAL : 0);
		if (missing < 8)
			assert_non_null(strstr(why.text, "no home to be crash kernel"));
	}
	plan_free(&plan);
}

/* A legacy image says where in it the job goes. */
static void test_manifest_job(void **state)
{
	static const char *const good[] = {KERNEL, IMAGE " job_at=20 job_bytes=80", CMD_A, CMD_B, EXPECT, NULL};

	(void)state;
	assert_int_equal(read_manifest(good_manifest), 0);
	assert_int_equal(plan_file(&plan, PLAN_IMAGE, "6.1")->job_bytes, 0);
	plan_free(&plan);
	assert_int_equal(read_manifest(good), 0);
	assert_int_equal(plan_file(&plan, PLAN_IMAGE, "6.1")->job_at, 20);
	assert_int_equal(plan_file(&plan, PLAN_IMAGE, "6.1")->job_bytes, 80);
	plan_free(&plan);
	refuse_manifest(1, IMAGE " job_at=21 job_bytes=80", 2, "inside an image");
	refuse_manifest(1, IMAGE " job_at=20", 2, "job_bytes");
	refuse_manifest(1, IMAGE " job_at=x job_bytes=80", 2, "job_at");
	refuse_manifest(0, KERNEL " job_at=20 job_bytes=80", 1, "inside an image");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_manifest),      cmocka_unit_test(test_manifest_paths), cmocka_unit_test(test_manifest_refused),
		cmocka_unit_test(test_manifest_home), cmocka_unit_test(test_manifest_job),
	};

	return cmocka_run_group_tests_name("plan_manifest", tests, NULL, NULL);
}
