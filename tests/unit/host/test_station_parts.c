/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The small parts around `sweep run`: which URLs are served, ports of kinds, the cells and counts of progress. */
#include <errno.h>
#include <fcntl.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <termios.h>
#include <unistd.h>

#include <cmocka.h>

#include "common/clock.h"
#include "host/port.h"
#include "host/progress.h"
#include "host/qmp.h"
#include "host/serve.h"
#include "host/server.h"
#include "host/station.h"

static void test_urls(void **state)
{
	static const char *const yes[] = {"/kernels/6.1/vmlinuz", "/sweeps/a/schedule",      "/sweeps/a/manifest",
	                                  "/sweeps/a/journal",    "/sweeps/a/pack-6.1.cpio", "/sweeps/a/image-6.1.cpio.xz"};
	static const char *const no[] = {"",
	                                 "/",
	                                 "//",
	                                 "/kernels",
	                                 "/kernels/",
	                                 "/kernels/6.1",
	                                 "/kernels/6.1/",
	                                 "/kernels/6.1/config",
	                                 "/kernels/../run/ports",
	                                 "/kernels/6.1/vmlinuz/",
	                                 "/kernels/6.1/vmlinuz/x",
	                                 "/sweeps/a/lock",
	                                 "/sweeps/a/records.jsonl",
	                                 "/sweeps/a/pack-../x",
	                                 "/sweeps/a/image-%2e",
	                                 "/sweeps/.a/schedule",
	                                 "/sweeps//schedule",
	                                 "kernels/6.1/vmlinuz",
	                                 "/sweeps/a/image-a b",
	                                 "/results/a/b"};
	char long_url[600] = "/sweeps/a/image-";

	(void)state;
	for (size_t i = 0; i < sizeof(yes) / sizeof(yes[0]); i++)
		assert_true(serve_http_allows(yes[i]));
	for (size_t i = 0; i < sizeof(no) / sizeof(no[0]); i++)
		if (serve_http_allows(no[i]))
			fail_msg("%s is served", no[i]);
	memset(long_url + strlen(long_url), 'a', 500);
	assert_false(serve_http_allows(long_url));
}

/* A tty is made raw and without echo: what the box says must not come back to it. */
static void test_tty(void **state)
{
	int master = posix_openpt(O_RDWR | O_NOCTTY);
	struct port p;
	char why[256], buf[16];
	struct termios t;

	(void)state;
	assert_true(master >= 0 && !grantpt(master) && !unlockpt(master));
	assert_int_equal(port_open(&p, ptsname(master), 115200, why, sizeof(why)), 0);
	assert_int_equal(p.kind, PORT_KIND_TTY);
	assert_int_equal(port_read(&p, buf, sizeof(buf)), 0);
	assert_int_equal(write(master, "hi\r\n\x03", 5), 5);
	usleep(20000);
	assert_int_equal(port_read(&p, buf, sizeof(buf)), 5);
	assert_memory_equal(buf, "hi\r\n\x03", 5);
	assert_int_equal(tcgetattr(p.fd, &t), 0);
	assert_int_equal(t.c_lflag & (tcflag_t)(ECHO | ICANON | ISIG), 0);
	assert_int_equal(port_write(&p, "\r\nok\r\n", 6), 0);
	assert_int_equal(read(master, buf, sizeof(buf)), 6);
	assert_memory_equal(buf, "\r\nok\r\n", 6);
	assert_int_equal(port_break(&p), 0);
	port_close(&p);
	close(master);
	assert_int_equal(port_open(&p, "/dev/null", 0, why, sizeof(why)), 0);
	p.kind = PORT_KIND_SOCKET; /* a terminal server: nobody knows which bytes are its BREAK */
	assert_int_equal(port_break(&p), -ENOTSUP);
	port_close(&p);
	assert_true(port_open(&p, "/nonexistent/tty", 0, why, sizeof(why)) < 0);
	assert_string_equal(why, "open /nonexistent/tty: No such file or directory");
}

/* A QEMU that hangs answers nothing and takes no connections: neither may hold the station up for long. */
static void test_qmp_hangs(void **state)
{
	char dir[] = "/tmp/kdyno-qmp-XXXXXX", path[64], command[64];
	uint64_t began = clock_now_ms();
	int fd, more[40];
	size_t n = 0;

	(void)state;
	assert_non_null(mkdtemp(dir));
	setenv("KDYNO_LAB", dir, 1);
	snprintf(path, sizeof(path), "%s/run", dir);
	assert_int_equal(mkdir(path, 0755), 0);
	fd = server_socket("a.qmp", 1);
	assert_true(fd >= 0);
	assert_int_equal(qmp_command("a.qmp", "{\"execute\":\"quit\"}"), -ETIMEDOUT);
	while (n < 40 && (more[n] = server_socket("a.qmp", 0)) >= 0)
		n++;
	assert_in_range(n, 1, 39);
	assert_int_equal(more[n], -EAGAIN);
	assert_int_equal(qmp_command("a.qmp", "{\"execute\":\"quit\"}"), -EAGAIN);
	assert_true(clock_now_ms() - began < 60000);
	while (n)
		close(more[--n]);
	close(fd);
	snprintf(command, sizeof(command), "rm -r '%s'", dir);
	assert_int_equal(system(command), 0);
}

