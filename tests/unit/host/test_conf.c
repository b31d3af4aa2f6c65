/* SPDX-License-Identifier: GPL-2.0-or-later */
/* conf: INI files, strictly: what is taken, what is refused and in which line. */
#include "../common/unit.h"

#include <errno.h>

#include "host/conf.h"

static const char *const keys[] = {"name", "size", "list", NULL};
static const struct conf_known known[] = {{"box", 0, keys}, {"metric ", 1, keys}, {"args", 0, NULL}, {NULL, 0, NULL}};
static struct conf_error e;

static int parse(struct conf *c, const char *text)
{
	int err = conf_parse(c, text, strlen(text), &e);
	return err ? err : conf_check(c, known, &e);
}

static void refused(const char *text, unsigned line, const char *says)
{
	struct conf c;
	assert_int_equal(conf_parse(&c, text, strlen(text), &e) ? -EINVAL : conf_check(&c, known, &e), -EINVAL);
	if (!strstr(e.text, says))
		fail_msg("'%s' does not say '%s'", e.text, says);
	assert_int_equal(e.line, line);
	conf_free(&c);
}

static void test_taken(void **state)
{
	struct conf c;
	(void)state;
	assert_int_equal(parse(&c, "; remark\n[box]\nname = a b ; behind\nlist = a,\n\tb\n  c\n\n[metric x.y]\nsize=3\r\n[args]\nany_1 = v"), 0);
	assert_int_equal(c.n, 4);
	assert_string_equal(conf_get(&c, "box", "name")->value, "a b");
	assert_string_equal(conf_get(&c, "box", "list")->value, "a, b c");
	assert_int_equal(conf_get(&c, "box", "list")->line, 4);
	assert_string_equal(conf_get(&c, "metric x.y", "size")->value, "3");
	assert_string_equal(conf_get(&c, "args", "any_1")->value, "v");
	assert_null(conf_get(&c, "box", "size"));
	conf_free(&c);
	assert_int_equal(parse(&c, ""), 0);
	conf_free(&c);
}

static void test_refused(void **state)
{
	char text[400];
	(void)state;
	refused("[box]\nnam = x\n", 2, "did you mean 'name'");
	refused("[bo]\nname = x\n", 2, "did you mean [box]");
	refused("name = x\n", 1, "before any [section]");
	refused("[box]\nname = x\nname = y\n", 3, "stands twice");
	refused("[box]\nname\n", 2, "neither");
	refused("[box\nname = 1\n", 1, "neither");
	refused("[metric ]\nname = x\n", 2, "unknown section");
	refused("[args]\nsp ace = x\n", 2, "no name");
	memset(text, 'a', sizeof text);
	memcpy(text, "[box]\nname = ", 13);
	strcpy(text + 250, "\n");
	refused(text, 2, "too long");
	memset(text, 's', sizeof text);
	text[0] = '[';
	strcpy(text + 80, "]\nname = 1\n");
	refused(text, 1, "too long");
	refused("[box]\nname = a\033[31m\n", 2, "control characters");
	refused("[box]\nname = a\xc2\x9b\n", 2, "control characters");
	refused("[box]\n; \xff\n", 2, "not UTF-8");
	struct conf c;
	assert_int_equal(conf_parse(&c, "[box]\r\n\tname = a\tb \xc3\xa4\r\n", 23, &e), 0);
	conf_free(&c);
	assert_int_equal(conf_parse(&c, "[box]\nname = a\0b\n", 18, &e), -EINVAL);
	assert_int_equal(e.line, 2);
}

static void test_values(void **state)
{
	struct conf_entry it = {.key = "k", .line = 9};
	uint64_t v = 0;
	int on = 0;
	char small[4];
	static const struct {
		const char *text;
		uint64_t bytes;
	} good[] = {{"0", 0}, {"512", 512}, {"4K", 4096}, {"256M", 268435456}, {"256 MiB", 268435456}, {"1G", 1 << 30}, {"2TiB", 2ull << 40}};
	static const char *const bad[] = {"", "x", "-1", "1Q", "1MB", "99999999999999999999", "99999999999G", "1 2"};
	(void)state;
	for (size_t i = 0; i < sizeof good / sizeof *good; i++) {
		it.value = (char *)(uintptr_t)good[i].text;
		assert_int_equal(conf_bytes(&it, &v, &e), 0);
		assert_int_equal(v, good[i].bytes);
	}
	for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
		it.value = (char *)(uintptr_t)bad[i];
		assert_int_equal(conf_bytes(&it, &v, &e), -EINVAL);
		assert_int_equal(conf_u64(&it, 0, UINT64_MAX, &v, &e), -EINVAL);
		assert_int_equal(e.line, 9);
	}
	it.value = "7";
	assert_int_equal(conf_u64(&it, 7, 7, &v, &e), 0);
	assert_int_equal(conf_u64(&it, 8, 9, &v, &e), -EINVAL);
	assert_int_equal(conf_bool(&it, &on, &e), -EINVAL);
	it.value = "yes";
	assert_int_equal(conf_bool(&it, &on, &e), 0);
	assert_int_equal(on, 1);
	assert_int_equal(conf_copy(&it, small, sizeof small, &e), 0);
	it.value = "four";
	assert_int_equal(conf_copy(&it, small, sizeof small, &e), -EINVAL);
	char *list = conf_list(" a, b\tc,,d ");
	assert_string_equal(list, "a,b,c,d");
	free(list);
}

/* Whatever bytes come: no crash, and an error has words. */
static void test_random(void **state)
{
	static const char letters[] = "[]=;#\n \tabox.name\r\0:";
	uint32_t seed = 1;
	char text[200];
	(void)state;
	for (int n = 0; n < 3000; n++) {
		struct conf c;
		size_t len = unit_random(&seed) % sizeof text;
		for (size_t i = 0; i < len; i++)
			text[i] = letters[unit_random(&seed) % sizeof letters];
		if (conf_parse(&c, text, len, &e))
			assert_true(*e.text);
		else
			conf_free(&c);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_taken),
		cmocka_unit_test(test_refused),
		cmocka_unit_test(test_values),
		cmocka_unit_test(test_random),
	};
	return cmocka_run_group_tests_name("conf", tests, NULL, NULL);
}
