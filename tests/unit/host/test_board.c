/* SPDX-License-Identifier: GPL-2.0-or-later */
/* board: configs of boxes, and the mark of a scratch disk. */
#include "../common/unit.h"

#include <errno.h>
#include <fcntl.h>
#include <sys/stat.h>

#include "host/board_key.h"
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
	refused("", 1, "[board] arch is missing");
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
	refused(LEAST "crash_kernel = 64M\n", 7, "more than half");
	refused("[board]\narch = m68k\n", 2, "aarch64, armv7 or riscv64 was expected");
	refused("[board]\narch = x86_64\n[console]\ntype = qemu\n[machine]\nmemory = 15M\n", 6, "at least 16M");
	refused(LEAST "[console]\nkernel = ttyS0 kd=00000001\n", 8, "one word");
	refused(LEAST "[console]\nkernel = ttyS0\"\n", 8, "one word");
	refused(LEAST "[console]\nkernel =\n", 8, "console=");
	refused(LEAST "[twin]\nline =\n", 8, "leave the line out");
	refused(LEAST "[twin]\nqemu =\n", 8, "leave the line out");
	refused(LEAST "[power]\ncycle =\n", 8, "a command was expected");
	refused(LEAST "[power]\non = x\noff =\n", 9, "a command was expected");
	refused("[board]\narch = x86_64\nswitch = fast\n", 3, "chain, via-home or firmware");
	refused("[board]\narch = x86_64\n[console]\ntype = tty\n[machine]\nmemory = 64M\n", 4, "wants a path");
	refused(LEAST "[console]\npath = /dev/ttyS0\n", 8, "a twin has its own");
	refused("[board]\narch = x86_64\n[console]\ntype = qemu\n", 4, "memory is missing");
	refused("[board]\narch = x86_64\n[console]\ntype = tty\npath = /dev/x\n[machine]\nmemory = 64M\n[power]\non = x\n", 9,
	        "on stands without off: they go together");
	refused(LEAST "[power]\nretries = 101\n", 8, "100");
	refused(LEAST "[power]\nenabled = maybe\n", 8, "yes or no");
	assert_int_equal(board_parse(&b, "no name", LEAST, strlen(LEAST), &e), -EINVAL);
	assert_int_equal(board_read(&b, "/nonexistent/x.ini", &e), -ENOENT);
}

/* What comes along must be right. */
static void test_shipped(void **state)
{
	(void)state;
	static const char *const others[] = {"generic-bios", "generic-uefi", "generic-486",   "qemu-i486-28m",
	                                     "qemu-i686",    "qemu-aarch64", "qemu-rehearsal"};
	char path[128];
	for (size_t i = 0; i < sizeof others / sizeof *others; i++) {
		snprintf(path, sizeof path, "board-configs/%s.ini", others[i]);
		if (board_read(&b, path, &e))
			fail_msg("%s:%u: %s", e.file, e.line, e.text);
		assert_int_equal(b.tested, !strcmp(others[i], "qemu-rehearsal") || !strcmp(others[i], "qemu-i486-28m"));
		board_free(&b);
	}
	if (board_read(&b, "board-configs/qemu-x86_64.ini", &e))
		fail_msg("line %u: %s", e.line, e.text);
	assert_string_equal(b.name, "qemu-x86_64");
	assert_int_equal(b.tested, 1);
	board_free(&b);
}

/* The cells of a row of README.md's table, without blanks; how many there are. */
static int cells(char *line, char *cell[4])
{
	int n = 0;
	if (*line != '|')
		return 0;
	for (char *p = line + 1, *end; n < 4 && (end = strstr(p, " |")); p = end + 2) {
		*end = 0;
		cell[n++] = p + strspn(p, " ");
	}
	return n;
}

/* `text` of a cell, or the cell, into out. */
static void unquote(const char *cell, char *out, size_t size)
{
	const char *from = strchr(cell, '`'), *to = from ? strchr(from + 1, '`') : NULL;
	snprintf(out, size, "%.*s", to ? (int)(to - from - 1) : (int)strlen(cell), to ? from + 1 : cell);
}