/* What has been read of a twin's own log is given back to the disk; its size, by which both sides go, stays. */
static void test_trim(void **state)
{
	char path[] = "/tmp/kdyno-trim-XXXXXX", block[65536];
	struct twin t = {.raw = path};
	struct stat before, after;
	int fd = mkstemp(path);

	(void)state;
	memset(block, 'x', sizeof(block));
	for (int i = 0; i < 32; i++)
		assert_int_equal(write(fd, block, sizeof(block)), sizeof(block));
	assert_int_equal(fsync(fd), 0);
	assert_int_equal(fstat(fd, &before), 0);
	twin_trim(&t, 65536, 31 * 65536);
	assert_int_equal(fstat(fd, &after), 0);
	assert_int_equal(after.st_size, before.st_size);
	assert_int_equal(pread(fd, block, 1, 65535), 1);
	assert_int_equal(block[0], 'x');
	assert_int_equal(pread(fd, block, 1, 31 * 65536), 1);
	assert_int_equal(block[0], 'x');
	assert_int_equal(pread(fd, block, 1, 65536), 1);
	if (after.st_blocks < before.st_blocks) /* a file system that can */
		assert_int_equal(block[0], 0);
	else
		assert_int_equal(block[0], 'x');
	close(fd);
	unlink(path);
}

static void test_progress(void **state)
{
	struct plan_try try[] = {
		{.line = 1, .tag = 1, .boot = 1, .round = 0, .subject = 0, .discard = 1},
		{.line = 2, .tag = 2, .boot = 2, .round = 1, .subject = 0},
		{.line = 3, .tag = 3, .boot = 3, .round = 1, .subject = 1},
		{.line = 4, .tag = 4, .boot = 3, .round = 1, .subject = 1, .of = 3},
	};
	struct plan p = {.try = try, .tries = 4, .rounds = 1, .subjects = 2, .tries_max = 3};
	struct journal *j = calloc(1, sizeof(*j));
	struct progress_count c;

	(void)state;
	journal_init(j);
	j->try[1].state = JOURNAL_COMPLETE;
	j->try[1].at_ms[JOURNAL_GO] = 1000;
	j->try[1].at_ms[JOURNAL_COMPLETE] = 21000;
	j->try[3].state = JOURNAL_FAILED;
	progress_counts(&p, j, &c);
	assert_int_equal(c.boots, 3);
	assert_int_equal(c.complete, 1);
	assert_int_equal(c.given_up, 0); /* line 4 is still to come */
	assert_int_equal(c.failed_tries, 1);
	assert_int_equal(c.boot_ms, 20000);
	assert_int_equal(progress_cell(&p, j, 0, 0, 0), '+');
	assert_int_equal(progress_cell(&p, j, 0, 0, 1), '.');
	assert_int_equal(progress_cell(&p, j, 4, 1, 1), 'O');
	assert_int_equal(progress_cell(&p, j, 0, 1, 0), ' ');
	j->try[4].state = JOURNAL_FAILED;
	progress_counts(&p, j, &c);
	assert_int_equal(c.given_up, 1);
	assert_int_equal(progress_cell(&p, j, 0, 1, 1), 'x');
	j->try[4].state = JOURNAL_COMPLETE;
	assert_int_equal(progress_cell(&p, j, 4, 1, 1), '+');
	/* a boot in whose way the box was dead for ten hours does not make the others long */
	j->try[2].state = JOURNAL_COMPLETE;
	j->try[2].at_ms[JOURNAL_GO] = 21000;
	j->try[2].at_ms[JOURNAL_COMPLETE] = 36021000;
	j->try[4].at_ms[JOURNAL_START] = 36021000;
	j->try[4].at_ms[JOURNAL_COMPLETE] = 36043000;
	progress_counts(&p, j, &c);
	assert_int_equal(c.boot_ms, 22000);
	free(j);
}

/* A twin may die now and then in a long sweep: what counts is how often since a boot was complete. */
static void test_twin_deaths(void **state)
{
	struct station *st = calloc(1, sizeof(*st));
	struct journal_entry e = {.line = 1, .tag = 1, .state = JOURNAL_FAILED, .name = "silent"};
	struct drive_ops ops;
	FILE *f = tmpfile();

	(void)state;
	assert_non_null(f);
	st->journal_fd = fileno(f);
	st->sweep.journal = calloc(1, sizeof(*st->sweep.journal));
	st->twin_deaths = 3;
	station_ops(st, &ops);
	assert_int_equal(ops.journal(ops.ctx, &e), 0);
	assert_int_equal(st->twin_deaths, 3);
	e = (struct journal_entry){.line = 2, .tag = 2, .state = JOURNAL_COMPLETE};
	assert_int_equal(ops.journal(ops.ctx, &e), 0);
	assert_int_equal(st->twin_deaths, 0);
	fclose(f);
	free(st->sweep.journal);
	free(st);
}

int main(void)
{
	const struct CMUnitTest tests[] = {cmocka_unit_test(test_urls), cmocka_unit_test(test_tty),      cmocka_unit_test(test_qmp_hangs),
	                                   cmocka_unit_test(test_trim), cmocka_unit_test(test_progress), cmocka_unit_test(test_twin_deaths)};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
