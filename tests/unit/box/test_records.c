/* SPDX-License-Identifier: GPL-2.0-or-later */
/* records: seqs without gaps, count and digest, parts that join to what was sent, a file that a dead runner left. */
#include "../common/unit.h"

#include <errno.h>
#include <fcntl.h>

#include "box/records.h"
#include "common/crc32c.h"

struct taker { /* a sink that keeps lines */
	struct sink base;
	char line[64][RECORD_MAX + 1];
	size_t n;
};

static int take(struct sink *s, const char *line, size_t len)
{
	struct taker *t = (struct taker *)s;

	assert_true(len <= RECORD_MAX);
	assert_int_equal(strlen(line), len);
	if (t->n < 64)
		memcpy(t->line[t->n++], line, len + 1);
	return 0;
}

static int no_flush(struct sink *s, uint64_t ms)
{
	(void)s;
	(void)ms;
	return 0;
}

static const struct sink_ops taker_ops = {"taker", take, no_flush};
static struct taker taker;
static struct records r;
static struct unit_dir dir;
static struct record rec;

static int setup(void **state)
{
	(void)state;
	unit_dir_make(&dir);
	memset(&taker, 0, sizeof(taker));
	memset(&r, 0, sizeof(r));
	taker.base.ops = &taker_ops;
	r.sink[0] = &taker.base;
	r.sinks = 1;
	return records_open(&r, unit_path(&dir, "records"), 0xabcd0001);
}

static int teardown(void **state)
{
	(void)state;
	close(r.fd);
	unit_dir_remove(&dir);
	return 0;
}

static const char *parse(size_t i)
{
	long at = record_find(taker.line[i], strlen(taker.line[i]));

	assert_true(at >= 0);
	assert_int_equal(record_parse(&rec, taker.line[i] + at, strlen(taker.line[i]) - (size_t)at), 0);
	return rec.kv.word;
}

static void test_bye(void **state)
{
	uint32_t digest = 0;

	(void)state;
	records_note(&r, NULL, "one");
	records_text(&r, "long",
	             "A text that is longer than one record can hold, so that it has to be cut into parts; and then some more of it, "
	             "with spaces (each of them three bytes on the wire), \"quotes\" and a % sign.");
	records_bye(&r);
	for (size_t i = 0; i + 1 < taker.n; i++) {
		parse(i);
		assert_int_equal(rec.seq, i);
		assert_int_equal(rec.tag, 0xabcd0001);
		digest = crc32c(digest, strstr(taker.line[i], "kd1"), strlen(strstr(taker.line[i], "kd1")));
	}
	uint32_t got;
	uint64_t count;
	assert_string_equal(parse(taker.n - 1), "bye");
	assert_int_equal(kv_hex32(&rec.kv, "digest", &got), 0);
	assert_int_equal(got, digest);
	assert_int_equal(kv_u64(&rec.kv, "count", &count), 0);
	assert_int_equal(count, taker.n - 1);
	assert_int_equal(r.closed, 1);
	records_note(&r, NULL, "after");
	assert_int_equal(r.count, count);
}

static void test_text(void **state)
{
	char data[600], joined[700] = "";

	(void)state;
	for (size_t i = 0; i < sizeof(data) - 1; i++)
		data[i] = (char)(i % 3 ? 'a' + (int)(i % 26) : '%');
	data[sizeof(data) - 1] = 0;
	records_text(&r, "t", data);
	for (size_t i = 0; i < taker.n; i++) {
		char want[16];

		assert_string_equal(parse(i), "text");
		snprintf(want, sizeof(want), "%zu/%zu", i + 1, taker.n);
		assert_string_equal(kv_get(&rec.kv, "part"), want);
		strcat(joined, kv_get(&rec.kv, "data"));
	}
	assert_string_equal(joined, data);
	taker.n = 0;
	records_text(&r, "empty", "");
	assert_int_equal(taker.n, 1);
}

static void test_too_long(void **state)
{
	char big[400];

	(void)state;
	memset(big, '%', sizeof(big) - 1);
	big[sizeof(big) - 1] = 0;
	kv_out_str(records_begin(&r, "fact", "x"), "key", big);
	assert_true(records_end(&r) < 0);
	assert_int_equal(taker.n, 0);
	records_note(&r, NULL, "%s", big); /* cut */
	assert_int_equal(taker.n, 1);
	assert_string_equal(parse(0), "note");
	assert_int_equal(rec.seq, 0); /* the one that failed used no seq up */
}

static void test_again(void **state)
{
	char joined[RECORD_MAX + 1] = "";
	size_t from;
	uint64_t of;

	(void)state;
	for (int i = 0; i < 30; i++)
		records_note(&r, NULL, "some text = %% of no. %d", i);
	records_bye(&r);
	from = taker.n;
	assert_int_equal(records_again(&r, "7,9-10"), 0);
	assert_true(taker.n > from + 3);
	for (size_t i = from; i < taker.n; i++) {
		assert_string_equal(parse(i), "part");
		assert_int_equal(kv_u64(&rec.kv, "of", &of), 0);
		assert_true(strlen(kv_get(&rec.kv, "data")) <= 64);
		if (of == 7)
			strcat(joined, kv_get(&rec.kv, "data"));
	}
	assert_string_equal(joined, taker.line[7]);
	/* What is repeated is still the question. */
	taker.n = 0;
	records_repeat(&r, 0);
	assert_string_equal(parse(0), "bye");
	assert_int_equal(records_again(&r, "x"), -EINVAL);
	taker.n = 0;
	assert_int_equal(records_again(&r, "4000000"), 0); /* never sent: nothing to send */
	assert_int_equal(taker.n, 0);
}

static void test_resume(void **state)
{
	static struct records again;

	(void)state;
	for (int i = 0; i < 100; i++)
		records_note(&r, NULL, "number %d", i);
	assert_int_equal(write(r.fd, "# kd1 abcd0001 100 1 note torn", 30), 30);
	assert_int_equal(records_resume(&again, unit_path(&dir, "records")), 0);
	assert_int_equal(again.tag, 0xabcd0001);
	assert_int_equal(again.next_seq, 100);
	assert_int_equal(again.count, 100);
	assert_int_equal(again.digest, r.digest);
	assert_int_equal(again.closed, 0);
	assert_int_equal(again.jump_tag, 0);
	records_fail(&again, again.tag, "runner");
	char line[RECORD_MAX + 1];
	assert_true(records_find(&again, 100, line, sizeof(line)) > 0);
	close(again.fd);
	memset(&again, 0, sizeof(again));
	assert_int_equal(records_resume(&again, unit_path(&dir, "none")), -ENOENT);
}

static void test_overflow(void **state)
{
	struct records *o = &r;

	(void)state;
	o->max_bytes = 20000;
	for (int i = 0; i < 200; i++)
		records_note(o, NULL, "number %d", i);
	assert_true(o->dropped > 0);
	assert_true(o->bytes < 20000);
	uint32_t before = o->next_seq;
	records_bye(o);
	assert_int_equal(o->next_seq, before + 1); /* bye always finds room */
	assert_int_equal(o->count, before);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup_teardown(test_bye, setup, teardown),      cmocka_unit_test_setup_teardown(test_text, setup, teardown),
		cmocka_unit_test_setup_teardown(test_too_long, setup, teardown), cmocka_unit_test_setup_teardown(test_again, setup, teardown),
		cmocka_unit_test_setup_teardown(test_resume, setup, teardown),   cmocka_unit_test_setup_teardown(test_overflow, setup, teardown),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