static void check_row(const struct board_key *k, char *cell[4])
{
	char text[300];
	struct conf_error ce;
	struct board other = {0};
	if (k->wanted)
		assert_string_equal(cell[2], "must be given");
	else if (!k->def)
		assert_int_equal(strncmp(cell[2], "none", 4), 0);
	else if (!*k->def)
		assert_string_equal(cell[2], "empty");
	else {
		unquote(cell[2], text, sizeof text);
		assert_string_equal(text, k->def);
	}
	unquote(cell[3], text, sizeof text);
	assert_int_not_equal(*text, 0);
	struct conf_entry it = {(char *)k->section, (char *)k->name, text, 1};
	if (board_key_read(k, &other, &it, &ce))
		fail_msg("[%s] %s: %s", k->section, k->name, ce.text);
	char *said = board_key_text(k, &other);
	if (k->type != BOARD_KEY_INCLUDE)
		assert_string_equal(said, text); /* what was read is what stands there, and is written so again */
	free(said);
	board_key_free(k, &other);
}

/* The table of board-configs/README.md and the parser's are one: keys, order, defaults; the examples are right. */
static void test_readme(void **state)
{
	char line[2000], section[32] = "", name[64], *cell[4];
	size_t at = 0;
	FILE *f = fopen("board-configs/README.md", "r");
	(void)state;
	assert_non_null(f);
	while (fgets(line, sizeof line, f)) {
		if (cells(line, cell) != 4)
			continue;
		if (!strncmp(cell[0], "**[", 3))
			sscanf(cell[0], "**[%31[a-z]", section);
		if (*cell[0] != '`')
			continue;
		unquote(cell[0], name, sizeof name);
		if (at >= board_keys_n || strcmp(name, board_keys[at].name) || strcmp(section, board_keys[at].section))
			fail_msg("README.md has [%s] %s where the parser has %s", section, name, at < board_keys_n ? board_keys[at].name : "nothing");
		check_row(&board_keys[at], cell);
		at++;
	}
	fclose(f);
	assert_int_equal(at, board_keys_n);
}

static void put(const char *path, const char *text)
{
	FILE *f = fopen(path, "w");
	assert_non_null(f);
	fputs(text, f);
	fclose(f);
}

static void test_include(void **state)
{
	struct unit_dir dir;
	struct board_source s;
	struct board other;
	char base[512], own[512];
	(void)state;
	unit_dir_make(&dir);
	snprintf(base, sizeof base, "%s", unit_path(&dir, "base.ini"));
	snprintf(own, sizeof own, "%s", unit_path(&dir, "own.ini"));
	put(base, LEAST "cpus = 2\nnic = a, b\n[boot]\ncmdline = one two\n");
	put(own, "[machine]\ncpus = 4\n[board]\ninclude = base.ini\n[power]\ncycle = a long command with \"two  blanks\" and enough words for a "
	         "second line # and\n"
	         "\tmore of it, until there is a third line because of it: one two three four five six\n");
	assert_int_equal(board_read_from(&b, &s, own, &e), 0);
	assert_string_equal(b.name, "own");
	assert_int_equal(b.cpus, 4);
	assert_string_equal(b.nic, "a,b");
	assert_int_equal(s.files, 2);
	assert_int_equal(s.key[board_key_find("machine", "cpus")].file, 0);
	assert_int_equal(s.key[board_key_find("machine", "cpus")].line, 2);
	assert_int_equal(s.key[board_key_find("machine", "nic")].file, 1);
	assert_int_equal(s.key[board_key_find("machine", "nic")].line, 8);
	assert_int_equal(s.key[board_key_find("console", "speed")].line, 0);
	char *flat = board_flat(&b, &s);
	if (board_parse(&other, "own", flat, strlen(flat), &e))
		fail_msg("line %u: %s in\n%s", e.line, e.text, flat);
	assert_true(board_same(&b, &other));
	free(flat);
	board_free(&other);
	board_free(&b);
	board_source_free(&s);
	put(base, LEAST "cpus = none\n");
	assert_int_equal(board_read(&b, own, &e), -EINVAL);
	assert_string_equal(e.file, base); /* although the includer says better */
	assert_int_equal(e.line, 7);
	put(base, "[board]\ninclude = own.ini\n");
	assert_int_equal(board_read(&b, own, &e), -EINVAL);
	assert_non_null(strstr(e.text, "a loop"));
	assert_string_equal(e.file, base);
	unlink(base);
	unlink(own);
	unit_dir_remove(&dir);
	refused("[board]\ninclude = x.ini\n", 2, "there is no file here");
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
		cmocka_unit_test(test_defaults), cmocka_unit_test(test_all_keys), cmocka_unit_test(test_refused), cmocka_unit_test(test_same),
		cmocka_unit_test(test_shipped),  cmocka_unit_test(test_mark),     cmocka_unit_test(test_readme),  cmocka_unit_test(test_include),
	};
	return cmocka_run_group_tests_name("board", tests, NULL, NULL);
}
