/* SPDX-License-Identifier: GPL-2.0-or-later */
/* job: from a file and from a command line; what is wrong in it is refused with a reason. */
#include "../common/unit.h"

#include <errno.h>

#include "box/job.h"
#include "common/kv.h"

#define JOB                                                                                                                                  \
	"job tag=11223344 line=3 boot=2 subject=6.1/smp sweep=s1 box=b1 prev=8899aabb start=chain discard=0 again_s=20 jump_s=30 kernel=00 " \
	"image=11 pack=22"
#define NET "net http=10.0.2.2:80 tftp=10.0.2.2 nfs=10.0.2.2:2049,20048:/kd peer=10.0.2.2:99 nfstest=10.0.2.2:1,2:/kd/test ip="
#define TEST "test name=disk-seq deadline_ms=1000 quiet_ms=500 mem_kb=64 needs=scratch,net args=loops%3D3,size%3D4"

static char text[8192];
static size_t text_len;

static void add(const char *line)
{
	struct kv_out o;

	kv_out_init(&o, text + text_len, sizeof(text) - text_len);
	kv_out_raw(&o, line);
	kv_out_crc(&o, 0);
	assert_int_equal(o.err, 0);
	text_len += o.len;
	text[text_len++] = '\n';
}

static int read_lines(struct job *j, const char *const *line, size_t n)
{
	struct job_error e;

	text_len = 0;
	for (size_t i = 0; i < n; i++)
		add(line[i]);
	memset(j, 0, sizeof(*j));
	int err = job_read(j, text, text_len, &e);
	if (err)
		assert_true(e.text[0] != 0);
	return err;
}

static void test_whole(void **state)
{
	static struct job j;
	const char *line[] = {JOB, NET, TEST, TEST " program=prog", "future word=1"};

	(void)state;
	assert_int_equal(read_lines(&j, line, 5), 0);
	assert_int_equal(j.role, JOB_SUBJECT);
	assert_int_equal(j.tag, 0x11223344);
	assert_int_equal(j.prev, 0x8899aabb);
	assert_int_equal(j.line, 3);
	assert_int_equal(j.again_s, 20);
	assert_int_equal(j.jump_s, 30);
	assert_int_equal(j.sw, PLAN_CHAIN);
	assert_string_equal(j.subject, "6.1/smp");
	assert_string_equal(j.net.nfs, "10.0.2.2:2049,20048:/kd");
	assert_int_equal(j.tests, 2);
	assert_string_equal(j.test[1].args, "loops=3,size=4");
	assert_string_equal(j.test[0].program, "disk-seq");
	assert_string_equal(j.test[1].program, "prog");
	assert_true(job_needs(&j.test[0], "scratch"));
	assert_true(job_needs(&j.test[0], "net"));
	assert_false(job_needs(&j.test[0], "nfs"));
	assert_false(job_needs(&j.test[0], "scr"));
	assert_int_equal(strncmp(j.test[0].line, TEST " *", strlen(TEST) + 2), 0);
}

static void test_refused(void **state)
{
	static struct job j;
	const char *no_job[] = {NET}, *bad_tag[] = {"job tag=1 sweep=s box=b start=chain subject=a/b"};
	const char *bad_box[] = {"job tag=11223344 sweep=s1 box=../x start=chain subject=a/b"};
	const char *bad_subject[] = {"job tag=11223344 sweep=s1 box=b start=chain subject=a"};
	const char *bad_start[] = {"job tag=11223344 sweep=s1 box=b start=magic subject=a/b"};
	const char *bad_test[] = {JOB, "test name=../../bin/sh deadline_ms=1"}, *bad_program[] = {JOB, "test name=a program=../sh deadline_ms=1"},
		   *no_deadline[] = {JOB, "test name=a"};

	(void)state;
	assert_int_equal(read_lines(&j, no_job, 1), -EINVAL);
	assert_int_equal(read_lines(&j, bad_tag, 1), -EINVAL);
	assert_int_equal(read_lines(&j, bad_box, 1), -EINVAL);
	assert_int_equal(read_lines(&j, bad_subject, 1), -EINVAL);
	assert_int_equal(read_lines(&j, bad_start, 1), -EINVAL);
	assert_int_equal(read_lines(&j, bad_test, 2), -EINVAL);
	assert_int_equal(read_lines(&j, bad_program, 2), -EINVAL);
	assert_int_equal(read_lines(&j, no_deadline, 2), -EINVAL);
}

