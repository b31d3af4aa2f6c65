/* SPDX-License-Identifier: GPL-2.0-or-later */
/* kv: the line format, both ways, and what is not a line of it. */
#include "unit.h"

#include <errno.h>

#include "common/kv.h"

static struct kv_line l;

static int parse(const char *s) { return kv_parse(&l, s, strlen(s)); }

static void test_parse(void **state)
{
	(void)state;
	assert_int_equal(parse("try line=7 a=%20x%25 empty= b=A.Z_:/+,@-"), 0);
	assert_string_equal(l.word, "try");
	assert_int_equal(l.n, 4);
	assert_string_equal(kv_get(&l, "line"), "7");
	assert_string_equal(kv_get(&l, "a"), " x%");
	assert_string_equal(kv_get(&l, "empty"), "");
	assert_string_equal(kv_get(&l, "b"), "A.Z_:/+,@-");
	assert_null(kv_get(&l, "none"));
	assert_int_equal(parse("a=1 a=2"), 0); /* the first counts */
	assert_string_equal(l.word, "");
	assert_string_equal(kv_get(&l, "a"), "1");
	assert_int_equal(parse("ask"), 0);
	assert_int_equal(l.n, 0);
	assert_int_equal(parse("ask\r\n"), 0);
	assert_string_equal(l.word, "ask");
	assert_int_equal(parse("a=%e4%E4"), 0);
	assert_string_equal(kv_get(&l, "a"), "\xe4\xe4");
}

static void test_parse_refused(void **state)
{
	static const char *const bad[] = {
		"",        " ",      " try",   "try ",   "try  a=1", "try a",    "try a=1 b",  "Try",        "try A=1",
		"=1",      "try =1", "a==",    "a=b=c",  "a=%",      "a=%4",     "a=%4g",      "a=%00",      "a=%0",
		"a=\"x\"", "a=x\ty", "a\tb=1", "a=\x80", "\n",       "try\na=1", "tr\xc3\xa4", "a=1\r\nb=2",
	};

	(void)state;
	for (size_t i = 0; i < sizeof(bad) / sizeof(bad[0]); i++)
		if (parse(bad[i]) != -EINVAL)
			fail_msg("taken: %s", bad[i]);
	assert_int_equal(kv_parse(&l, "try a=1\0b", 9), -EINVAL);
	assert_int_equal(kv_parse(&l, "\0", 1), -EINVAL);
}

static void test_parse_limits(void **state)
{
	static char big[KV_LINE_MAX + 2];
	char pairs[256] = "w";

	(void)state;
	memset(big, 'x', sizeof(big));
	memcpy(big, "a=", 2);
	assert_int_equal(kv_parse(&l, big, KV_LINE_MAX), 0);
	assert_int_equal(strlen(kv_get(&l, "a")), KV_LINE_MAX - 2);
	assert_int_equal(kv_parse(&l, big, KV_LINE_MAX + 1), -EMSGSIZE);
	big[KV_LINE_MAX] = '\n'; /* not counted */
	assert_int_equal(kv_parse(&l, big, KV_LINE_MAX + 1), 0);
	for (int i = 0; i < KV_PAIRS_MAX; i++)
		strcat(pairs, " a=1");
	assert_int_equal(parse(pairs), 0);
	assert_int_equal(l.n, KV_PAIRS_MAX);
	strcat(pairs, " a=1");
	assert_int_equal(parse(pairs), -EMSGSIZE);
}

static void test_numbers(void **state)
{
	uint64_t u;
	uint32_t h;

	(void)state;
	assert_int_equal(parse("w z=0 m=18446744073709551615 o=18446744073709551616 n=-1 e= x=1x p=+1"), 0);
	assert_int_equal(kv_u64(&l, "z", &u), 0);
	assert_true(u == 0);
	assert_int_equal(kv_u64(&l, "m", &u), 0);
	assert_true(u == UINT64_MAX);
	assert_int_equal(kv_u64(&l, "o", &u), -ERANGE);
	assert_int_equal(kv_u64(&l, "n", &u), -EINVAL);
	assert_int_equal(kv_u64(&l, "e", &u), -EINVAL);
	assert_int_equal(kv_u64(&l, "x", &u), -EINVAL);
	assert_int_equal(kv_u64(&l, "p", &u), -EINVAL);
	assert_int_equal(kv_u64(&l, "none", &u), -ENOENT);
	assert_true(u == UINT64_MAX); /* untouched by errors */
	assert_int_equal(parse("w a=deadbeef b=DEADBEEF c=deadbee d=deadbeef0 e=0xdeadbe f=deadbeeg g="), 0);
	assert_int_equal(kv_hex32(&l, "a", &h), 0);
	assert_int_equal(h, 0xdeadbeef);
	for (const char *k = "b\0c\0d\0e\0f\0g\0"; *k; k += 2)
		assert_int_equal(kv_hex32(&l, k, &h), -EINVAL);
	assert_int_equal(kv_hex32(&l, "none", &h), -ENOENT);
}

