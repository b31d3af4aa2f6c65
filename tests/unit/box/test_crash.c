/* SPDX-License-Identifier: GPL-2.0-or-later */
/* arm, crash, pstore: the crash kernel's command line is one that job.c reads; memory as the firmware told it; dumps of dead kernels. */
#include "../common/plan_fixture.h"

#include <errno.h>
#include <sys/stat.h>

#include "box/arm.h"
#include "box/crash.h"
#include "box/pstore.h"
#include "common/io.h"

#define SUM "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855"

static void read_plan(void)
{
	static const char *const lines[] = {"file role=kernel id=6.1 path=k bytes=1 sha256=" SUM,
	                                    "file role=image id=6.1 path=i bytes=1 sha256=" SUM,
	                                    "file role=kernel id=h1 path=hk bytes=1 sha256=" SUM,
	                                    "file role=image id=h1 path=hi bytes=1 sha256=" SUM,
	                                    "cmdline subject=6.1/smp words=quiet",
	                                    "cmdline subject=6.1/up words=",
	                                    "expect kernel=6.1 release=6.1 version=x",
	                                    "home words=console%3DttyS0,115200%20quiet%20panic%3D10",
	                                    NULL};
	static struct text manifest;

	add_all(&schedule, good_schedule);
	assert_int_equal(read_schedule(), 0);
	add_all(&manifest, lines);
	assert_int_equal(plan_read_manifest(&plan, manifest.s, manifest.len, &why), 0);
}

static void test_cmdline(void **state)
{
	static struct job me, crash;
	struct job_error e;
	char line[2048];

	(void)state;
	read_plan();
	me = (struct job){.role = JOB_SUBJECT, .tag = 0x11223344, .sw = PLAN_CHAIN, .again_s = 20, .jump_s = 30};
	strcpy(me.box, "b1");
	strcpy(me.sweep, "s1");
	strcpy(me.net.http, "10.0.2.2:80");
	strcpy(me.net.nfs, "10.0.2.2:2049,20048:/kd");
	long n = arm_format_cmdline(&me, &plan, 804768768, 0, line, sizeof line);
	assert_int_equal(n, strlen(line));
	/* home's words first, and nothing that moves it out of its memory, or starts the other CPUs */
	assert_int_equal(strncmp(line, "console=ttyS0,115200 quiet panic=10 maxcpus=1 nokaslr reboot=s1 kd.", 67), 0);
	crash.bsp = JOB_BSP_UNKNOWN;
	assert_int_equal(job_read_cmdline(&crash, line, &e), 0);
	assert_int_equal(crash.role, JOB_CRASH);
	assert_int_equal(crash.of, 0x11223344);
	assert_int_equal(crash.tag, 0);
	assert_int_equal(crash.sw, PLAN_CHAIN);
	assert_int_equal(crash.again_s, 20);
	assert_int_equal(crash.jump_s, 30);
	assert_true(crash.ram_bytes == 804768768);
	assert_int_equal(crash.bsp, 0);
	assert_string_equal(crash.box, "b1");
	assert_string_equal(crash.sweep, "s1");
	assert_string_equal(crash.net.http, "10.0.2.2:80");
	assert_string_equal(crash.net.nfs, "10.0.2.2:2049,20048:/kd");
	assert_string_equal(crash.net.tftp, "");
	assert_string_equal(crash.image, "e3b0c44298fc1c14");
	assert_int_equal(crash.sysrq, 0);
	me.sysrq = 1;
	me.sw = PLAN_VIA_HOME;
	assert_true(arm_format_cmdline(&me, &plan, 0, JOB_BSP_UNKNOWN, line, sizeof line) > 0);
	assert_null(strstr(line, "kd.bsp"));
	assert_int_equal(job_read_cmdline(&crash, line, &e), 0);
	assert_int_equal(crash.sw, PLAN_VIA_HOME);
	assert_int_equal(crash.sysrq, 1);
	assert_true(crash.ram_bytes == 0);
	n = (long)strlen(line);
	for (size_t size = 1; size <= (size_t)n; size += 13)
		assert_int_equal(arm_format_cmdline(&me, &plan, 0, JOB_BSP_UNKNOWN, line, size), -EMSGSIZE);
	assert_int_equal(job_read_cmdline(&crash, "kd.ram=1x", &e), -EINVAL);
	assert_int_equal(job_read_cmdline(&crash, "kd.ram=99999999999999999999", &e), -EINVAL);
	assert_int_equal(job_read_cmdline(&crash, "kd.bsp=4294967295", &e), -EINVAL);
	plan_free(&plan);
}

static void put(const char *folder, const char *name, const char *text)
{
	char path[300];

	snprintf(path, sizeof path, "%s/%s", folder, name);
	assert_int_equal(io_write_file(path, text, strlen(text), 0644), 0);
}

