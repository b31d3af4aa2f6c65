/* SPDX-License-Identifier: GPL-2.0-or-later */
/* try: channels merged, gaps, digests, records in parts; and that nothing a box sends makes it grow without bounds. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "common/crc32c.h"
#include "host/try.h"

#define TAG 0x1234abcdu

static struct record r;

static const char *make(char *buf, uint32_t seq, const char *kind, const char *pairs)
{
	struct kv_out o;

	kv_out_init(&o, buf, 400);
	record_open(&o, TAG, seq, 5, kind);
	if (*pairs)
		kv_out_raw(&o, pairs);
	assert_true(record_close(&o) > 0);
	assert_int_equal(record_parse(&r, buf + 2, strlen(buf + 2)), 0);
	return buf + 2;
}

static int add(struct try *t, uint32_t seq, const char *kind, const char *pairs, enum store_channel ch)
{
	char buf[400];

	return try_add(t, &r, make(buf, seq, kind, pairs), ch);
}

/* hello, two metrics, bye */
static void add_bye(struct try *t, uint32_t count)
{
	char pairs[80], buf[400];
	uint32_t crc = 0;

	for (uint32_t i = 0; i < count; i++) {
		const char *line = make(buf, i, i ? "metric" : "hello", i ? "test=a name=b v=1" : "box=x");

		crc = crc32c(crc, line, strlen(line));
	}
	sprintf(pairs, "count=%u digest=%08x", count, crc);
	assert_int_equal(add(t, count, "bye", pairs, STORE_SERIAL), 0);
}

static void fill(struct try *t, uint32_t seq, enum store_channel ch)
{
	add(t, seq, seq ? "metric" : "hello", seq ? "test=a name=b v=1" : "box=x", ch);
}

static void test_channels(void **state)
{
	struct store_record *rec;
	struct store_gap *gap;
	uint32_t seq[8];
	size_t n, gaps, total;
	struct try t;

	(void)state;
	try_init(&t, TAG);
	fill(&t, 0, STORE_SERIAL);
	fill(&t, 0, STORE_NFS);
	fill(&t, 1, STORE_SERIAL);
	assert_int_equal(try_state(&t), TRY_OPEN);
	add_bye(&t, 5);
	assert_int_equal(try_state(&t), TRY_GAPS);
	assert_int_equal(try_missing(&t, seq, 8, &total), 3);
	assert_int_equal(total, 3);
	assert_int_equal(seq[0], 2);
	fill(&t, 3, STORE_NFS);
	assert_int_equal(try_store(&t, 7, &rec, &n, &gap, &gaps), 0);
	assert_int_equal(n, 4);
	assert_int_equal(gaps, 2);
	assert_int_equal(gap[0].first, 2);
	assert_int_equal(gap[1].last, 4);
	assert_int_equal(rec[0].ch, STORE_BOTH);
	assert_int_equal(rec[1].ch, STORE_SERIAL);
	assert_int_equal(rec[2].ch, STORE_NFS);
	try_store_free(rec, n, gap);
	fill(&t, 2, STORE_NFS);
	fill(&t, 4, STORE_NFS);
	assert_int_equal(try_state(&t), TRY_WHOLE);
	assert_int_equal(try_count(&t, STORE_NFS), 4);
	assert_int_equal(try_count(&t, STORE_SERIAL), 2);
	/* one that came differently over the other channel */
	add(&t, 1, "metric", "test=a name=b v=2", STORE_NFS);
	assert_int_equal(try_state(&t), TRY_DIFFER);
	try_free(&t);
}

static void test_digest(void **state)
{
	struct try t;

	(void)state;
	try_init(&t, TAG);
	add_bye(&t, 2);
	fill(&t, 0, STORE_SERIAL);
	add(&t, 1, "metric", "test=a name=b v=999", STORE_SERIAL);
	assert_int_equal(try_state(&t), TRY_DIGEST);
	try_free(&t);
}

static void add_parts(struct try *t, uint32_t of, const char *line, size_t n, unsigned skip)
{
	char pairs[400], data[300];

	for (unsigned i = 0; i < n; i++) {
		size_t len = strlen(line + 64 * i) < 64 ? strlen(line + 64 * i) : 64;

		if (i + 1 == skip)
			continue;
		assert_true(kv_escape(data, sizeof(data), line + 64 * i, len) > 0);
		sprintf(pairs, "of=%u i=%u n=%zu data=%s", of, i + 1, n, data);
		add(t, 100 + i, "part", pairs, STORE_SERIAL);
	}
}

