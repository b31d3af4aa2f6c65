/* SPDX-License-Identifier: GPL-2.0-or-later */
/* board: configs of boxes, and the mark of a scratch disk. */
#include "../common/unit.h"

#include <errno.h>
#include <fcntl.h>
#include <sys/stat.h>

#include "host/scratch.h"

#define LEAST "[board]\narch = x86_64\n[console]\ntype = qemu\n[machine]\nmemory = 64M\n"

static struct board b;
static struct board_error e;

static int parse(const char *text) { return board_parse(&b, "box", text, strlen(text), &e); }

static void refused(const char *text, unsigned line, const char *says)
{
	assert_int_equal(parse(text), -EINVAL);
	assert_int_equal(e.line, line);
	if (!strstr(e.text, says))
		fail_msg("'%s' does not say '%s'", e.text, says);
}

static void test_defaults(void **state)
{
	(void)state;
	assert_int_equal(parse(LEAST), 0);
	assert_string_equal(b.name, "box");
	assert_int_equal(b.sw, PLAN_CHAIN);
	assert_int_equal(b.console, BOARD_CONSOLE_QEMU);
	assert_int_equal(b.console_speed, 115200);
	assert_string_equal(b.console_kernel, "ttyS0,115200");
	assert_int_equal(b.cpus, 1);
	assert_int_equal(b.scratch_bytes, 0);
	assert_int_equal(b.again_s, 60);
	assert_int_equal(b.deaf_s, 300);
	assert_int_equal(b.jump_s, 120);
	assert_string_equal(b.modules, "");
	assert_string_equal(b.watchdog, "");
	assert_null(b.power_cycle);
	board_free(&b);
}

static void test_all_keys(void **state)
{
	(void)state;
	assert_int_equal(parse("[board]\narch=x86_64\nsummary=s\ntested=yes\nswitch=via-home\n"
	                       "[console]\ntype=tty\npath=/dev/ttyUSB0\nspeed=57600\nkernel=ttyS1,57600\n"
	                       "[machine]\ncpus=4\nmemory=2G\nnic=e1000e?, 8139cp\nmodules=ext4 nfs\n\tnfsv3?\nwatchdog=iTCO_wdt? "
	                       "softdog?\nscratch=1G\ncrash_kernel=192M\n"
	                       "[boot]\ncmdline=quiet\n panic=10\nagain_s=5\ndeaf_s=60\njump_s=30\n[power]\non=a 1\noff=b\ncycle=c\n"),
	                 0);
	assert_int_equal(b.sw, PLAN_VIA_HOME);
	assert_string_equal(b.console_path, "/dev/ttyUSB0");
	assert_string_equal(b.nic, "e1000e?,8139cp");
	assert_string_equal(b.modules, "ext4,nfs,nfsv3?");
	assert_string_equal(b.watchdog, "iTCO_wdt?,softdog?");
	assert_string_equal(b.cmdline, "quiet panic=10");
	assert_string_equal(b.power_on, "a 1");
	assert_true(b.crash_bytes == 192 << 20);
	assert_int_equal(b.scratch_bytes, 1 << 30);
	char *line = board_cmdline(&b, "nosmp");
	assert_string_equal(line, "console=ttyS1,57600 oops=panic nmi_watchdog=panic watchdog.stop_on_reboot=0 quiet panic=10 nosmp");
	free(line);
	line = board_cmdline(&b, "oops nmi_watchdog=0 panic_print=3");
	assert_string_equal(line, "console=ttyS1,57600 watchdog.stop_on_reboot=0 quiet panic=10 oops nmi_watchdog=0 panic_print=3");
	free(line);
	line = board_cmdline(&b, "watchdog.stop-on-reboot=1 nmi-watchdog=1 xoops=1");
	assert_string_equal(line, "console=ttyS1,57600 oops=panic quiet panic=10 watchdog.stop-on-reboot=1 nmi-watchdog=1 xoops=1");
	free(line);
	board_free(&b);
}

static void test_same(void **state)
{
	static const char *const other[] = {"cpus = 2\n",
	                                    "nic = a\n",
	                                    "watchdog = a\n",
	                                    "[boot]\njump_s = 9\n",
	                                    "[power]\non = x\n",
	                                    "[power]\nenabled = no\n",
	                                    "[power]\nretries = 0\n",
	                                    "[power]\ntimeout_s = 9\n",
	                                    "[power]\noff_s = 9\n",
	                                    "[console]\nsysrq = yes\n",
	                                    "[twin]\nqemu = -x\n"};
	struct board a;
	(void)state;
	assert_int_equal(board_parse(&a, "a", LEAST "; remark\n", strlen(LEAST) + 9, &e), 0);
	assert_int_equal(parse(LEAST), 0);
	assert_true(board_same(&a, &b));
	board_free(&b);
	for (size_t i = 0; i < sizeof other / sizeof *other; i++) {
		char text[400];
		snprintf(text, sizeof text, LEAST "%s", other[i]);
		assert_int_equal(parse(text), 0);
		assert_false(board_same(&a, &b));
		board_free(&b);
	}
	board_free(&a);
}

