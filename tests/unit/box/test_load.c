/* SPDX-License-Identifier: GPL-2.0-or-later */
/* load: the job that goes behind image and pack is one that job.c reads, in a cpio that begins where a kernel looks for it. */
#include "../common/plan_fixture.h"

#include <fcntl.h>

#include "box/job.h"
#include "box/load.h"

static void test_job(void **state)
{
	static struct job me, next;
	static char out[65536];
	struct job_text text = {.prev = 0x80000001, .start = "via-home", .net = &me.net, .kernel = "0123456789abcdef", .image = "1123456789abcdef"};
	struct job_error e;

	(void)state;
	schedule.len = 0;
	add(&schedule, SWEEP);
	add(&schedule, SUBJECT_A);
	add(&schedule, SUBJECT_B);
	add(&schedule, TEST_A);
	add(&schedule, TEST_B);
	add(&schedule, TRY_1);
	add(&schedule, TRY_2);
	assert_int_equal(plan_read_schedule(&plan, schedule.s, schedule.len, &why), 0);
	strcpy(me.net.http, "10.0.2.2:80");
	strcpy(me.net.nfs, "10.0.2.2:2049,20048:/kd");
	long n = job_text_format(&text, &plan, plan_try_by_line(&plan, 2), out, sizeof(out));
	assert_true(n > 0);
	assert_int_equal(job_read(&next, out, (size_t)n, &e), 0);
	assert_int_equal(next.role, JOB_SUBJECT);
	assert_int_equal(next.tag, 2);
	assert_int_equal(next.line, 2);
	assert_int_equal(next.prev, 0x80000001);
	assert_int_equal(next.sw, PLAN_CHAIN);
	assert_int_equal(next.again_s, 60);
	assert_int_equal(next.jump_s, 90);
	assert_string_equal(next.subject, "6.1/up");
	assert_string_equal(next.start, "via-home");
	assert_string_equal(next.image, "1123456789abcdef");
	assert_string_equal(next.net.http, "10.0.2.2:80");
	assert_int_equal(next.tests, 2);
	assert_string_equal(next.test[1].args, "size_bytes=16,loops=3,x=");
	text.start = "firmware";
	n = job_text_format(&text, &plan, plan_try_by_line(&plan, 1), out, sizeof(out));
	memset(&next, 0, sizeof(next));
	assert_int_equal(job_read(&next, out, (size_t)n, &e), 0);
	assert_string_equal(next.start, "firmware");
	for (size_t size = 0; size < (size_t)n; size += 97)
		assert_true(job_text_format(&text, &plan, plan_try_by_line(&plan, 1), out, size) < 0);
	plan_free(&plan);
}

static void test_append(void **state)
{
	struct unit_dir d;
	char back[4096];

	(void)state;
	unit_dir_make(&d);
	int fd = open(unit_path(&d, "initrd"), O_RDWR | O_CREAT, 0600);
	assert_int_equal(write(fd, "image", 5), 5);
	assert_int_equal(load_append_job(fd, "job\n", 4), 0);
	ssize_t n = pread(fd, back, sizeof(back), 0);
	assert_true(n > 8 && n % 4 == 0);
	assert_memory_equal(back + 5, "\0\0\0", 3);
	assert_memory_equal(back + 8, "070701", 6);
	close(fd);
	unit_dir_remove(&d);
}

int main(void)
{
	const struct CMUnitTest tests[] = {cmocka_unit_test(test_job), cmocka_unit_test(test_append)};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
