/* SPDX-License-Identifier: GPL-2.0-or-later */
/* record: both ways, and that no damage of one byte, no cut and no right CRC over nonsense passes. */
#include "unit.h"

#include <errno.h>

#include "common/record.h"

static struct record rec;

/* A whole line into buf, `# ` first. */
static size_t make(char *buf, size_t size)
{
	struct kv_out o;
	long n;

	kv_out_init(&o, buf, size);
	record_open(&o, 0x00c0ffee, 17, 123456, "metric");
	kv_out_str(&o, "test", "disk-seq");
	kv_out_u64(&o, "v", 16777216);
	n = record_close(&o);
	assert_true(n > 0);
	return (size_t)n;
}

/* A record with a right CRC around any text. */
static int parse_with_crc(const char *body)
{
	char buf[512];
	struct kv_out o;

	kv_out_init(&o, buf, sizeof(buf));
	kv_out_raw(&o, body);
	kv_out_crc(&o, 0);
	assert_int_equal(o.err, 0);
	return record_parse(&rec, buf, o.len);
}

static void test_round_trip(void **state)
{
	char buf[RECORD_MAX + 1];
	size_t len = make(buf, sizeof(buf));

	(void)state;
	assert_int_equal(strncmp(buf, "# kd1 00c0ffee 17 123456 metric test=disk-seq v=16777216 *", 58), 0);
	assert_int_equal(record_find(buf, len), 2);
	assert_int_equal(record_parse(&rec, buf + 2, len - 2), 0);
	assert_int_equal(rec.tag, 0x00c0ffee);
	assert_int_equal(rec.seq, 17);
	assert_true(rec.ms == 123456);
	assert_string_equal(rec.kv.word, "metric");
	assert_string_equal(kv_get(&rec.kv, "test"), "disk-seq");
	assert_int_equal(rec.len, len - 2);
	buf[len] = '\r';
	assert_int_equal(record_parse(&rec, buf + 2, len - 1), 0);
	assert_int_equal(rec.len, len - 2);
}

static void test_truncated(void **state)
{
	char buf[RECORD_MAX + 1];
	size_t len = make(buf, sizeof(buf));

	(void)state;
	for (size_t cut = 0; cut < len - 2; cut++) {
		char *exact = malloc(cut ? cut : 1);

		assert_non_null(exact);
		memcpy(exact, buf + 2, cut);
		assert_int_equal(record_parse(&rec, exact, cut), -EBADMSG);
		free(exact);
	}
}

static void test_damaged(void **state)
{
	char buf[RECORD_MAX + 1];
	size_t len = make(buf, sizeof(buf));

	(void)state;
	for (size_t i = 2; i < len; i++) {
		char old = buf[i];

		for (int c = 0; c < 256; c++) {
			if ((char)c == old)
				continue;
			buf[i] = (char)c;
			assert_int_equal(record_parse(&rec, buf + 2, len - 2), -EBADMSG);
		}
		buf[i] = old;
	}
	for (size_t i = 2; i < len; i++) { /* a byte lost, as serial lines do */
		char lost[RECORD_MAX + 1];

		memcpy(lost, buf + 2, i - 2);
		memcpy(lost + i - 2, buf + i + 1, len - i - 1);
		assert_int_equal(record_parse(&rec, lost, len - 3), -EBADMSG);
	}
}

static void test_right_crc_wrong_record(void **state)
{
	static const char *const bad[] = {
		"kd2 00c0ffee 1 2 hello",
		"kd1",
		"kd1 ",
		"kd1 00c0ffee",
		"kd1 00c0ffee 1",
		"kd1 00c0ffee 1 2",
		"kd1 00c0ffee 1 2 ",
		"kd1 00C0FFEE 1 2 hello",
		"kd1 0c0ffee 1 2 hello",
		"kd1 00c0ffee 4294967296 2 hello",
		"kd1 00c0ffee -1 2 hello",
		"kd1 00c0ffee 01 2 hello",
		"kd1 00c0ffee 1 02 hello",
		"kd1 00c0ffee 1 99999999999999999999 hello",
		"kd1 00c0ffee 1  hello",
		"kd1 00c0ffee 1 2 a=1",
		"kd1 00c0ffee 1 2 Hello",
		"kd1 00c0ffee 1 2 hello a",
		"kd1 00c0ffee 1 2 hello a=%zz",
		"kd1  00c0ffee 1 2 hello",
	};

	(void)state;
	for (size_t i = 0; i < sizeof(bad) / sizeof(bad[0]); i++)
		if (parse_with_crc(bad[i]) != -EINVAL)
			fail_msg("not refused: %s", bad[i]);
	assert_int_equal(parse_with_crc("kd1 ffffffff 4294967295 9223372036854775807 x"), 0);
	assert_int_equal(rec.seq, UINT32_MAX);
	assert_int_equal(parse_with_crc("kd1 00000000 0 0 ask"), 0);
}

