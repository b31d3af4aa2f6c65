/* SPDX-License-Identifier: GPL-2.0-or-later */
/* store: what is written comes back, once, whatever happened to the file in between. */
#include "../common/unit.h"

#include <errno.h>
#include <sys/stat.h>

#include "host/store.h"

static struct unit_dir dir;

static void make(struct store_record *r, uint32_t tag, uint32_t seq, enum store_channel ch, const char *text)
{
	static struct record in;
	assert_int_equal(kv_parse(&in.kv, text, strlen(text)), 0);
	in.tag = tag;
	in.seq = seq;
	in.ms = 1000 + seq;
	assert_int_equal(store_from_record(r, &in, 7, ch), 0);
}

static void append(const char *path, const struct store_record *r, size_t n, const struct store_gap *g, size_t gaps)
{
	assert_int_equal(store_append(path, "s", "b", r, n, g, gaps), 0);
}

static void append_text(const char *path, const char *text)
{
	FILE *f = fopen(path, "a");
	assert_non_null(f);
	fputs(text, f);
	fclose(f);
}

static void test_there_and_back(void **state)
{
	const char *path = unit_path(&dir, "back");
	struct store_record r[3];
	struct store_gap g = {.line = 7, .tag = 0x10, .first = 3, .last = 5};
	struct store s;
	(void)state;
	make(&r[0], 0x10, 1, STORE_SERIAL, "metric test=t name=m v=18446744073709551615 note=a%20b%22%5c%0a%1b empty=");
	make(&r[1], 0x10, 0, STORE_BOTH, "hello box=b");
	make(&r[2], 0x90000000, 2, STORE_NFS, "note msg=%ff%fe%c3%28 plain=%c3%a4");
	append(path, r, 3, &g, 1);
	assert_int_equal(store_read(&s, path), 0);
	assert_int_equal(s.records, 3);
	assert_int_equal(s.bad_lines + s.repeats, 0);
	assert_int_equal(s.record[0].seq, 0); /* sorted */
	assert_string_equal(s.record[1].kind, "metric");
	assert_int_equal(s.record[1].ms, 1001);
	assert_int_equal(s.record[1].line, 7);
	assert_int_equal(s.record[1].ch, STORE_SERIAL);
	assert_string_equal(store_get(&s.record[1], "v"), "18446744073709551615"); /* as it came */
	assert_string_equal(store_get(&s.record[1], "note"), "a b\"\\\n\x1b");
	assert_string_equal(store_get(&s.record[1], "empty"), "");
	assert_null(store_get(&s.record[1], "none"));
	assert_string_equal(store_get(&s.record[2], "msg"), "\xff\xfe\xc3("); /* not UTF-8, and not lost */
	assert_string_equal(store_get(&s.record[2], "plain"), "\xc3\xa4");
	assert_int_equal(s.gaps, 1);
	assert_int_equal(s.gap[0].first, 3);
	assert_int_equal(s.gap[0].last, 5);
	size_t n;
	assert_ptr_equal(store_try(&s, 7, 0x10, &n), &s.record[0]);
	assert_int_equal(n, 2);
	assert_null(store_try(&s, 7, 0x11, &n));
	assert_null(store_try(&s, 8, 0x10, &n));
	store_free(&s);
	for (int i = 0; i < 3; i++)
		free(r[i].pair);
}

static void test_repeats(void **state)
{
	const char *path = unit_path(&dir, "repeats");
	struct store_record r[4];
	struct store s;
	(void)state;
	make(&r[0], 1, 0, STORE_SERIAL, "hello box=b");
	make(&r[1], 1, 1, STORE_BOTH, "note msg=a");
	append(path, r, 2, NULL, 0);
	make(&r[2], 1, 0, STORE_NFS, "hello box=b");
	make(&r[3], 1, 1, STORE_BOTH, "note msg=b");
	append(path, r + 2, 2, NULL, 0);
	append(path, r, 2, NULL, 0);
	assert_int_equal(store_read(&s, path), 0);
	assert_int_equal(s.records, 2);
	assert_int_equal(s.repeats, 4);
	assert_int_equal(s.record[0].ch, STORE_BOTH); /* by serial first, by NFS later */
	assert_int_equal(s.record[1].ch, STORE_DIFFER);
	assert_string_equal(store_get(&s.record[1], "msg"), "a");
	store_free(&s);
	for (int i = 0; i < 4; i++)
		free(r[i].pair);
}