static void test_str(void **state)
{
	char out[4];

	(void)state;
	assert_int_equal(parse("w a=abc b=abcd e="), 0);
	assert_int_equal(kv_str(&l, "a", out, sizeof(out)), 0);
	assert_string_equal(out, "abc");
	assert_int_equal(kv_str(&l, "b", out, sizeof(out)), -ENAMETOOLONG);
	assert_string_equal(out, "abc");
	assert_int_equal(kv_str(&l, "e", out, 1), 0);
	assert_int_equal(kv_str(&l, "e", out, 0), -ENAMETOOLONG);
	assert_int_equal(kv_str(&l, "none", out, sizeof(out)), -ENOENT);
}

static void test_crc(void **state)
{
	char buf[128];
	struct kv_out o;
	size_t len;

	(void)state;
	kv_out_init(&o, buf, sizeof(buf));
	kv_out_word(&o, "try");
	kv_out_u64(&o, "line", 12);
	kv_out_str(&o, "why", "a b*c");
	kv_out_crc(&o, 0);
	assert_int_equal(o.err, 0);
	len = o.len;
	assert_int_equal(kv_crc_body(buf, len), len - 10);
	assert_int_equal(kv_parse_crc(&l, buf, len), 0);
	assert_string_equal(kv_get(&l, "why"), "a b*c");
	strcat(buf, "\r\n");
	assert_int_equal(kv_parse_crc(&l, buf, len + 2), 0);
	for (size_t cut = 0; cut < len; cut++)
		assert_int_equal(kv_parse_crc(&l, buf, cut), -EBADMSG);
	for (size_t i = 0; i < len; i++) {
		for (int bit = 0; bit < 8; bit++) {
			buf[i] = (char)(buf[i] ^ 1 << bit);
			assert_int_equal(kv_parse_crc(&l, buf, len), -EBADMSG);
			buf[i] = (char)(buf[i] ^ 1 << bit);
		}
	}
	assert_int_equal(kv_parse_crc(&l, "*00000000", 9), -EBADMSG);
	assert_int_equal(kv_parse_crc(&l, " *00000000", 10), -EBADMSG); /* nothing is covered */
}

static void test_out(void **state)
{
	char buf[256];
	struct kv_out o;

	(void)state;
	kv_out_init(&o, buf, sizeof(buf));
	kv_out_word(&o, "w");
	kv_out_u64(&o, "u", UINT64_MAX);
	kv_out_hex32(&o, "h", 0xab);
	kv_out_raw(&o, "");
	kv_out_raw(&o, "r=1 s=2");
	kv_out_bytes(&o, "b", "\x01\xff=", 3);
	kv_out_str(&o, "e", "");
	assert_int_equal(o.err, 0);
	assert_string_equal(buf, "w u=18446744073709551615 h=000000ab r=1 s=2 b=%01%FF%3D e=");
	assert_int_equal(o.len, strlen(buf));
}

static void test_out_errors(void **state)
{
	char buf[16];
	struct kv_out o;

	(void)state;
	kv_out_init(&o, buf, sizeof(buf));
	kv_out_word(&o, "w");
	kv_out_str(&o, "key", "123456789");
	assert_int_equal(o.err, 0); /* 15 bytes and the NUL */
	kv_out_str(&o, "k", "");
	assert_int_equal(o.err, -EMSGSIZE);
	assert_string_equal(buf, "w key=123456789");
	kv_out_init(&o, buf, sizeof(buf));
	kv_out_word(&o, "w");
	kv_out_str(&o, "key", "1234567890"); /* one too many: nothing of it stays */
	assert_int_equal(o.err, -EMSGSIZE);
	assert_string_equal(buf, "w");
	kv_out_str(&o, "k", "1"); /* and nothing comes after it */
	kv_out_crc(&o, 0);
	assert_string_equal(buf, "w");
	kv_out_init(&o, buf, sizeof(buf));
	kv_out_str(&o, "Key", "1");
	assert_int_equal(o.err, -EINVAL);
	assert_string_equal(buf, "");
	kv_out_init(&o, buf, sizeof(buf));
	kv_out_bytes(&o, "k", "a\0b", 3); /* readers refuse %00 */
	assert_int_equal(o.err, -EINVAL);
	assert_string_equal(buf, "");
	kv_out_init(&o, buf, sizeof(buf));
	kv_out_word(&o, "two words");
	assert_int_equal(o.err, -EINVAL);
	kv_out_init(&o, buf, sizeof(buf));
	kv_out_word(&o, "");
	assert_int_equal(o.err, -EINVAL);
	kv_out_init(&o, buf, sizeof(buf));
	kv_out_crc(&o, 0);
	assert_int_equal(o.err, -EINVAL);
	kv_out_init(&o, buf, 0);
	kv_out_word(&o, "w");
	kv_out_str(&o, "k", "v");
	kv_out_crc(&o, 0);
	assert_int_equal(o.err, -EMSGSIZE);
}

