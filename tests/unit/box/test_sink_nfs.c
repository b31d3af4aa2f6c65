/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * sink_nfs and its child over a results directory that is full, read-only, away, and back: nothing waits, and in the end all is there. The
 * mount is a bind mount of a small tmpfs, in a mount namespace of the test's own; so it wants root, and is skipped without.
 */
#include <errno.h>
#include <fcntl.h>
#include <sched.h>
#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mount.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cmocka.h>

#include "box/sink_nfs.h"
#include "common/clock.h"
#include "common/io.h"

#define SERVER "/mnt/server"
#define RECORDS "/mnt/records"
#define KD1 SERVER "/s/b/0000abcd.kd1"

static struct job job;
static int can;

/* In place of the one that speaks NFS: what stands in /mnt/away is the errno of a server that cannot be mounted. */
int nfs_mount(const char *server, const char *sub, const char *dir, int readonly)
{
	char text[16];

	(void)server;
	(void)sub;
	(void)readonly;
	if (io_read_small("/mnt/away", text, sizeof text) > 0)
		return -atoi(text);
	if (mount(SERVER, dir, NULL, MS_BIND, NULL))
		return -errno;
	if (!access("/mnt/read-only", F_OK) && mount(NULL, dir, NULL, MS_BIND | MS_REMOUNT | MS_RDONLY, NULL))
		return -errno;
	return 0;
}

static void put(const char *path, const char *text) { assert_int_equal(io_write_file(path, text, strlen(text), 0644), 0); }

static void fill(void)
{
	static char block[4096];
	int fd = open(SERVER "/ballast", O_WRONLY | O_CREAT | O_APPEND, 0644);

	assert_true(fd >= 0);
	while (write(fd, block, sizeof block) > 0)
		;
	close(fd);
}

static int setup(void **state)
{
	(void)state;
	can = !geteuid() && !unshare(CLONE_NEWNS) && !mount(NULL, "/", NULL, MS_REC | MS_PRIVATE, NULL) && !mount("none", "/mnt", "tmpfs", 0, NULL) &&
	      !mkdir("/mnt/results", 0755) && !mkdir(SERVER, 0755) && !mount("none", SERVER, "tmpfs", 0, "size=96k");
	strcpy(job.net.nfs, "10.0.2.2:1,2:/kd");
	strcpy(job.sweep, "s");
	strcpy(job.box, "b");
	job.tag = 0xabcd;
	return 0;
}

/* Until the child says so; each wait is bounded. */
static void until(struct sink_nfs *s, int mounted)
{
	uint64_t end = clock_now_ms() + 20000;

	while (s->mounted != mounted) {
		if (clock_now_ms() > end)
			fail_msg("mounted is %d, wanted %d", s->mounted, mounted);
		clock_sleep_ms(10);
		sink_nfs_poll(s);
	}
}

static void start(struct sink_nfs *s)
{
	memset(s, 0, sizeof *s);
	assert_int_equal(sink_nfs_open(s, &job, RECORDS, NULL, 0), 0);
	sink_nfs_net_up(s);
}

static void stop(struct sink_nfs *s)
{
	close(s->cmd_fd);
	close(s->reply_fd);
	kill(s->pid, SIGKILL);
	waitpid(s->pid, NULL, 0);
	umount2("/mnt/results", MNT_DETACH);
}

static void expect(const char *want)
{
	char *text;
	size_t len;

	assert_int_equal(io_read_file(KD1, 1 << 20, &text, &len), 0);
	assert_string_equal(text, want);
	free(text);
}

static int flush(struct sink_nfs *s)
{
	uint64_t began = clock_now_ms();
	int err = s->base.ops->flush(&s->base, 5000);

	assert_true(clock_now_ms() - began < 20000);
	return err;
}

/* Full at the mount, then writable, then full again in the middle of a boot. */
static void test_full(void **state)
{
	struct sink_nfs s;
	char *long_text = malloc(60001);

	(void)state;
	if (!can)
		skip();
	put(RECORDS, "one\n");
	fill();
	start(&s);
	until(&s, -ENOSPC);
	assert_true(flush(&s) < 0);
	assert_true(sink_nfs_journal(&s, "a line\n", 7, 1000) < 0);
	unlink(SERVER "/ballast");
	until(&s, 1);
	expect("one\n");
	assert_int_equal(flush(&s), 0);
	memset(long_text, 'x', 60000);
	long_text[59999] = '\n';
	long_text[60000] = 0;
	stop(&s);
	unlink(KD1);
	fill();
	put(RECORDS, long_text);
	start(&s); /* a boot anew */
	until(&s, -ENOSPC);
	unlink(SERVER "/ballast");
	until(&s, 1);
	expect(long_text);
	stop(&s);
	free(long_text);
}