static void test_ram(void **state)
{
	static const char *const row[][3] = {{"0x0", "0x9fbff", "System RAM"},
	                                     {"0x9fc00", "0x9ffff", "Reserved"},
	                                     {"0x100000", "0x2ffdffff", "System RAM"}};
	struct unit_dir d;
	char folder[300];

	(void)state;
	unit_dir_make(&d);
	assert_true(crash_ram_bytes("/nonexistent") == 0);
	assert_true(crash_ram_bytes(d.path) == 0);
	for (int i = 0; i < 3; i++) {
		snprintf(folder, sizeof folder, "%s/%d", d.path, i);
		assert_int_equal(mkdir(folder, 0755), 0);
		put(folder, "start", row[i][0]);
		put(folder, "end", row[i][1]);
		put(folder, "type", row[i][2]);
	}
	assert_true(crash_ram_bytes(d.path) == 0x9fc00 + 0x2fee0000);
	unit_dir_remove(&d);
}

static void test_pstore(void **state)
{
	struct unit_dir d;
	struct pstore p;
	struct records r = {.sinks = 0};
	char records[300], line[256], data[20000];
	long n;

	(void)state;
	assert_int_equal(pstore_of("Panic#1 Part1\n<7>[ 3.7] kdyno: try 0000000a\n<7>[ 9.7] kdyno: try 60389adb\nx"), 0x60389adb);
	assert_int_equal(pstore_of("kdyno: try 60389ad"), 0);
	assert_int_equal(pstore_of(""), 0);
	unit_dir_make(&d);
	snprintf(records, sizeof records, "%s/records", d.path);
	put(d.path, "dmesg-ramoops-0", "Panic#1 Part1\n<7>[ 3.7] kdyno: try 60389adb\n<0>[ 5.0] Kernel panic - not syncing: x\n");
	put(d.path, "dmesg-ramoops-1.enc.z", "compressed");
	put(d.path, "console-ramoops-0", "no dump");
	memset(data, 'x', sizeof data - 1);
	data[sizeof data - 1] = 0;
	data[12000] = '\n';
	put(d.path, "dmesg-erst-7", data);
	assert_int_equal(records_open(&r, records, 0x80000001), 0);
	pstore_send(&p, d.path, &r);
	assert_int_equal(p.files, 2);
	int of = 0, whole = 0;
	for (uint32_t seq = 0; (n = records_find(&r, seq, line, sizeof line)) > 0; seq++) {
		of += strstr(line, " name=pstore-dmesg-ramoops-0 of=60389adb part=") != NULL;
		whole += strstr(line, " name=pstore-dmesg-erst-7 part=") != NULL;
	}
	assert_int_equal(of, 2);
	assert_in_range(whole, 60, 90); /* the last line of it, and no more */
	pstore_forget(&p, d.path);
	snprintf(line, sizeof line, "%s/dmesg-ramoops-0", d.path);
	assert_int_equal(access(line, F_OK), -1);
	snprintf(line, sizeof line, "%s/dmesg-ramoops-1.enc.z", d.path);
	assert_int_equal(access(line, F_OK), 0);
	pstore_send(&p, "/nonexistent", &r);
	assert_int_equal(p.files, 0);
	close(r.fd);
	unit_dir_remove(&d);
}

/* A watchdog that home's kernel cannot pet must not meet a kernel that cannot either. */
static void test_watchdog(void **state)
{
	static const struct {
		const char *dead, *home, *next;
		int leaves, may;
	} row[] = {{"", "", "", 0, 1}, {"a", "a", "a", 0, 1}, {"a", "", "a", 1, 1}, {"a", "b", "a", 1, 1}, {"a", "", "", 1, 0}, {"", "", "a", 0, 1}};

	(void)state;
	for (size_t i = 0; i < sizeof(row) / sizeof(row[0]); i++) {
		struct plan_expect expect[] = {{.kernel = "dead"}, {.kernel = "home"}, {.kernel = "next"}};
		struct plan_subject subject[] = {{.kernel = "dead"}, {.kernel = "next"}};
		struct plan_try try[] = {{.line = 1, .tag = 1, .subject = 0}, {.line = 2, .tag = 2, .subject = 1}};
		struct plan p = {.home = "home", .subject = subject, .subjects = 2, .try = try, .tries = 2, .expect = expect, .expects = 3};

		strcpy(expect[0].watchdog, row[i].dead);
		strcpy(expect[1].watchdog, row[i].home);
		strcpy(expect[2].watchdog, row[i].next);
		assert_int_equal(crash_leaves_watchdog(&p, "dead"), row[i].leaves);
		assert_int_equal(crash_may_boot(&p, 1, &try[1]), row[i].may);
		assert_int_equal(crash_may_boot(&p, 0x80000001, &try[1]), 1);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {cmocka_unit_test(test_cmdline), cmocka_unit_test(test_ram), cmocka_unit_test(test_pstore),
	                                   cmocka_unit_test(test_watchdog)};

	return cmocka_run_group_tests_name("crash", tests, NULL, NULL);
}
