/* SPDX-License-Identifier: GPL-2.0-or-later */
/* conlog: what was written is replayed byte for byte, and the offset says where to go on, also after a torn last line. */
#include <errno.h>
#include <fcntl.h>
#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <unistd.h>

#include <cmocka.h>

#include "host/conlog.h"

struct bytes {
	size_t len;
	char buf[32768];
};

static void collect(void *ctx, const char *s, size_t len)
{
	struct bytes *b = ctx;

	assert_true(b->len + len <= sizeof(b->buf));
	memcpy(b->buf + b->len, s, len);
	b->len += len;
}

static void test_replay(void **state)
{
	static struct conlog l;
	static struct bytes back;
	static char in[20000];
	char path[] = "/tmp/kdyno-conlog.XXXXXX";
	int fd = mkstemp(path);
	unsigned x = 7;

	(void)state;
	close(fd);
	for (size_t i = 0; i < sizeof(in); i++) {
		x = x * 1103515245 + 12345;
		in[i] = (char)(x >> 16);
		if (i % 9000 > 100 && i % 9000 < 8000 && in[i] == '\n') /* a line that is longer than any buffer */
			in[i] = 'x';
	}
	in[sizeof(in) - 1] = '\n';
	assert_int_equal(conlog_open(&l, path, NULL, NULL), 0);
	for (size_t i = 0; i < sizeof(in); i += 37)
		assert_int_equal(conlog_feed(&l, in + i, sizeof(in) - i < 37 ? sizeof(in) - i : 37, 1000 + i), 0);
	assert_int_equal(conlog_note(&l, "answered: something", 5), 0);
	assert_int_equal(conlog_feed(&l, "not ended", 9, 1), 0);
	close(l.fd); /* as by kill -9 */
	fd = open(path, O_WRONLY | O_APPEND);
	assert_int_equal(write(fd, "123 20000 torn", 14), 14);
	close(fd);

	assert_int_equal(conlog_open(&l, path, collect, &back), 0);
	assert_int_equal(back.len, sizeof(in));
	assert_memory_equal(back.buf, in, sizeof(in));
	assert_int_equal(l.offset, sizeof(in));
	/* a clean end writes what has not ended too */
	conlog_feed(&l, "abc", 3, 1);
	conlog_close(&l, 2);
	back.len = 0;
	assert_int_equal(conlog_open(&l, path, collect, &back), 0);
	assert_int_equal(back.len, sizeof(in) + 3);
	assert_memory_equal(back.buf + sizeof(in), "abc", 3);
	assert_int_equal(l.offset, sizeof(in) + 3);
	conlog_close(&l, 2);
	unlink(path);
}

/* More lines at a time than are written at a time. */
static void test_many_lines(void **state)
{
	static struct conlog l;
	static struct bytes back;
	static char in[30000];
	char path[] = "/tmp/kdyno-conlog.XXXXXX";

	(void)state;
	close(mkstemp(path));
	memset(in, '\n', sizeof(in));
	memset(in + 10000, 'a', 9000);
	assert_int_equal(conlog_open(&l, path, NULL, NULL), 0);
	assert_int_equal(conlog_feed(&l, in, sizeof(in), 1), 0);
	close(l.fd);
	assert_int_equal(conlog_open(&l, path, collect, &back), 0);
	assert_int_equal(l.offset, sizeof(in));
	assert_int_equal(back.len, sizeof(in));
	assert_memory_equal(back.buf, in, sizeof(in));
	conlog_close(&l, 1);
	unlink(path);
	assert_int_equal(conlog_open(&l, "/dev/full", NULL, NULL), -ENOTSUP);
}