/* A disk that fills up between two tests: the flush that meets it fails and does not wait; what was said is delivered when there is room. */
static void test_fills_up(void **state)
{
	struct sink_nfs s;
	int fd;

	(void)state;
	if (!can)
		skip();
	unlink(KD1); /* what has its room already would not meet a full disk */
	put(RECORDS, "one\n");
	start(&s);
	until(&s, 1);
	fill();
	fd = open(RECORDS, O_WRONLY | O_APPEND);
	for (int i = 0; i < 2000; i++)
		assert_int_equal(write(fd, "a record\n", 9), 9);
	close(fd);
	assert_true(flush(&s) < 0);
	until(&s, -ENOSPC);
	assert_true(flush(&s) < 0);
	unlink(SERVER "/ballast");
	until(&s, 1);
	{
		struct stat st;

		assert_int_equal(stat(KD1, &st), 0);
		assert_int_equal(st.st_size, 4 + 18000);
	}
	assert_int_equal(sink_nfs_journal(&s, "a line\n", 7, 5000), 0);
	stop(&s);
}

/* Requests that pile up behind a mount that is lost: syncs make room, a line of the journal is done when it is in the journal, however many there are. */
static void test_queue(void **state)
{
	struct sink_nfs s;
	char text[600], *journal, *want = calloc(1, 40000);
	uint64_t end = clock_now_ms() + 20000;
	size_t len;
	unsigned id = 0;

	(void)state;
	if (!can)
		skip();
	unlink(SERVER "/s/b/journal");
	unlink(KD1);
	put(RECORDS, "one\n");
	put("/mnt/away", "116");
	start(&s);
	until(&s, -ESTALE);
	for (int i = 0; i < 30; i++) { /* 15 kB of journal: more than the queue has, and less than the pipe */
		int n = snprintf(text, sizeof text, "journal %u line %d %0480d\n", ++id, i, 0);

		strcat(want, strstr(text, "line"));
		assert_int_equal(write(s.cmd_fd, text, (size_t)n), n);
		for (int k = 0; k < 60; k++) {
			n = snprintf(text, sizeof text, "sync %u\n", ++id);
			assert_int_equal(write(s.cmd_fd, text, (size_t)n), n);
		}
	}
	s.asked = id;
	clock_sleep_ms(100);
	sink_nfs_poll(&s);
	assert_int_equal(s.answered, 0);
	unlink("/mnt/away");
	until(&s, 1);
	while (s.answered != id && clock_now_ms() < end) {
		clock_sleep_ms(10);
		sink_nfs_poll(&s);
	}
	assert_int_equal(s.answered, id);
	assert_int_equal(s.journal_err, 0);
	expect("one\n");
	assert_int_equal(io_read_file(SERVER "/s/b/journal", 1 << 20, &journal, &len), 0);
	assert_string_equal(journal, want);
	free(journal);
	free(want);
	stop(&s);
}

static void test_read_only_and_away(void **state)
{
	struct sink_nfs s;

	(void)state;
	if (!can)
		skip();
	unlink(KD1);
	put(RECORDS, "one\n");
	put("/mnt/read-only", "");
	start(&s);
	until(&s, -EROFS);
	assert_true(flush(&s) < 0);
	put("/mnt/away", "116"); /* ESTALE: a new instance of the server */
	until(&s, -ESTALE);
	unlink("/mnt/read-only");
	put("/mnt/away", "13");
	until(&s, -EACCES);
	unlink("/mnt/away");
	until(&s, 1);
	expect("one\n");
	stop(&s);
}

int main(void)
{
	const struct CMUnitTest all[] = {cmocka_unit_test(test_full), cmocka_unit_test(test_fills_up), cmocka_unit_test(test_queue),
	                                 cmocka_unit_test(test_read_only_and_away)};

	return cmocka_run_group_tests(all, setup, NULL);
}
