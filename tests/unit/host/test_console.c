/* SPDX-License-Identifier: GPL-2.0-or-later */
/* console: what comes out does not depend on how the bytes are cut, nor on what stands between the records. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "host/console.h"

/* Events as text: R<seq>; and T<bytes>; */
struct seen {
	size_t len;
	char buf[65536];
};

static void add(struct seen *s, const char *what, const char *p, size_t n)
{
	assert_true(s->len + n + 8 < sizeof(s->buf));
	s->len += (size_t)sprintf(s->buf + s->len, "%s", what);
	for (size_t i = 0; i < n; i++)
		s->buf[s->len++] = p[i] && p[i] != '\r' ? p[i] : '.';
	s->buf[s->len++] = ';';
	s->buf[s->len] = 0;
}

static void on_record(void *ctx, const struct record *r, const char *line)
{
	char seq[16];

	assert_int_equal(strlen(line), r->len);
	assert_int_equal(r->tag, 0x1234abcd);
	add(ctx, "R", seq, (size_t)sprintf(seq, "%u", r->seq));
}

static void on_text(void *ctx, const char *p, size_t n) { add(ctx, "T", p, n); }

static size_t make(char *out, unsigned seq)
{
	char line[256];
	struct kv_out o;

	kv_out_init(&o, line, sizeof(line));
	record_open(&o, 0x1234abcd, seq, 1000 + seq, "metric");
	kv_out_str(&o, "test", "disk-seq");
	kv_out_u64(&o, "v", 16777216u + seq);
	assert_true(record_close(&o) > 0);
	return (size_t)sprintf(out, "%s", line);
}

static void feed_split(struct seen *out, const char *in, size_t len, size_t step)
{
	struct console *c = malloc(sizeof(*c));
	struct console_sink sink = {.record = on_record, .text = on_text, .ctx = out};

	out->len = 0;
	out->buf[0] = 0;
	console_init(c, &sink);
	for (size_t i = 0; i < len; i += step) {
		/* a copy of the exact size, so that reading past the end is seen */
		size_t n = len - i < step ? len - i : step;
		char *piece = malloc(n);

		memcpy(piece, in + i, n);
		console_feed(c, piece, n);
		free(piece);
	}
	console_flush(c);
	free(c);
}

static void expect(const char *in, size_t len, const char *want)
{
	static const size_t steps[] = {100000, 1, 2, 3, 7, 16, 61};
	static struct seen s;

	for (size_t i = 0; i < sizeof(steps) / sizeof(steps[0]); i++) {
		feed_split(&s, in, len, steps[i]);
		assert_string_equal(s.buf, want);
	}
}

static void test_plain(void **state)
{
	char in[1024], *p = in;

	(void)state;
	p += sprintf(p, "Linux version 6.1\r\n");
	p += make(p, 0);
	p += sprintf(p, "\r\nhello\n\n");
	p += make(p, 1);
	p += sprintf(p, "\n[ 1.0] no newline");
	p += make(p, 2);
	p += sprintf(p, "\r\r\nend");
	expect(in, (size_t)(p - in), "TLinux version 6.1;R0;Thello;R1;T[ 1.0] no newline;R2;Tend;");
}

static void test_noise(void **state)
{
	char in[2048], rec[256], *p = in;
	size_t n;

	(void)state;
	/* NULs and CRs inside a record */
	n = make(rec, 3);
	for (size_t i = 0; i < n; i++) {
		*p++ = rec[i];
		if (i % 5 == 0)
			*p++ = i % 2 ? 0 : '\r';
	}
	*p++ = '\n';
	/* a lost line end between two records, and text at the end */
	p += make(p, 4);
	p += make(p, 5);
	p += sprintf(p, "[ 2.0] late\r\n");
	/* a damaged record, then a good one on the same line */
	n = make(rec, 6);
	rec[20] ^= 1;
	p += sprintf(p, "%.*s", (int)n - 12, rec);
	p += make(p, 7);
	p += sprintf(p, "\r\n");
	feed_split(&(struct seen){0}, in, (size_t)(p - in), 1);
	{
		static struct seen s;

		feed_split(&s, in, (size_t)(p - in), 4096);
		assert_true(strstr(s.buf, "R3;R4;R5;T[ 2.0] late;") == s.buf);
		assert_non_null(strstr(s.buf, "R7;"));
		assert_null(strstr(s.buf, "R6;"));
	}
}

