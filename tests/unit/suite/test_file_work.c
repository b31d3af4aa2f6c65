/* SPDX-License-Identifier: GPL-2.0-or-later */
/* file_work: the three phases on a real file, and that data which changed on the disk is an error with its place, not a number. */
#include "../common/unit.h"

#include <errno.h>
#include <fcntl.h>
#include <sys/stat.h>

#include "../../suite/cold.h"
#include "../../suite/file_work.h"

#define SIZE (1024u * 1024u)

static struct unit_dir dir;
static char path[512];

static int set_up(void **state)
{
	(void)state;
	unit_dir_make(&dir);
	snprintf(path, sizeof(path), "%s", unit_path(&dir, "f"));
	return 0;
}

static int tear_down(void **state)
{
	(void)state;
	unit_dir_remove(&dir);
	return 0;
}

static void damage(off_t at)
{
	int fd = open(path, O_RDWR);
	char c;

	assert_true(fd >= 0);
	assert_int_equal(pread(fd, &c, 1, at), 1);
	c = (char)(c ^ 0x10);
	assert_int_equal(pwrite(fd, &c, 1, at), 1);
	close(fd);
}

static void test_phases(void **state)
{
	static struct file_times t = {.name = "work"};
	struct file_work w;
	struct stat st;

	(void)state;
	assert_int_equal(file_work_init(&w, path, SIZE, 65536, 5), 0);
	assert_int_equal(file_write(&w, &t), 0);
	assert_true(file_times_total(&t) > 0);
	assert_true(t.longest_step_ns <= t.move_ns);
	assert_int_equal(stat(path, &st), 0);
	assert_int_equal(st.st_size, SIZE);
	assert_int_equal(t.phase.n, 0); /* it warmed up */
	assert_int_equal(t.progress.n, 0);
	t.counts = 1;
	assert_int_equal(file_read(&w, &t), 0);
	assert_int_equal(t.fsync_ns, 0);
	assert_int_equal(t.phase.n, 1);
	assert_int_equal(t.progress.bytes, SIZE);
	assert_true(t.progress.stall_ns == t.longest_step_ns);
	assert_true(t.phase.ns >= file_times_total(&t));
	assert_int_equal(file_rewrite(&w, &t), 0);
	assert_int_equal(w.generation, 1);
	assert_int_equal(file_read(&w, &t), 0);
	assert_int_equal(file_verify(&w), 0);
	file_work_free(&w);
}

static void test_damage(void **state)
{
	struct file_times t = {0};
	struct file_work w;
	char text[100];

	(void)state;
	assert_int_equal(file_work_init(&w, path, SIZE, 65536, 5), 0);
	assert_int_equal(file_write(&w, &t), 0);
	damage(300000); /* no stamp: seen by verify alone */
	assert_int_equal(file_read(&w, &t), 0);
	assert_int_equal(file_verify(&w), -EILSEQ);
	assert_int_equal(w.bad, 300000);
	assert_string_equal(file_error(&w, "verify", -EILSEQ, text, sizeof(text)), "verify: wrong data at 300000");
	damage(512 * 800 + 3); /* a stamp: seen by all */
	assert_int_equal(file_read(&w, &t), -EILSEQ);
	assert_int_equal(w.bad, 512 * 800);
	assert_int_equal(file_rewrite(&w, &t), -EILSEQ);
	assert_int_equal(truncate(path, 70000), 0);
	assert_int_equal(file_read(&w, &t), -ENODATA);
	unlink(path);
	assert_int_equal(file_read(&w, &t), -ENOENT);
	file_work_free(&w);
}

static void test_full_disk(void **state)
{
	struct file_times t = {0};
	struct file_work w;

	(void)state;
	assert_int_equal(file_work_init(&w, "/dev/full", SIZE, 4096, 5), 0);
	assert_int_equal(file_write(&w, &t), -ENOSPC);
	file_work_free(&w);
}

static void test_refused(void **state)
{
	struct file_work w;

	(void)state;
	assert_int_equal(file_work_init(&w, path, SIZE + 1, 4096, 5), -EINVAL);
	assert_int_equal(file_work_init(&w, path, 0, 4096, 5), -EINVAL);
	assert_int_equal(file_work_init(&w, path, SIZE, 2 * FILE_CHUNK_MAX, 5), -EINVAL);
	assert_int_equal(file_work_init(&w, path, 3 * 3000, 3000, 5), -EINVAL);
}

static void test_cold(void **state)
{
	struct file_times t = {0};
	struct file_work w;

	(void)state;
	assert_int_equal(file_work_init(&w, path, SIZE, 65536, 5), 0);
	assert_int_equal(file_write(&w, &t), 0);
	assert_int_equal(cold_make(COLD_NONE, dir.path, path), COLD_NONE);
	assert_int_equal(cold_make(COLD_REMOUNT, dir.path, path), COLD_NONE); /* no mount point */
	assert_int_equal(cold_make(COLD_FADVISE, dir.path, path), COLD_FADVISE);
	assert_int_equal(cold_make(COLD_FADVISE, dir.path, "/nonexistent"), COLD_NONE);
	assert_int_equal(file_verify(&w), 0);
	file_work_free(&w);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_phases),  cmocka_unit_test(test_damage), cmocka_unit_test(test_full_disk),
		cmocka_unit_test(test_refused), cmocka_unit_test(test_cold),
	};
	return cmocka_run_group_tests(tests, set_up, tear_down);
}