static void test_damaged(void **state)
{
	static struct job j;
	struct job_error e;
	const char *line[] = {JOB, NET};

	(void)state;
	assert_int_equal(read_lines(&j, line, 2), 0);
	for (size_t i = 0; i < text_len; i += 7) {
		char was = text[i];

		if (was == '\n')
			continue;
		text[i] = was == 'x' ? 'y' : 'x';
		memset(&j, 0, sizeof(j));
		assert_int_equal(job_read(&j, text, text_len, &e), -EINVAL);
		text[i] = was;
	}
	/* A block device pads with NULs. */
	memset(text + text_len, 0, 100);
	memset(&j, 0, sizeof(j));
	assert_int_equal(job_read(&j, text, text_len + 100, &e), 0);
}

static void test_cmdline(void **state)
{
	static struct job j;
	struct job_error e;

	(void)state;
	assert_int_equal(job_read_cmdline(&j,
	                                  "quiet kd.box=tw kd.sweep=s1 kd.http=10.0.2.2:80 kd.nfs=10.0.2.2:1,2:/kd console=ttyS0 kd.again_s=7 "
	                                  "kd.what=ever",
	                                  &e),
	                 0);
	assert_int_equal(j.role, JOB_HOME);
	assert_string_equal(j.box, "tw");
	assert_string_equal(j.net.nfs, "10.0.2.2:1,2:/kd");
	assert_int_equal(j.again_s, 7);
	assert_int_equal(j.sysrq, 0);
	assert_int_equal(job_read_cmdline(&j, "kd.sysrq=10", &e), 0);
	assert_int_equal(j.sysrq, 0);
	assert_int_equal(job_read_cmdline(&j, "quiet kd.sysrq=1", &e), 0);
	assert_int_equal(j.sysrq, 1);
	assert_int_equal(job_read_cmdline(&j, "kd=00c0ffee", &e), 0);
	assert_int_equal(j.tag, 0x00c0ffee);
	assert_int_equal(job_read_cmdline(&j, "kd.role=crash kd.of=00000007", &e), 0);
	assert_int_equal(j.role, JOB_CRASH);
	assert_int_equal(j.of, 7);
	assert_int_equal(job_read_cmdline(&j, "kd=xyz", &e), -EINVAL);
	assert_int_equal(job_read_cmdline(&j, "kd.box=a/b", &e), -EINVAL);
	assert_int_equal(job_read_cmdline(&j, "kd.again_s=99999999999", &e), -EINVAL);
}

static void test_addresses(void **state)
{
	struct job_nfs n;
	char addr[64];
	unsigned port;

	(void)state;
	assert_int_equal(job_nfs_parse(&n, "10.0.2.2:2049,20048:/kd"), 0);
	assert_string_equal(n.addr, "10.0.2.2");
	assert_int_equal(n.port, 2049);
	assert_int_equal(n.mountport, 20048);
	assert_string_equal(n.path, "/kd");
	assert_int_equal(job_nfs_parse(&n, "10.0.2.2:2049:/kd"), 0);
	assert_int_equal(n.mountport, 2049);
	assert_int_equal(job_nfs_parse(&n, "10.0.2.2:2049"), -EINVAL);
	assert_int_equal(job_nfs_parse(&n, "10.0.2.2:2049:/kd/../etc"), -EINVAL);
	assert_int_equal(job_nfs_parse(&n, "10.0.2.2:2049:/kd,hard"), -EINVAL);
	assert_int_equal(job_nfs_parse(&n, "host:2049:/kd"), -EINVAL);
	assert_int_equal(job_nfs_parse(&n, "10.0.2.2:0:/kd"), -EINVAL);
	assert_int_equal(job_addr_parse("10.0.2.2:70000", 0, addr, sizeof(addr), &port), -EINVAL);
	assert_int_equal(job_addr_parse("10.0.2.2", 0, addr, sizeof(addr), &port), -EINVAL);
	assert_int_equal(job_addr_parse("10.0.2.2", 69, addr, sizeof(addr), &port), 0);
	assert_int_equal(port, 69);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_whole),   cmocka_unit_test(test_refused),   cmocka_unit_test(test_damaged),
		cmocka_unit_test(test_cmdline), cmocka_unit_test(test_addresses),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