static void test_escape(void **state)
{
	char in[255], out[3 * 255 + 1], back[256];
	long n;

	(void)state;
	for (int i = 0; i < 255; i++)
		in[i] = (char)(i + 1);
	n = kv_escape(out, sizeof(out), in, sizeof(in));
	assert_true(n > 0);
	assert_int_equal(n, strlen(out));
	assert_int_equal(strspn(out, "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789._:/+,@-%"), n);
	assert_int_equal(kv_unescape(back, sizeof(back), out, (size_t)n), 255);
	assert_memory_equal(back, in, 255);
	for (size_t size = 0; size <= (size_t)n; size++)
		assert_int_equal(kv_escape(out, size, in, sizeof(in)), -EMSGSIZE);
	assert_int_equal(kv_escape(out, (size_t)n + 1, in, sizeof(in)), n);
	for (size_t size = 0; size <= 255; size++)
		assert_int_equal(kv_unescape(back, size, out, (size_t)n), -EMSGSIZE);
	assert_int_equal(kv_escape(out, sizeof(out), "a\0", 2), -EINVAL);
	assert_int_equal(kv_escape(out, sizeof(out), "", 0), 0);
	assert_int_equal(kv_unescape(back, sizeof(back), "%4", 2), -EINVAL);
	assert_int_equal(kv_unescape(back, sizeof(back), "a b", 3), -EINVAL);
}

static void test_id(void **state)
{
	char id[66];

	(void)state;
	assert_true(kv_is_id("6.12.117+deb12-cloud-amd64"));
	assert_true(kv_is_id("0"));
	assert_false(kv_is_id(""));
	assert_false(kv_is_id(".."));
	assert_false(kv_is_id("-x"));
	assert_false(kv_is_id("a/b"));
	assert_false(kv_is_id("a b"));
	assert_false(kv_is_id("\xc3\xa4"));
	memset(id, 'a', sizeof(id));
	id[64] = 0;
	assert_true(kv_is_id(id));
	id[64] = 'a';
	id[65] = 0;
	assert_false(kv_is_id(id));
}

/* Random bytes from the alphabet of the format: never a crash, and what is taken can be written and read again, the same. */
static void test_random(void **state)
{
	static const char alphabet[] = "ab=%% 04 .*\n\r\xff#";
	static struct kv_line again;
	uint32_t r = 3;
	unsigned taken = 0;

	(void)state;
	for (int round = 0; round < 200000; round++) {
		size_t len = unit_random(&r) % 24;
		char *s = malloc(len ? len : 1), out[128]; /* malloc: a read past the end is seen */
		struct kv_out o;

		assert_non_null(s);
		for (size_t i = 0; i < len; i++)
			s[i] = alphabet[unit_random(&r) % (sizeof(alphabet) - 1)];
		if (!kv_parse(&l, s, len)) {
			taken++;
			kv_out_init(&o, out, sizeof(out));
			if (*l.word)
				kv_out_word(&o, l.word);
			for (size_t i = 0; i < l.n; i++)
				kv_out_str(&o, l.pair[i].key, l.pair[i].val);
			kv_out_crc(&o, 0);
			assert_int_equal(o.err, 0);
			assert_int_equal(kv_parse_crc(&again, out, o.len), 0);
			assert_string_equal(again.word, l.word);
			assert_int_equal(again.n, l.n);
			for (size_t i = 0; i < l.n; i++)
				assert_string_equal(again.pair[i].val, l.pair[i].val);
		}
		free(s);
	}
	assert_true(taken > 1000);
}

static void test_hex32_text(void **state)
{
	uint32_t v = 1;

	(void)state;
	assert_int_equal(kv_hex32_text("0123abcd and more", &v), 0);
	assert_int_equal(v, 0x0123abcd);
	assert_int_equal(kv_hex32_text("0123ABCD", &v), -EINVAL);
	assert_int_equal(kv_hex32_text("0123abc", &v), -EINVAL);
	assert_int_equal(kv_hex32_text("", &v), -EINVAL);
	assert_int_equal(v, 0x0123abcd);
}

static void test_list(void **state)
{
	(void)state;
	assert_true(kv_list_has("gzip", "gzip"));
	assert_true(kv_list_has("xz,gzip", "gzip"));
	assert_true(kv_list_has("xz,,gzip,", "gzip"));
	assert_false(kv_list_has("xz,gzip2,agzip", "gzip"));
	assert_false(kv_list_has("xz,gzip", "xz,gzip"));
	assert_false(kv_list_has("", "gzip"));
	assert_false(kv_list_has("xz", ""));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_parse),      cmocka_unit_test(test_parse_refused), cmocka_unit_test(test_parse_limits),
		cmocka_unit_test(test_numbers),    cmocka_unit_test(test_str),           cmocka_unit_test(test_crc),
		cmocka_unit_test(test_out),        cmocka_unit_test(test_out_errors),    cmocka_unit_test(test_escape),
		cmocka_unit_test(test_id),         cmocka_unit_test(test_random),        cmocka_unit_test(test_list),
		cmocka_unit_test(test_hex32_text),
	};

	return cmocka_run_group_tests_name("kv", tests, NULL, NULL);
}