/* What is stored already is left out: a station that died before its mark files a try again. */
static void test_missing(void **state)
{
	const char *path = unit_path(&dir, "missing");
	struct store_record r[4], other;
	struct store_gap g = {.line = 7, .tag = 1, .first = 4, .last = 4};
	struct store s;
	(void)state;
	for (uint32_t i = 0; i < 4; i++)
		make(&r[i], 1, i, STORE_SERIAL, "note msg=a");
	make(&other, 2, 0, STORE_SERIAL, "fact tag=00000001"); /* names the tag, but is not of it */
	append(path, &other, 1, NULL, 0);
	append(path, r + 1, 2, NULL, 0);
	for (int twice = 0; twice < 2; twice++)
		assert_int_equal(store_append_missing(path, "s", "b", r, 4, &g, 1), 0);
	assert_int_equal(store_append_missing(path, "s", "b", &other, 1, NULL, 0), 0);
	assert_int_equal(store_append_missing(path, "s", "b", NULL, 0, NULL, 0), 0);
	assert_int_equal(store_read(&s, path), 0);
	assert_int_equal(s.records, 5);
	assert_int_equal(s.repeats + s.bad_lines, 0);
	assert_int_equal(s.gaps, 1);
	store_free(&s);
	for (int i = 0; i < 4; i++)
		free(r[i].pair);
	free(other.pair);
}

static void test_gap_filled_later(void **state)
{
	const char *path = unit_path(&dir, "gaps");
	struct store_gap g[3] = {{7, 1, 2, 6}, {7, 1, 2, 6}, {7, 2, 0, UINT32_MAX}};
	struct store_record r;
	struct store s;
	(void)state;
	append(path, NULL, 0, g, 3);
	make(&r, 1, 4, STORE_NFS, "note msg=late");
	append(path, &r, 1, NULL, 0);
	assert_int_equal(store_read(&s, path), 0);
	assert_int_equal(s.gaps, 3);
	assert_true(s.gap[0].first == 2 && s.gap[0].last == 3);
	assert_true(s.gap[1].first == 5 && s.gap[1].last == 6);
	assert_true(s.gap[2].first == 0 && s.gap[2].last <= 1u << 20); /* a box may claim anything */
	store_free(&s);
	free(r.pair);
}

static void test_damage(void **state)
{
	const char *path = unit_path(&dir, "damage");
	static const char *const bad[] = {
		"nonsense",
		"{",
		"[]",
		"{}",
		"null",
		"{\"line\":1}",
		"{\"line\":-1,\"tag\":\"00000001\",\"gap\":[0,1]}",
		"{\"line\":1,\"tag\":\"1\",\"gap\":[0,1]}",
		"{\"line\":1,\"tag\":\"00000001\",\"gap\":[3,1]}",
		"{\"line\":1,\"tag\":\"00000001\",\"gap\":7}",
		"{\"line\":1,\"tag\":\"00000001\",\"gap\":[\"a\",1]}",
		"{\"line\":1,\"tag\":\"00000001\",\"seq\":1,\"ms\":1,\"kind\":\"a\",\"kv\":{\"k\":1},\"ch\":\"both\"}",
		"{\"line\":1,\"tag\":\"00000001\",\"seq\":1,\"ms\":1,\"kind\":\"a\",\"kv\":{},\"ch\":\"carrier pigeon\"}",
		"{\"line\":1,\"tag\":\"00000001\",\"seq\":1,\"ms\":1,\"kind\":\"a-kind-that-is-too-long\",\"kv\":{},\"ch\":\"both\"}",
		"{\"line\":1,\"tag\":\"00000001\",\"seq\":1e99,\"ms\":1,\"kind\":\"a\",\"kv\":{},\"ch\":\"both\"}",
		"{\"line\":1,\"tag\":\"00000001\",\"seq\":1,\"ms\":1,\"kind\":\"a\",\"kv\":{},\"raw\":{\"k\":\"%4\"},\"ch\":\"both\"}",
		"\x80\xff",
		"{\"line\":1,\"line\":1}",
	};
	struct store_record r;
	struct store s;
	(void)state;
	make(&r, 1, 0, STORE_BOTH, "hello box=b");
	append(path, &r, 1, NULL, 0);
	for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
		append_text(path, bad[i]);
		append_text(path, "\n");
	}
	append_text(path, "\n\r\n{\"line\":1,\"tag\":\"0000"); /* torn: the next writer begins with a newline */
	free(r.pair);
	make(&r, 1, 1, STORE_BOTH, "note msg=x");
	append(path, &r, 1, NULL, 0);
	free(r.pair);
	assert_int_equal(store_read(&s, path), 0);
	assert_int_equal(s.records, 2);
	assert_int_equal(s.bad_lines, sizeof bad / sizeof *bad + 1);
	store_free(&s);
}

