/* SPDX-License-Identifier: GPL-2.0-or-later */
/* place: a folder of its own that is gone at the end with all in it, what is lacking is a skip with its reason. NFS is seen in QEMU alone. */
#include "../common/unit.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

#include "../../suite/fact.h"
#include "../../suite/place.h"
#include "common/err.h"

static char top[] = "/tmp/kd-test-place-XXXXXX";

static void fill(const char *dir)
{
	char path[500];
	int fd;

	snprintf(path, sizeof(path), "%s/a", dir);
	assert_int_equal(mkdir(path, 0700), 0);
	snprintf(path, sizeof(path), "%s/a/b", dir);
	assert_int_equal(mkdir(path, 0700), 0);
	snprintf(path, sizeof(path), "%s/a/b/file", dir);
	fd = open(path, O_WRONLY | O_CREAT | O_EXCL, 0600);
	assert_true(fd >= 0);
	assert_int_equal(write(fd, "x", 1), 1);
	close(fd);
	snprintf(path, sizeof(path), "%s/link", dir);
	assert_int_equal(symlink("/tmp", path), 0); /* not followed */
}

static void test_local(void **state)
{
	static const enum place_on on[] = {PLACE_SCRATCH, PLACE_TMPFS};
	struct arg args[] = {PLACE_ARG_ROWS, {0}};
	struct place p;
	struct stat st;
	char dir[400];

	(void)state;
	for (size_t i = 0; i < sizeof(on) / sizeof(on[0]); i++) {
		args[PLACE_ON].v = on[i];
		args[PLACE_COLD].v = COLD_NONE;
		assert_int_equal(place_try(&p, args, 4096), 0);
		snprintf(dir, sizeof(dir), "%s", place_dir(&p));
		assert_memory_equal(dir, top, strlen(top));
		assert_int_equal(stat(dir, &st), 0);
		fill(dir);
		assert_int_equal(place_cold(&p, NULL), 0);
		assert_int_equal(p.cold_worst, COLD_NONE);
		assert_true(*p.line.type);
		assert_int_equal(place_report(&p), 0);
		place_close(&p);
		assert_int_equal(stat(dir, &st), -1);
		assert_int_equal(rmdir(top), 0); /* empty */
		assert_int_equal(mkdir(top, 0700), 0);
	}
}

static void test_lacking(void **state)
{
	struct arg args[] = {PLACE_ARG_ROWS, {0}};
	struct place p;

	(void)state;
	assert_int_equal(place_try(&p, args, UINT64_MAX / 2), EXIT_SKIP);
	assert_non_null(strstr(p.why, "too few"));
	assert_false(p.refused);
	args[PLACE_READAHEAD_KB].v = 0;
	assert_int_equal(place_try(&p, args, 0), EXIT_SKIP);
	assert_non_null(strstr(p.why, "readahead_kb"));
	args[PLACE_READAHEAD_KB].v = ARG_WORD(0);
	args[PLACE_ON].v = PLACE_NFS;
	assert_int_equal(place_try(&p, args, 0), EXIT_SKIP);
	assert_non_null(strstr(p.why, "KD_NFSTEST"));
	setenv("KD_NFSTEST", "10.0.2.2", 1);
	assert_int_equal(place_try(&p, args, 0), EXIT_FAIL);
	unsetenv("KD_NFSTEST");
	args[PLACE_ON].v = PLACE_SCRATCH;
	setenv("KD_SCRATCH", "/no/such/folder", 1);
	assert_int_equal(place_try(&p, args, 0), EXIT_SKIP);
	unsetenv("KD_SCRATCH");
	assert_int_equal(place_try(&p, args, 0), EXIT_SKIP);
	place_close(&p); /* nothing to close is no harm */
	assert_int_equal(rmdir(top), 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {cmocka_unit_test(test_local), cmocka_unit_test(test_lacking)};

	if (dup2(open("/dev/null", O_WRONLY), FACT_FD) != FACT_FD || !mkdtemp(top))
		return 1;
	setenv("KD_SCRATCH", top, 1);
	setenv("KD_TMP", top, 1);
	return cmocka_run_group_tests(tests, NULL, NULL);
}
