/* SPDX-License-Identifier: GPL-2.0-or-later */
/* rpc: the bytes of a NULL call, every way in which a reply can be wrong, and records that come in pieces. */
#include "../common/unit.h"

#include <errno.h>

#include "../../suite/rpc.h"

static size_t words(unsigned char *out, const uint32_t *v, size_t n)
{
	for (size_t i = 0; i < n; i++)
		for (unsigned k = 0; k < 4; k++)
			out[4 * i + k] = (unsigned char)(v[i] >> (24 - 8 * k));
	return 4 * n;
}

#define PUT(out, ...) words(out, (const uint32_t[]){__VA_ARGS__}, sizeof((const uint32_t[]){__VA_ARGS__}) / sizeof(uint32_t))

static void test_call(void **state)
{
	unsigned char call[RPC_CALL_BYTES], want[RPC_CALL_BYTES], mark[RPC_MARK_BYTES];

	(void)state;
	rpc_null_call(call, 0x12345678);
	assert_int_equal(PUT(want, 0x12345678, 0, 2, 100003, 3, 0, 0, 0, 0, 0), RPC_CALL_BYTES);
	assert_memory_equal(call, want, sizeof(want));
	rpc_mark(mark, RPC_CALL_BYTES);
	assert_memory_equal(mark, "\x80\0\0\x28", 4);
}

static void test_reply(void **state)
{
	static const struct {
		uint32_t v[10];
		size_t n;
		int want;
	} t[] = {
		{{7, 1, 0, 0, 0, 0}, 6, 0},
		{{7, 1, 0, 6, 8, 1, 2, 0}, 8, 0},
		{{7, 1, 0, 6, 5, 1, 2, 0}, 8, 0}, /* padded */
		{{7, 0, 0, 0, 0, 0}, 6, -EBADMSG},
		{{7, 2, 0, 0, 0, 0}, 6, -EBADMSG},
		{{7, 1, 2, 0, 0, 0}, 6, -EBADMSG},
		{{7, 1, 0, 0, 0}, 5, -EBADMSG},
		{{7, 1}, 2, -EBADMSG},
		{{7, 1, 0, 0, 0, 0, 0}, 7, -EBADMSG},
		{{7, 1, 0, 6, 9, 1, 2, 0}, 8, -EBADMSG},
		{{7, 1, 0, 6, 401, 1, 2, 0}, 8, -EBADMSG},
		{{7, 1, 0, 6, 0xfffffffe, 1, 2, 0}, 8, -EBADMSG},
		{{7, 1, 0, 0, 0, 1}, 6, -EPROTONOSUPPORT},
		{{7, 1, 0, 0, 0, 2, 2, 2}, 8, -EPROTONOSUPPORT},
		{{7, 1, 0, 0, 0, 5}, 6, -EIO},
		{{7, 1, 0, 0, 0, 6}, 6, -EBADMSG},
		{{7, 1, 1, 0, 2, 2}, 6, -EACCES},
		{{7, 1, 1}, 3, -EACCES},
	};
	unsigned char b[64];

	(void)state;
	for (size_t i = 0; i < sizeof(t) / sizeof(*t); i++) {
		uint32_t xid = 0;
		size_t len = words(b, t[i].v, t[i].n);
		unsigned char *copy = malloc(len); /* to the byte, for the sanitiser */

		memcpy(copy, b, len);
		assert_int_equal(rpc_null_reply(copy, len, &xid), t[i].want);
		if (!t[i].want)
			assert_int_equal(xid, 7);
		if (len > 4)
			assert_true(rpc_null_reply(copy, len - 1, &xid) < 0);
		free(copy);
	}
	assert_int_equal(rpc_null_reply(b, 0, &(uint32_t){0}), -EBADMSG);
}

static void test_records(void **state)
{
	/* two fragments, an empty last one, and a record behind */
	static const unsigned char stream[] = "\0\0\0\4abcd\0\0\0\2ef\x80\0\0\0\x80\0\0\3xyz";
	const size_t len = sizeof(stream) - 1;

	(void)state;
	for (size_t step = 1; step <= len; step++) {
		struct rpc_record r = {.left = 0};
		char got[64] = "";
		size_t at = 0, end = 0;

		while (at < len) {
			size_t used;

			end = end < at + step ? (at + step < len ? at + step : len) : end;
			if (rpc_record_take(&r, stream + at, end - at, &used) == 1)
				snprintf(got + strlen(got), sizeof(got) - strlen(got), "%.*s|", (int)r.len, (const char *)r.body);
			at += used;
		}
		assert_string_equal(got, "abcdef|xyz|");
	}
}

static void test_records_bad(void **state)
{
	static const unsigned char huge[] = {0xff, 0xff, 0xff, 0xff}, over[] = {0, 0, 2, 1}, empty[] = {0, 0, 0, 0};
	struct rpc_record r = {.left = 0};
	unsigned char b[520] = {0, 0, 2, 0};
	size_t used;

	(void)state;
	assert_int_equal(rpc_record_take(&r, huge, 4, &used), -EMSGSIZE);
	r = (struct rpc_record){.left = 0};
	assert_int_equal(rpc_record_take(&r, over, 4, &used), -EMSGSIZE);
	r = (struct rpc_record){.left = 0};
	assert_int_equal(rpc_record_take(&r, empty, 4, &used), -EMSGSIZE);
	r = (struct rpc_record){.left = 0};
	b[4 + 512 + 3] = 1; /* a full one, and a byte more */
	assert_int_equal(rpc_record_take(&r, b, sizeof(b), &used), -EMSGSIZE);
	r = (struct rpc_record){.left = 0};
	assert_int_equal(rpc_record_take(&r, b, 0, &used), 0);
	assert_int_equal(used, 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_call),
		cmocka_unit_test(test_reply),
		cmocka_unit_test(test_records),
		cmocka_unit_test(test_records_bad),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