static void test_refused(void **state)
{
	(void)state;
	refused("", 0, "arch is missing");
	refused(LEAST "cpu = 2\n", 7, "did you mean 'cpus'");
	refused(LEAST "[boot]\nagain_s = 0\n", 8, "from 1");
	refused(LEAST "[boot]\ncmdline = kd.box=x\n", 8, "kdyno's own");
	refused(LEAST "[boot]\ncmdline = a=\"b c\"\n", 8, "without quotes");
	refused(LEAST "modules = ../x\n", 7, "no name of a module");
	refused(LEAST "modules = a??\n", 7, "no name of a module");
	refused(LEAST "watchdog = a/b\n", 7, "no name of a module");
	refused(LEAST "scratch = 1000\n", 7, "16M");
	refused(LEAST "crash_kernel = yes\n", 7, "no, or at least 64M");
	refused(LEAST "crash_kernel = 1M\n", 7, "no, or at least 64M");
	refused(LEAST "crash_kernel = 99999K\n", 7, "no, or at least 64M");
	refused(LEAST "crash_kernel = 64M\n", 0, "more than half");
	refused("[board]\narch = m68k\n", 2, "x86_64 or i486 was expected");
	refused("[board]\narch = x86_64\n[console]\ntype = qemu\n[machine]\nmemory = 15M\n", 6, "at least 16M");
	refused(LEAST "[console]\nkernel = ttyS0 kd=00000001\n", 8, "one word");
	refused(LEAST "[console]\nkernel = ttyS0\"\n", 8, "one word");
	refused(LEAST "[console]\nkernel =\n", 8, "console=");
	refused(LEAST "[twin]\nline =\n", 8, "leave the line out");
	refused(LEAST "[twin]\nqemu =\n", 8, "leave the line out");
	refused(LEAST "[power]\ncycle =\n", 8, "a command was expected");
	refused(LEAST "[power]\non = x\noff =\n", 9, "a command was expected");
	refused("[board]\narch = x86_64\nswitch = fast\n", 3, "chain, via-home or firmware");
	refused("[board]\narch = x86_64\n[console]\ntype = tty\n[machine]\nmemory = 64M\n", 0, "path is missing");
	refused(LEAST "[console]\npath = /dev/ttyS0\n", 0, "a twin has its own");
	refused("[board]\narch = x86_64\n[console]\ntype = qemu\n", 0, "memory is missing");
	refused("[board]\narch = x86_64\n[console]\ntype = tty\npath = /dev/x\n[machine]\nmemory = 64M\n[power]\non = x\n", 0,
	        "off is missing: off and on go together");
	refused(LEAST "[power]\nretries = 101\n", 8, "100");
	refused(LEAST "[power]\nenabled = maybe\n", 8, "yes or no");
	assert_int_equal(board_parse(&b, "no name", LEAST, strlen(LEAST), &e), -EINVAL);
	assert_int_equal(board_read(&b, "/nonexistent/x.ini", &e), -ENOENT);
}

/* What comes along must be right. */
static void test_shipped(void **state)
{
	(void)state;
	if (board_read(&b, "board-configs/qemu-x86_64.ini", &e))
		fail_msg("line %u: %s", e.line, e.text);
	assert_string_equal(b.name, "qemu-x86_64");
	assert_int_equal(b.tested, 1);
	board_free(&b);
}

static void test_mark(void **state)
{
	struct unit_dir dir;
	struct scratch_mark m;
	struct stat st;
	char path[512];
	(void)state;
	unit_dir_make(&dir);
	snprintf(path, sizeof path, "%s", unit_path(&dir, "disk"));
	assert_int_equal(scratch_create(path, "qemu", 16 << 20), 0);
	assert_int_equal(stat(path, &st), 0);
	assert_int_equal(st.st_size, 16 << 20);
	assert_true(st.st_blocks * 512 < 1 << 20); /* sparse */
	int fd = open(path, O_RDWR);
	assert_int_equal(scratch_mark_read(fd, 16 << 20, &m), 0);
	assert_string_equal(m.box, "qemu");
	assert_int_equal(m.bytes, 16 << 20);
	assert_int_equal(strlen(m.uuid), 36);
	assert_int_equal(m.uuid[14], '4');
	/* Not where the disk's end is elsewhere; not when a byte is wrong. */
	assert_int_equal(scratch_mark_read(fd, 8 << 20, &m), -ENOENT);
	assert_int_equal(scratch_mark_read(fd, 1000, &m), -EINVAL);
	assert_int_equal(pwrite(fd, "x", 1, (16 << 20) - SCRATCH_MARK_BYTES + 30), 1);
	assert_int_equal(scratch_mark_read(fd, 16 << 20, &m), -EBADMSG);
	assert_int_equal(scratch_mark_write(fd, "other", 16 << 20), 0);
	assert_int_equal(scratch_mark_read(fd, 16 << 20, &m), 0);
	assert_string_equal(m.box, "other");
	close(fd);
	assert_int_equal(scratch_create(unit_path(&dir, "none/disk"), "qemu", 16 << 20), -ENOENT);
	char text[200];
	long n = scratch_mark_format("qemu", "u", 4096, text, sizeof text);
	assert_true(n > 0 && text[n - 1] == '\n' && !text[n]);
	assert_true(scratch_mark_format("qemu", "u", 4096, text, 20) < 0);
	unit_dir_remove(&dir);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_defaults), cmocka_unit_test(test_all_keys), cmocka_unit_test(test_refused),
		cmocka_unit_test(test_same),     cmocka_unit_test(test_shipped),  cmocka_unit_test(test_mark),
	};
	return cmocka_run_group_tests_name("board", tests, NULL, NULL);
}