static void test_parts(void **state)
{
	char buf[400], long_pairs[200];
	const char *line;
	struct try t;

	(void)state;
	try_init(&t, TAG);
	sprintf(long_pairs, "test=disk-seq name=write v=123456789 a=%s", "abcdefghijklmnopqrstuvwxyzabcdefghijklmnopqrstuvwxyz");
	line = make(buf, 3, "metric", long_pairs);
	add_parts(&t, 3, line, (strlen(line) + 63) / 64, 2);
	assert_int_equal(try_record(&t, 3, &r), -2);
	add_parts(&t, 3, line, (strlen(line) + 63) / 64, 0);
	assert_int_equal(try_record(&t, 3, &r), 0);
	/* pieces that say they are another record than they are */
	add_parts(&t, 4, line, (strlen(line) + 63) / 64, 0);
	assert_int_equal(try_record(&t, 4, &r), -2);
	assert_true(t.dropped > 0);
	add(&t, 9, "part", "of=5 i=9 n=8 data=x", STORE_SERIAL);
	add(&t, 9, "part", "of=5 i=0 n=1 data=x", STORE_SERIAL);
	add(&t, 9, "part", "of=99999999 i=1 n=1 data=x", STORE_SERIAL);
	add(&t, 9, "part", "of=5 i=1 n=1", STORE_SERIAL);
	assert_int_equal(t.dropped, 5);
	try_free(&t);
}

static void test_text(void **state)
{
	char out[64];
	struct try t;

	(void)state;
	try_init(&t, TAG);
	add(&t, 2, "text", "name=version part=1/2 data=Linux%20", STORE_SERIAL);
	assert_true(try_text(&t, "version", out, sizeof(out)) < 0);
	add(&t, 3, "text", "name=cmdline part=1/1 data=quiet", STORE_SERIAL);
	add(&t, 4, "text", "name=version part=2/2 data=6.1%20%231", STORE_NFS);
	assert_int_equal(try_text(&t, "version", out, sizeof(out)), 12);
	assert_string_equal(out, "Linux 6.1 #1");
	assert_true(try_text(&t, "version", out, 5) < 0);
	assert_int_equal(try_text(&t, "cmdline", out, sizeof(out)), 5);
	try_free(&t);
}

static void test_bounds(void **state)
{
	char pairs[80];
	struct try t;

	(void)state;
	try_init(&t, TAG);
	assert_true(add(&t, TRY_SEQ_MAX, "metric", "test=a name=b v=1", STORE_SERIAL) < 0);
	assert_true(add(&t, 4000000000u, "metric", "test=a name=b v=1", STORE_SERIAL) < 0);
	sprintf(pairs, "count=%u digest=00000000", TRY_SEQ_MAX);
	assert_true(add(&t, TRY_SEQ_MAX, "bye", pairs, STORE_SERIAL) < 0);
	assert_true(add(&t, 3, "bye", "count=4 digest=00000000", STORE_SERIAL) < 0);
	assert_int_equal(t.bye, 0);
	assert_int_equal(add(&t, TRY_SEQ_MAX - 1, "metric", "test=a name=b v=1", STORE_SERIAL), 0);
	assert_true(t.slots <= TRY_SEQ_MAX);
	try_free(&t);
}

/* A file from the other channel: torn, with lines of another tag, with garbage. */
static void test_file(void **state)
{
	static const char other[] = "# kd1 00000001 0 5 hello box=x *00000000\n";
	char text[2000] = "", buf[400];
	struct try t;

	(void)state;
	try_init(&t, TAG);
	make(buf, 0, "hello", "box=x");
	sprintf(text, "%s\n\n%sgarbage\n", buf, other);
	make(buf, 1, "metric", "test=a name=b v=1");
	sprintf(text + strlen(text), "%s\n", buf);
	make(buf, 2, "metric", "test=a name=b v=1");
	strncat(text, buf, 20);
	try_add_text(&t, text, strlen(text), STORE_NFS);
	assert_int_equal(try_count(&t, STORE_NFS), 2);
	try_free(&t);
}

static void test_second_hello(void **state)
{
	struct try t;

	(void)state;
	try_init(&t, TAG);
	fill(&t, 0, STORE_SERIAL);
	fill(&t, 0, STORE_SERIAL);
	assert_int_equal(t.second_hello, 0);
	add(&t, 0, "hello", "box=x line=2", STORE_SERIAL);
	assert_int_equal(t.second_hello, 1);
	add_bye(&t, 1);
	assert_int_equal(try_state(&t), TRY_DIFFER);
	try_free(&t);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_channels), cmocka_unit_test(test_digest), cmocka_unit_test(test_parts),        cmocka_unit_test(test_text),
		cmocka_unit_test(test_bounds),   cmocka_unit_test(test_file),   cmocka_unit_test(test_second_hello),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