static void test_too_much(void **state)
{
	const char *path = unit_path(&dir, "much");
	struct store s;
	FILE *f = fopen(path, "w");
	(void)state;
	assert_non_null(f);
	fputs("{\"line\":1,\"tag\":\"00000001\",\"seq\":1,\"ms\":1,\"kind\":\"a\",\"ch\":\"both\",\"kv\":{", f);
	for (int i = 0; i < 100; i++)
		fprintf(f, "%s\"k%d\":\"v\"", i ? "," : "", i);
	fputs("}}\n", f);
	for (int i = 0; i < 1 << 20; i++)
		putc('[', f);
	fclose(f);
	assert_int_equal(store_read(&s, path), 0);
	assert_int_equal(s.records, 0);
	assert_int_equal(s.bad_lines, 2);
	store_free(&s);
}

/* Bytes of a sound file flipped at random: what can be read is read, and nothing else happens. */
static void test_mutations(void **state)
{
	const char *path = unit_path(&dir, "mutated");
	struct store_record r[4];
	struct store_gap g = {7, 1, 4, 9};
	char text[4096];
	uint32_t seed = 5;
	(void)state;
	for (uint32_t i = 0; i < 4; i++)
		make(&r[i], 1, i, STORE_BOTH, i % 2 ? "metric test=t name=m v=1 ns=2" : "note msg=%ff%20x");
	append(path, r, 4, &g, 1);
	FILE *f = fopen(path, "r");
	assert_non_null(f);
	size_t len = fread(text, 1, sizeof text, f);
	fclose(f);
	for (int k = 0; k < 500; k++) {
		struct store s;
		size_t at = unit_random(&seed) % len;
		char was = text[at];
		text[at] = (char)unit_random(&seed);
		f = fopen(path, "w");
		assert_non_null(f);
		assert_int_equal(fwrite(text, 1, len, f), len);
		fclose(f);
		assert_int_equal(store_read(&s, path), 0);
		assert_true(s.records <= 4 && s.records + s.bad_lines >= 3);
		store_free(&s);
		text[at] = was;
	}
	for (int i = 0; i < 4; i++)
		free(r[i].pair);
}

static void test_errors(void **state)
{
	struct store s;
	struct store_record r;
	static struct record in;
	(void)state;
	assert_int_equal(store_read(&s, unit_path(&dir, "none")), -ENOENT);
	assert_int_equal(store_read(&s, dir.path), -EISDIR);
	assert_int_equal(mkfifo(unit_path(&dir, "fifo"), 0600), 0);
	assert_int_equal(store_read(&s, unit_path(&dir, "fifo")), -EINVAL);                               /* and does not hang */
	assert_int_equal(store_append(unit_path(&dir, "no/such/folder"), "s", "b", NULL, 0, NULL, 0), 0); /* nothing to write */
	make(&r, 1, 0, STORE_BOTH, "hello");
	assert_int_equal(store_append(unit_path(&dir, "no/such/folder"), "s", "b", &r, 1, NULL, 0), -ENOENT);
	if (!access("/dev/full", W_OK))
		assert_int_equal(store_append("/dev/full", "s", "b", &r, 1, NULL, 0), -ENOSPC);
	free(r.pair);
	assert_int_equal(kv_parse(&in.kv, "a-kind-that-is-too-long", 23), 0);
	assert_int_equal(store_from_record(&r, &in, 1, STORE_BOTH), -EMSGSIZE);
	assert_int_equal(kv_parse(&in.kv, "hello", 5), 0);
	in.ms = UINT64_MAX;
	assert_int_equal(store_from_record(&r, &in, 1, STORE_BOTH), -ERANGE);
	assert_string_equal(store_channel_name((enum store_channel)0), "unknown");
	assert_string_equal(store_channel_name((enum store_channel)9), "unknown");
}

static int set_up(void **state)
{
	(void)state;
	unit_dir_make(&dir);
	return 0;
}

static int tear_down(void **state)
{
	(void)state;
	unit_dir_remove(&dir);
	return 0;
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_there_and_back),   cmocka_unit_test(test_repeats), cmocka_unit_test(test_missing),
		cmocka_unit_test(test_gap_filled_later), cmocka_unit_test(test_damage),  cmocka_unit_test(test_too_much),
		cmocka_unit_test(test_mutations),        cmocka_unit_test(test_errors),
	};
	return cmocka_run_group_tests(tests, set_up, tear_down);
}
