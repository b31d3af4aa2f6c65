/* SPDX-License-Identifier: GPL-2.0-or-later */
/* conlog: what was written is replayed byte for byte, and the offset says where to go on, also after a torn last line. */
#include <errno.h>
#include <fcntl.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
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

int main(void)
{
	const struct CMUnitTest tests[] = {cmocka_unit_test(test_replay), cmocka_unit_test(test_many_lines)};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
