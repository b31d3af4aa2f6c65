/* SPDX-License-Identifier: GPL-2.0-or-later */
/* pattern: the same seed gives the same data, and no damage passes: not a bit, not a sector in another's place, not old data. */
#include "../common/unit.h"

#include <errno.h>

#include "../../suite/pattern.h"

#define CHUNK 4096
#define FILE_BYTES (3 * PATTERN_PERIOD)

static unsigned char *make(struct pattern *p, uint64_t seed, size_t chunk, unsigned generation)
{
	unsigned char *file = malloc(FILE_BYTES);

	assert_non_null(file);
	assert_int_equal(pattern_init(p, seed, chunk), 0);
	for (size_t at = 0; at < FILE_BYTES; at += chunk)
		memcpy(file + at, pattern_at(p, at, chunk, generation), chunk);
	return file;
}

static int check(const struct pattern *p, const unsigned char *file, unsigned generation, uint64_t *bad)
{
	for (size_t at = 0; at < FILE_BYTES; at += CHUNK)
		if (pattern_check(p, file + at, CHUNK, at, generation, bad))
			return -EILSEQ;
	return 0;
}

static void test_same(void **state)
{
	struct pattern p, q, r;
	unsigned char *a = make(&p, 7, CHUNK, 0), *b = make(&q, 7, 512, 0), *c = make(&r, 8, CHUNK, 0);

	(void)state;
	assert_memory_equal(a, b, FILE_BYTES); /* the size of the pieces makes no difference */
	assert_memory_not_equal(a, c, PATTERN_SECTOR);
	assert_int_equal(check(&p, a, 0, NULL), 0);
	assert_int_equal(check(&r, a, 0, NULL), -EILSEQ);
	pattern_free(&p);
	pattern_free(&q);
	pattern_free(&r);
	free(a);
	free(b);
	free(c);
}

static void test_damage(void **state)
{
	struct pattern p;
	unsigned char *file = make(&p, 3, CHUNK, 0);
	uint32_t random = 1;
	uint64_t bad;

	(void)state;
	for (int i = 0; i < 300; i++) {
		size_t at = unit_random(&random) % FILE_BYTES;

		file[at] ^= (unsigned char)(1u << (i & 7));
		assert_int_equal(check(&p, file, 0, &bad), -EILSEQ);
		assert_true(bad <= at && at - bad < 8);
		file[at] ^= (unsigned char)(1u << (i & 7));
	}
	assert_int_equal(check(&p, file, 0, NULL), 0);
	free(file);
	pattern_free(&p);
}

static void test_place(void **state)
{
	struct pattern p;
	unsigned char *file = make(&p, 3, CHUNK, 0);
	uint64_t bad;

	(void)state;
	/* the same noise, another period: only the stamps differ */
	memcpy(file + PATTERN_PERIOD, file, PATTERN_SECTOR);
	assert_int_equal(pattern_check_stamps(&p, file + PATTERN_PERIOD, CHUNK, PATTERN_PERIOD, 0, &bad), -EILSEQ);
	assert_int_equal(bad, PATTERN_PERIOD);
	free(file);
	pattern_free(&p);
}

static void test_generation(void **state)
{
	struct pattern p;
	unsigned char *file = make(&p, 3, CHUNK, 0);

	(void)state;
	assert_int_equal(check(&p, file, 1, NULL), -EILSEQ);
	for (size_t at = 0; at < FILE_BYTES; at += CHUNK)
		pattern_stamp(&p, file + at, CHUNK, at, 1);
	assert_int_equal(check(&p, file, 1, NULL), 0);
	assert_int_equal(check(&p, file, 0, NULL), -EILSEQ);
	free(file);
	pattern_free(&p);
}

static void test_stamps_see_zeros(void **state)
{
	static unsigned char zeros[CHUNK];
	struct pattern p;

	(void)state;
	assert_int_equal(pattern_init(&p, 0, CHUNK), 0);
	assert_int_equal(pattern_check_stamps(&p, zeros, CHUNK, 0, 0, NULL), -EILSEQ);
	pattern_free(&p);
}

static void test_refused(void **state)
{
	struct pattern p;

	(void)state;
	assert_int_equal(pattern_init(&p, 1, 256), -EINVAL);
	assert_int_equal(pattern_init(&p, 1, 5000), -EINVAL);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_same),       cmocka_unit_test(test_damage),           cmocka_unit_test(test_place),
		cmocka_unit_test(test_generation), cmocka_unit_test(test_stamps_see_zeros), cmocka_unit_test(test_refused),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