static void test_size(void **state)
{
	char buf[RECORD_MAX + 1], big[512], fill[256];
	struct kv_out o;
	size_t room;

	(void)state;
	memset(fill, 'x', sizeof(fill));
	kv_out_init(&o, buf, sizeof(buf));
	record_open(&o, 1, 2, 3, "note");
	room = RECORD_MAX - o.len - strlen(" msg=") - 10;
	kv_out_bytes(&o, "msg", fill, room);
	assert_int_equal(record_close(&o), RECORD_MAX);
	assert_int_equal(record_parse(&rec, buf + 2, RECORD_MAX - 2), 0);
	kv_out_init(&o, buf, sizeof(buf));
	record_open(&o, 1, 2, 3, "note");
	kv_out_bytes(&o, "msg", fill, room + 1);
	assert_int_equal(record_close(&o), -EMSGSIZE);
	kv_out_init(&o, big, sizeof(big)); /* a large buffer makes no large record */
	record_open(&o, 1, 2, 3, "note");
	kv_out_bytes(&o, "msg", fill, room + 1);
	assert_int_equal(record_close(&o), -EMSGSIZE);
	kv_out_init(&o, big, sizeof(big));
	record_open(&o, 1, 2, 3, "Note");
	assert_int_equal(record_close(&o), -EINVAL);
	memset(big, 'x', sizeof(big));
	memcpy(big, "kd1 ", 4);
	assert_int_equal(record_parse(&rec, big, sizeof(big)), -EMSGSIZE);
}

static void test_find(void **state)
{
	(void)state;
	assert_int_equal(record_find("", 0), -1);
	assert_int_equal(record_find("kd1", 3), -1);
	assert_int_equal(record_find("kd1 ", 4), 0);
	assert_int_equal(record_find("[    1.0] # kd1 x", 17), 12);
	assert_int_equal(record_find("kkd1 ", 5), 1);
	assert_int_equal(record_find("kd2 kd1x", 8), -1);
}

static void check_ranges(const uint32_t *seq, size_t n, const char *want)
{
	char out[128];
	uint32_t back[16];

	assert_int_equal(record_ranges_format(out, sizeof(out), seq, n), strlen(want));
	assert_string_equal(out, want);
	assert_int_equal(record_ranges_parse(want, back, 16), n);
	for (size_t i = 0; i < n; i++)
		assert_int_equal(back[i], seq[i]);
	assert_int_equal(record_ranges_parse(want, NULL, 16), n);
	for (size_t size = 0; size <= strlen(want); size++)
		assert_int_equal(record_ranges_format(out, size, seq, n), -EMSGSIZE);
}

static void test_ranges(void **state)
{
	(void)state;
	check_ranges(NULL, 0, "");
	check_ranges((const uint32_t[]){0}, 1, "0");
	check_ranges((const uint32_t[]){1, 2, 3, 7}, 4, "1-3,7");
	check_ranges((const uint32_t[]){17, 18, 19, 42}, 4, "17-19,42");
	check_ranges((const uint32_t[]){1, 3, 5}, 3, "1,3,5");
	check_ranges((const uint32_t[]){4294967293u, 4294967294u, 4294967295u}, 3, "4294967293-4294967295");
}

static void test_ranges_refused(void **state)
{
	static const char *const bad[] = {
		",", "1,", ",1", "1,,2", "1-", "-1", "2-1", "3,2", "1,1", "1-3,3", "a", "1 2", "1-2-3", "4294967296", "01", "1-3,2-4",
	};
	uint32_t seq[4];
	char out[32];

	(void)state;
	for (size_t i = 0; i < sizeof(bad) / sizeof(bad[0]); i++)
		if (record_ranges_parse(bad[i], seq, 4) != -EINVAL)
			fail_msg("taken: %s", bad[i]);
	assert_int_equal(record_ranges_parse("1-4", seq, 4), 4);
	assert_int_equal(record_ranges_parse("1-5", seq, 4), -EMSGSIZE);
	assert_int_equal(record_ranges_parse("0-4294967295", seq, 4), -EMSGSIZE);
	assert_int_equal(record_ranges_parse("1,3,5,7,9", seq, 4), -EMSGSIZE);
	assert_int_equal(record_ranges_parse("1", seq, 0), -EMSGSIZE);
	assert_int_equal(record_ranges_format(out, sizeof(out), (const uint32_t[]){2, 1}, 2), -EINVAL);
	assert_int_equal(record_ranges_format(out, sizeof(out), (const uint32_t[]){1, 1}, 2), -EINVAL);
}

/* Noise, half of it made to look like records. */
static void test_random(void **state)
{
	uint32_t r = 4;

	(void)state;
	for (int round = 0; round < 100000; round++) {
		size_t len = unit_random(&r) % 64 + 4;
		char *s = malloc(len);

		assert_non_null(s);
		for (size_t i = 0; i < len; i++)
			s[i] = (char)unit_random(&r);
		if (round & 1)
			memcpy(s, "kd1 ", 4);
		assert_int_not_equal(record_parse(&rec, s, len), 0);
		record_find(s, len);
		free(s);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_round_trip), cmocka_unit_test(test_truncated),
		cmocka_unit_test(test_damaged),    cmocka_unit_test(test_right_crc_wrong_record),
		cmocka_unit_test(test_size),       cmocka_unit_test(test_find),
		cmocka_unit_test(test_ranges),     cmocka_unit_test(test_ranges_refused),
		cmocka_unit_test(test_random),
	};

	return cmocka_run_group_tests_name("record", tests, NULL, NULL);
}