/* The disk is full in the middle: what could not be written is held, and stands in the log once it can be, byte for byte. */
static void test_full_disk(void **state)
{
	static struct conlog l;
	static struct bytes back;
	char path[] = "/tmp/kdyno-conlog.XXXXXX";
	int fd = mkstemp(path);

	(void)state;
	close(fd);
	memset(&back, 0, sizeof(back));
	assert_int_equal(conlog_open(&l, path, NULL, NULL), 0);
	assert_int_equal(conlog_feed(&l, "one\ntwo", 7, 1), 0);
	fd = l.fd;
	l.fd = open("/dev/full", O_WRONLY);
	assert_int_equal(conlog_feed(&l, " is here\nthree\nfo", 17, 2), -ENOSPC);
	assert_int_equal(conlog_note(&l, "a remark", 2), -ENOSPC);
	assert_int_equal(conlog_feed(&l, "ur\n", 3, 3), -ENOSPC);
	assert_int_equal(write(fd, "2 4 two is", 10), 10); /* half of it came on the disk */
	close(fd);
	assert_int_equal(conlog_retry(&l, 0, 4), 0);
	assert_int_equal(conlog_feed(&l, "five\n", 5, 5), 0);
	conlog_close(&l, 6);
	assert_int_equal(conlog_open(&l, path, collect, &back), 0);
	assert_int_equal(l.offset, 32);
	assert_int_equal(back.len, 32);
	assert_memory_equal(back.buf, "one\ntwo is here\nthree\nfour\nfive\n", 32);
	/* a source that keeps all is read again from where the log ends */
	close(l.fd);
	l.fd = open("/dev/full", O_WRONLY);
	assert_int_equal(conlog_feed(&l, "six\n", 4, 7), -ENOSPC);
	assert_int_equal(conlog_retry(&l, 1, 8), 0);
	assert_int_equal(l.offset, 32);
	conlog_close(&l, 9);
	unlink(path);
}

/* What does not fit in memory either is lost, and the log says how much; the offset goes on behind it. */
static void test_held_is_bounded(void **state)
{
	static struct conlog l;
	static char block[1 << 20], text[64];
	char path[] = "/tmp/kdyno-conlog.XXXXXX", command[128];
	struct rlimit limit;
	int fd = mkstemp(path);

	(void)state;
	close(fd);
	memset(block, '\n', sizeof(block));
	assert_int_equal(conlog_open(&l, path, NULL, NULL), 0);
	close(l.fd);
	l.fd = open("/dev/full", O_WRONLY);
	for (int i = 0; i < 20; i++)
		assert_int_equal(conlog_feed(&l, block, sizeof(block), 1), -ENOSPC);
	assert_int_equal(l.held_len, CONLOG_HELD_BYTES);
	/* full again before what was held is there: what was lost is still known */
	assert_int_equal(getrlimit(RLIMIT_FSIZE, &limit), 0);
	signal(SIGXFSZ, SIG_IGN);
	assert_int_equal(setrlimit(RLIMIT_FSIZE, &(struct rlimit){100000, limit.rlim_max}), 0);
	assert_int_equal(conlog_retry(&l, 0, 1), -EFBIG);
	assert_int_equal(setrlimit(RLIMIT_FSIZE, &limit), 0);
	assert_int_equal(l.held_lost, 4u << 20);
	assert_int_equal(conlog_feed(&l, "x\n", 2, 1), -EFBIG);
	assert_int_equal(l.held_lost, (4u << 20) + 2);
	assert_int_equal(conlog_retry(&l, 0, 1), 0);
	assert_int_equal(l.offset, (20u << 20) + 2);
	assert_int_equal(l.dropped, (4u << 20) + 2);
	conlog_close(&l, 1);
	sprintf(text, "%u bytes that came then are lost", (4u << 20) + 2);
	snprintf(command, sizeof(command), "tail -n 1 %s | grep -q '%s'", path, text);
	assert_int_equal(system(command), 0);
	unlink(path);
}

/* The log has its size: the rest is counted, and a restart goes on behind it. */
static void test_capped(void **state)
{
	static struct conlog l;
	static struct bytes back;
	char path[] = "/tmp/kdyno-conlog.XXXXXX", line[] = "a line of 24 characters\n";
	int fd = mkstemp(path);

	(void)state;
	close(fd);
	memset(&back, 0, sizeof(back));
	assert_int_equal(conlog_open(&l, path, NULL, NULL), 0);
	l.max = 1000;
	for (int i = 0; i < 1000; i++)
		assert_int_equal(conlog_feed(&l, line, 24, 1), 0);
	assert_true(l.capped);
	assert_in_range(l.size, 1000, 1200);
	conlog_close(&l, 1);
	assert_int_equal(conlog_open(&l, path, collect, &back), 0);
	assert_int_equal(l.offset, 24000);
	assert_in_range(back.len, 600, 1000);
	conlog_close(&l, 1);
	unlink(path);
}

int main(void)
{
	const struct CMUnitTest tests[] = {cmocka_unit_test(test_replay), cmocka_unit_test(test_full_disk), cmocka_unit_test(test_held_is_bounded),
	                                   cmocka_unit_test(test_capped), cmocka_unit_test(test_many_lines)};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
