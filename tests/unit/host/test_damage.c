/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Damage: a stream of records with bytes flipped, dropped and doubled, and with lines of a kernel in the middle of records, goes through the
 * collector and the assembly of tries. Whatever is taken must have been sent, exactly so. The figures are printed.
 */
#include "../common/unit.h"

#include "host/console.h"
#include "host/try.h"

#define TAG 0x1a08a91au
#define RECORDS 1500
#define AT_ONCE 200 /* asked for */

static char sent[RECORDS][RECORD_MAX + 1]; /* from kd1 on */
static struct try seen;
static uint32_t state;
static unsigned taken, joined;

static unsigned chance(unsigned n) { return unit_random(&state) % n; }

static void on_record(void *ctx, const struct record *r, const char *line)
{
	(void)ctx;
	if (r->tag == TAG && !strcmp(r->kv.word, "part")) {
		try_add(&seen, r, line, STORE_SERIAL);
		return;
	}
	assert_int_equal(r->tag, TAG);
	assert_true(r->seq < RECORDS);
	assert_string_equal(line, sent[r->seq]);
	try_add(&seen, r, line, STORE_SERIAL);
	taken++;
}

static void make(uint32_t seq)
{
	char buf[RECORD_MAX + 1], text[120];
	struct kv_out o;
	size_t len = chance(90);

	for (size_t i = 0; i < len; i++)
		text[i] = "kd1 *0123456789abcdef %#=\n"[chance(26)];
	kv_out_init(&o, buf, sizeof(buf));
	record_open(&o, TAG, seq, 1000 + seq * 3, chance(2) ? "metric" : "fact");
	kv_out_u64(&o, "v", unit_random(&state));
	kv_out_bytes(&o, "data", text, len > 40 ? 40 : len);
	assert_true(record_close(&o) > 0);
	strcpy(sent[seq], buf + 2);
}

/* Adds a line to the stream as the wire gives it. */
static size_t put_damaged(char *out, const char *s, size_t len, unsigned per_million)
{
	size_t n = 0;

	for (size_t i = 0; i < len; i++) {
		unsigned what = chance(1000000) < per_million ? 1 + chance(3) : 0;

		if (what == 1)
			out[n++] = (char)(s[i] ^ 1 << chance(8));
		else if (what != 2)
			out[n++] = s[i];
		if (what == 3)
			out[n++] = s[i];
	}
	return n;
}

static size_t put_line(char *out, const char *record, unsigned per_million)
{
	char whole[2 * RECORD_MAX];
	size_t at = chance(20) ? RECORD_MAX : chance(RECORD_MAX), n = 0, len = strlen(record);

	if (at >= len)
		n = (size_t)sprintf(whole, "# %s\r\n", record);
	else /* printk on another CPU */
		n = (size_t)sprintf(whole, "# %.*s[   12.345678] something *the kernel says\r\n%s\r\n", (int)at, record, record + at);
	return put_damaged(out, whole, n, per_million);
}

static void run(unsigned per_million, unsigned lost_at_least)
{
	static const struct console_sink sink = {.record = on_record};
	static struct console c;
	char out[4 * RECORD_MAX];
	size_t missing;

	try_init(&seen, TAG);
	console_init(&c, &sink);
	taken = 0;
	for (uint32_t seq = 0; seq < RECORDS; seq++) {
		make(seq);
		console_feed(&c, out, put_line(out, sent[seq], per_million));
	}
	console_flush(&c);
	joined = (unsigned)c.count.joined;
	try_missing_below(&seen, RECORDS, NULL, 0, &missing);
	assert_int_equal(seen.differ, 0);
	assert_true(missing >= lost_at_least);
	print_message("%u of a million bytes: %u of %u records taken, %u of them joined, 0 wrong\n", per_million, taken, RECORDS, joined);
	/* What is missing comes again, in parts, over the same wire, until it is there. */
	for (unsigned round = 0; missing && round < 3000; round++) {
		unsigned asked = 0;

		for (uint32_t seq = 0; seq < RECORDS; seq++) {
			size_t len = strlen(sent[seq]), n = (len + 39) / 40;

			if (seen.slot[seq].line || ++asked > AT_ONCE)
				continue;
			for (size_t i = 0; i < n; i++) {
				char buf[RECORD_MAX + 1];
				struct kv_out o;

				kv_out_init(&o, buf, sizeof(buf));
				record_open(&o, TAG, seq, 99999, "part");
				kv_out_u64(&o, "of", seq);
				kv_out_u64(&o, "i", i + 1);
				kv_out_u64(&o, "n", n);
				kv_out_bytes(&o, "data", sent[seq] + i * 40, len - i * 40 < 40 ? len - i * 40 : 40);
				assert_true(record_close(&o) > 0);
				console_feed(&c, out, put_line(out, buf + 2, per_million));
			}
		}
		try_missing_below(&seen, RECORDS, NULL, 0, &missing);
	}
	assert_int_equal(missing, 0);
	assert_int_equal(seen.differ, 0);
	for (uint32_t seq = 0; seq < RECORDS; seq++)
		assert_string_equal(seen.slot[seq].line, sent[seq]);
	try_free(&seen);
}

static void test_damage(void **ctx)
{
	(void)ctx;
	state = 20261130;
	run(0, 0);
	run(1000, 1);
	run(10000, 100);
	run(20000, 500);
}

int main(void)
{
	const struct CMUnitTest tests[] = {cmocka_unit_test(test_damage)};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
