/* SPDX-License-Identifier: GPL-2.0-or-later */
/* small_writes: each work does what it says, and its check sees one wrong byte, a file that is too long and data in a hole. */
#include "../common/unit.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

#include "../../suite/small_writes.h"

static char dir[] = "/tmp/kd-test-small-XXXXXX";

static void begin(struct small_writes *s, struct progress *p)
{
	*s = (struct small_writes){.dir = dir,
	                           .seekback_bytes = 8192,
	                           .link_bytes = 8192,
	                           .sparse_writes = 20,
	                           .appends = 30,
	                           .append_bytes = 100,
	                           .names = 5};
	assert_int_equal(pattern_init(&s->pattern, 7, PATTERN_SECTOR), 0);
	progress_start(p, 1);
	s->progress = p;
}

static int work(struct small_writes *s, unsigned i)
{
	s->ops = s->done = 0;
	if (small_works[i].prepare)
		assert_int_equal(small_works[i].prepare(s), 0);
	return small_works[i].work(s);
}

static void poke(const char *name, off_t at)
{
	char path[100], c;
	int fd;

	snprintf(path, sizeof(path), "%s/%s", dir, name);
	fd = open(path, O_RDWR);
	assert_true(fd >= 0);
	if (pread(fd, &c, 1, at) != 1)
		c = 0;
	c ^= 1;
	assert_int_equal(pwrite(fd, &c, 1, at), 1);
	close(fd);
}

static void test_works(void **state)
{
	static const uint64_t ops[SMALL_WORKS] = {16, 20, 30, 10, 64}, done[SMALL_WORKS] = {8192, 10240, 3000, 0, 32768};
	struct small_writes s;
	struct progress p;

	(void)state;
	begin(&s, &p);
	for (unsigned i = 0; i < SMALL_WORKS; i++) {
		assert_int_equal(work(&s, i), 0);
		assert_int_equal(s.ops, ops[i]);
		assert_int_equal(s.done, done[i]);
		if (small_works[i].verify)
			assert_int_equal(small_works[i].verify(&s), 0);
		assert_int_equal(work(&s, i), 0); /* again, over what is there */
		if (small_works[i].verify)
			assert_int_equal(small_works[i].verify(&s), 0);
	}
	pattern_free(&s.pattern);
}

static void test_wrong(void **state)
{
	static const struct {
		unsigned work;
		const char *name;
		off_t at;
		uint64_t bad;
	} cases[] = {
		{SMALL_SEEKBACK, "seekback0", 0, 0},
		{SMALL_SEEKBACK, "seekback0", 8191, 8184},
		{SMALL_SPARSE, "sparse0", 17 * 512 + 8, 17 * 512 + 8},
		{SMALL_SPARSE, "sparse0", 17 * 512 - 1, 17 * 512 - 512}, /* a hole */
		{SMALL_APPEND, "append0", 2999, 2900},
		{SMALL_APPEND, "append0", 3000, 2900}, /* longer than it was */
		{SMALL_LINK, "link3", 5000, 5000},
	};
	struct small_writes s;
	struct progress p;

	(void)state;
	begin(&s, &p);
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		assert_int_equal(work(&s, cases[i].work), 0);
		poke(cases[i].name, cases[i].at);
		assert_int_equal(small_works[cases[i].work].verify(&s), -EILSEQ);
		assert_int_equal(s.bad, cases[i].bad);
	}
	pattern_free(&s.pattern);
}

/* A sparse file is one; a name too many is seen; what cannot be opened is an error. */
static void test_rest(void **state)
{
	struct small_writes s;
	struct progress p;
	struct stat st;
	char path[100];

	(void)state;
	begin(&s, &p);
	assert_int_equal(work(&s, SMALL_SPARSE), 0);
	snprintf(path, sizeof(path), "%s/sparse0", dir);
	assert_int_equal(stat(path, &st), 0);
	assert_int_equal(st.st_size, (20 * 17 + 1) * 512);
	snprintf(path, sizeof(path), "%s/none3", dir);
	close(open(path, O_CREAT | O_WRONLY, 0600));
	assert_int_equal(work(&s, SMALL_LOOKUP), -EPROTO);
	s.dir = "/no/such/folder";
	for (unsigned i = 0; i < SMALL_WORKS; i++)
		assert_int_equal(small_works[i].work(&s), -ENOENT);
	pattern_free(&s.pattern);
}

int main(void)
{
	const struct CMUnitTest tests[] = {cmocka_unit_test(test_works), cmocka_unit_test(test_wrong), cmocka_unit_test(test_rest)};
	char command[100];
	int failures;

	if (!mkdtemp(dir))
		return 1;
	failures = cmocka_run_group_tests(tests, NULL, NULL);
	snprintf(command, sizeof(command), "rm -rf %s", dir);
	return system(command) || failures;
}