/* A kernel line at every position of a record. */
static void test_kernel_line_inside(void **state)
{
	char rec[256], in[1024];
	size_t n = make(rec, 8);
	static struct seen s;

	(void)state;
	for (size_t at = 0; at <= n; at++) {
		int len = sprintf(in, "%.*s[   12.345678] virtio_net virtio0: foo *bar\r\n%s\r\nx\n", (int)at, rec, rec + at);

		feed_split(&s, in, (size_t)len, at % 7 + 1);
		assert_non_null(strstr(s.buf, "R8;"));
		assert_non_null(strstr(s.buf, "Tx;"));
		if (at > 2 + 4)
			assert_non_null(strstr(s.buf, "T[   12.345678] virtio_net virtio0: foo *bar;"));
	}
}

static void test_kernel_lines_inside(void **state)
{
	char rec[256], in[1024];
	static struct seen s;
	int len;

	(void)state;
	make(rec, 9);
	len = sprintf(in, "%.*s[ 1.0] a\r\n[ 1.1] b\r\n[ 1.2] c\r\n%s\r\n", 40, rec, rec + 40);
	feed_split(&s, in, (size_t)len, 5);
	assert_string_equal(s.buf, "T[ 1.1] b;T[ 1.2] c;R9;T[ 1.0] a;");
	len = sprintf(in, "%.*s[ 1.0] a\r\n1\n2\n3\n4\n5\n%s\r\n", 40, rec, rec + 40);
	feed_split(&s, in, (size_t)len, 5);
	assert_null(strstr(s.buf, "R9"));
	/* in the CRC, of which three digits are left, and a NUL among them */
	size_t cut = strlen(rec) - 3;
	len = sprintf(in, "%.*s[ 1.0] a\r\n%.1s%c%s\r\n", (int)cut, rec, rec + cut, 0, rec + cut + 1);
	feed_split(&s, in, (size_t)len, 5);
	assert_string_equal(s.buf, "R9;T[ 1.0] a;");
}

/* One lost byte anywhere must never yield a record. */
static void test_lost_byte(void **state)
{
	char rec[256], in[512];
	size_t n = make(rec, 10);
	static struct seen s;

	(void)state;
	for (size_t at = 2; at < n; at++) {
		int len = sprintf(in, "%.*s%s\nok\n", (int)at, rec, rec + at + 1);

		feed_split(&s, in, (size_t)len, 11);
		assert_null(strstr(s.buf, "R10;"));
	}
}

static void test_long_line(void **state)
{
	static char in[20000];
	static struct seen s;

	(void)state;
	/* a record at any distance from the cut, in a stream without line ends */
	for (size_t at = 3600; at < 4200; at++) {
		size_t n;

		memset(in, 'x', sizeof(in));
		n = make(in + at, 11);
		in[at + n] = 'x';
		feed_split(&s, in, 9000, 512);
		assert_non_null(strstr(s.buf, "R11;"));
	}
}

static void test_garbage(void **state)
{
	static char in[65536];
	static struct seen s;
	unsigned x = 12345;

	(void)state;
	for (int round = 0; round < 20; round++) {
		for (size_t i = 0; i < sizeof(in); i++) {
			static const char alphabet[] = "kd1 *0123abcdef\n\r\0#=";

			x = x * 1103515245 + 12345;
			in[i] = alphabet[(x >> 16) % (sizeof(alphabet) - 1)];
		}
		for (size_t at = 0; at < sizeof(in); at += 16384)
			feed_split(&s, in + at, 16384, 1 + (size_t)round * 13);
	}
}

static void test_log(void **state)
{
	char bytes[256], line[CONSOLE_LOG_MAX], back[CONSOLE_LINE_MAX];
	uint64_t at, off;
	size_t n;
	long len;

	(void)state;
	for (int i = 0; i < 256; i++)
		bytes[i] = (char)i;
	len = console_log_format(line, sizeof(line), 1700000000123, 4711, bytes, 256);
	assert_true(len > 0);
	for (long i = 0; i < len - 1; i++)
		assert_true(line[i] >= 0x20 && line[i] < 0x7f);
	assert_int_equal(console_log_parse(line, (size_t)len, &at, &off, back, &n), 0);
	assert_int_equal(at, 1700000000123);
	assert_int_equal(off, 4711);
	assert_int_equal(n, 256);
	assert_memory_equal(back, bytes, 256);
	assert_true(console_log_parse("12 x", 4, &at, &off, back, &n) < 0);
	assert_true(console_log_parse("12 3 a%0", 8, &at, &off, back, &n) < 0);
	assert_true(console_log_parse("", 0, &at, &off, back, &n) < 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_plain),
		cmocka_unit_test(test_noise),
		cmocka_unit_test(test_kernel_line_inside),
		cmocka_unit_test(test_kernel_lines_inside),
		cmocka_unit_test(test_lost_byte),
		cmocka_unit_test(test_long_line),
		cmocka_unit_test(test_garbage),
		cmocka_unit_test(test_log),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
