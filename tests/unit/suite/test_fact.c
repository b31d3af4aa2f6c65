/* SPDX-License-Identifier: GPL-2.0-or-later */
/* fact: every line is within the limit and parses, whatever the text; gun and team: workers start, and dead ones are seen. */
#include "../common/unit.h"

#include <errno.h>
#include <fcntl.h>

#include "../../suite/fact.h"
#include "../../suite/gun.h"
#include "../../suite/team.h"

#include "common/err.h"
#include "common/hist.h"

static int saved = -1;
static FILE *file;

/* Redirects fd 3 into a file for a test. */
static int set_up(void **state)
{
	(void)state;
	saved = fcntl(FACT_FD, F_DUPFD, 100);
	file = tmpfile();
	assert_non_null(file);
	assert_int_equal(dup2(fileno(file), FACT_FD), FACT_FD);
	return 0;
}

static int tear_down(void **state)
{
	(void)state;
	if (saved >= 0)
		dup2(saved, FACT_FD);
	if (fileno(file) != FACT_FD) /* it was the free one */
		fclose(file);
	return 0;
}

/* The next line as it stands, parsed into l; 0 at the end. */
static int next(struct kv_line *l)
{
	char line[512];

	if (!fgets(line, sizeof(line), file))
		return 0;
	assert_true(strlen(line) <= FACT_MAX + 1);
	assert_int_equal(line[strlen(line) - 1], '\n');
	assert_int_equal(kv_parse(l, line, strlen(line)), 0);
	return 1;
}

static void test_lines(void **state)
{
	static struct kv_line l;

	(void)state;
	fact_rate("write", 5, 7);
	fact_phase("read", 1000);
	fact_u64("cpus", 2);
	assert_int_equal(fact_skip("no %s", "disk"), EXIT_SKIP);
	assert_int_equal(fact_fail("%s", "bad\n=%"), EXIT_FAIL);
	rewind(file);
	assert_true(next(&l));
	assert_string_equal(l.word, "metric");
	assert_string_equal(kv_get(&l, "ns"), "7");
	assert_true(next(&l));
	assert_string_equal(kv_get(&l, "quiet_ms"), "1000");
	assert_true(next(&l));
	assert_string_equal(kv_get(&l, "cpus"), "2");
	assert_true(next(&l));
	assert_string_equal(l.word, "skip");
	assert_string_equal(kv_get(&l, "reason"), "no disk");
	assert_true(next(&l));
	assert_string_equal(kv_get(&l, "reason"), "bad\n=%");
	assert_false(next(&l));
}

static void test_long(void **state)
{
	static struct kv_line l;
	char text[300], joined[400] = "";
	unsigned n = 0;

	(void)state;
	for (size_t i = 0; i + 1 < sizeof(text); i++)
		text[i] = i % 7 ? (char)('a' + i % 26) : ' ';
	text[sizeof(text) - 1] = 0;
	fact_str("options", text);
	fact_note("%s", text);
	rewind(file);
	while (next(&l) && !strcmp(l.word, "fact")) {
		assert_string_equal(kv_get(&l, "text"), "options");
		strcat(joined, kv_get(&l, "data"));
		n++;
	}
	assert_true(n > 3);
	assert_string_equal(joined, text);
	assert_string_equal(l.word, "note"); /* cut, not lost */
	assert_false(next(&l));
}

static void test_too_long(void **state)
{
	static struct kv_line l;
	char text[200];
	struct fact f;

	(void)state;
	memset(text, 'x', sizeof(text) - 1);
	text[sizeof(text) - 1] = 0;
	fact_open(&f, "fact");
	kv_out_str(&f.o, "a", "b");
	kv_out_str(&f.o, "c", text);
	fact_send(&f);
	rewind(file);
	assert_true(next(&l));
	assert_string_equal(l.word, "note");
	assert_false(next(&l));
}

/* Every bucket comes back, from lines within the limit. */
static void test_hist(void **state)
{
	static struct kv_line l;
	static struct hist h, back;
	unsigned lines = 0, parts = 0, last = 0, alone = 0;

	(void)state;
	for (uint64_t i = 0; i < 4000; i++)
		hist_add(&h, i * i * 7919 % 90000000);
	fact_hist("wake", &h);
	rewind(file);
	while (next(&l)) {
		uint64_t v;
		char want[24];

		assert_string_equal(l.word, "hist");
		assert_string_equal(kv_get(&l, "name"), "wake");
		if (!lines++) {
			assert_int_equal(kv_u64(&l, "n", &back.n), 0);
			assert_int_equal(kv_u64(&l, "sum", &back.sum), 0);
			assert_int_equal(kv_u64(&l, "min", &back.min), 0);
			assert_int_equal(kv_u64(&l, "max", &back.max), 0);
			assert_int_equal(kv_u64(&l, "parts", &v), 0);
			parts = (unsigned)v;
			continue;
		}
		snprintf(want, sizeof(want), "%u/%u", lines - 1, parts);
		assert_string_equal(kv_get(&l, "part"), want);
		for (const char *p = kv_get(&l, "b"); p; p = strchr(p, ',')) {
			unsigned index, count;

			p += *p == ',';
			if (sscanf(p, "%u:%u", &index, &count) == 1) { /* of the bucket behind the last one */
				assert_ptr_not_equal(p, kv_get(&l, "b"));
				count = index;
				index = last + 1;
				alone++;
			}
			last = index;
			back.bucket[index] = count;
		}
	}
	assert_int_equal(lines, parts + 1);
	assert_true(parts > 1);
	assert_true(alone > 0);
	assert_memory_equal(&h, &back, sizeof(h));
}

static int work(void *data) { return gun_worker_wait(data) ? EXIT_FAIL : EXIT_OK; }

static int die(void *data)
{
	(void)data;
	return EXIT_FAIL;
}

static void test_gun(void **state)
{
	static struct team t;
	struct gun g;

	(void)state;
	assert_int_equal(gun_init(&g), 0);
	for (int i = 0; i < 5; i++)
		assert_int_equal(team_add(&t, work, &g), 0);
	assert_int_equal(gun_wait_ready(&g, 5), 0);
	assert_int_equal(gun_fire(&g, 5), 0);
	assert_int_equal(team_join(&t), 0);
	gun_close(&g);
}

static void test_gun_dead(void **state)
{
	static struct team t;
	struct gun g;

	(void)state;
	assert_int_equal(gun_init(&g), 0);
	assert_int_equal(team_add(&t, work, &g), 0);
	assert_int_equal(team_add(&t, die, &g), 0);
	assert_int_equal(gun_wait_ready(&g, 2), -EPIPE);
	gun_close(&g); /* the one that waits ends too, by end of file */
	assert_int_equal(team_join(&t), 2);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup_teardown(test_lines, set_up, tear_down),
		cmocka_unit_test_setup_teardown(test_long, set_up, tear_down),
		cmocka_unit_test_setup_teardown(test_too_long, set_up, tear_down),
		cmocka_unit_test_setup_teardown(test_hist, set_up, tear_down),
		cmocka_unit_test(test_gun),
		cmocka_unit_test(test_gun_dead),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
