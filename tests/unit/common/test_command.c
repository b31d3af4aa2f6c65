/* SPDX-License-Identifier: GPL-2.0-or-later */
/* command: what the station says, through a noisy line, whole or not at all. */
#include "unit.h"

#include <errno.h>

#include "common/command.h"

static int parse_with_crc(struct command *c, const char *body)
{
	char buf[512];
	struct kv_out o;

	kv_out_init(&o, buf, sizeof(buf));
	kv_out_raw(&o, body);
	kv_out_crc(&o, 0);
	assert_int_equal(o.err, 0);
	return command_parse(c, buf, o.len);
}

static void check_round_trip(const struct command *c)
{
	char out[COMMAND_MAX + 8], noisy[2 * COMMAND_MAX];
	struct command back;
	long n = command_format(c, out, sizeof(out));

	assert_true(n > 0);
	assert_int_equal(strlen(out), n);
	assert_int_equal(strncmp(out, "\r\nkd1 ", 6), 0);
	assert_string_equal(out + n - 2, "\r\n");
	assert_int_equal(command_parse(&back, out, (size_t)n), 0);
	assert_int_equal(back.tag, c->tag);
	assert_int_equal(back.verb, c->verb);
	assert_int_equal(back.line, c->line);
	assert_int_equal(back.next_tag, c->next_tag);
	assert_int_equal(back.ssh, c->ssh);
	assert_string_equal(back.what, c->what);
	snprintf(noisy, sizeof(noisy), "\xff\r\nkd1 torn kd1 0%s", out);
	assert_int_equal(command_parse(&back, noisy, strlen(noisy)), 0);
	assert_int_equal(back.tag, c->tag);
	for (long size = 0; size <= n; size++)
		assert_int_equal(command_format(c, noisy, (size_t)size), -EMSGSIZE);
	for (long cut = 0; cut < n - 2; cut++)
		assert_int_equal(command_parse(&back, out, (size_t)cut), -EBADMSG);
	for (long i = 2; i < n - 2; i++) {
		char old = out[i];

		for (int bit = 0; bit < 8; bit++) {
			out[i] = (char)(old ^ 1 << bit);
			assert_int_equal(command_parse(&back, out, (size_t)n), -EBADMSG);
		}
		out[i] = old;
	}
}

static void test_round_trip(void **state)
{
	struct command c = {.tag = 0x12ab34cd, .verb = COMMAND_OK};

	(void)state;
	check_round_trip(&c);
	c.line = 7;
	check_round_trip(&c);
	c.line = 0;
	c.verb = COMMAND_HOLD;
	check_round_trip(&c);
	c.ssh = 1;
	check_round_trip(&c);
	c.ssh = 0;
	c.verb = COMMAND_GO;
	c.line = 4096;
	c.next_tag = 0x7fffffff;
	check_round_trip(&c);
	c = (struct command){.tag = 0xfedcba98, .verb = COMMAND_AGAIN, .what = "17-19,42"};
	check_round_trip(&c);
}

static void test_refused(void **state)
{
	static const char *const bad[] = {
		"kd1 00000001 reboot",
		"kd1 00000001 go",
		"kd1 00000001 go line=1",
		"kd1 00000001 go line=0 tag=00000002",
		"kd1 00000001 go line=4097 tag=00000002",
		"kd1 00000001 go line=x tag=00000002",
		"kd1 00000001 go line=1 tag=2",
		"kd1 00000001 hold ssh=2",
		"kd1 00000001 again",
		"kd1 00000001 again what=",
		"kd1 00000001 again what=1-",
		"kd1 00000001 again what=3,1",
		"kd1 0000001 ok",
		"kd1 0000000G ok",
		"kd1 00000001 ",
		"kd1 00000001 a=1",
		"kd1 00000001",
		"kd1 00000001xok",
		"kd1 00000001 ok ok",
	};
	struct command c;

	(void)state;
	for (size_t i = 0; i < sizeof(bad) / sizeof(bad[0]); i++)
		if (parse_with_crc(&c, bad[i]) != -EINVAL || c.verb)
			fail_msg("not refused: %s", bad[i]);
	assert_int_equal(parse_with_crc(&c, "kd1 00000001 ok new=1"), 0); /* a newer station may say more */
	assert_int_equal(parse_with_crc(&c, "nothing here"), -EBADMSG);
	assert_int_equal(command_parse(&c, "", 0), -EBADMSG);
}

static void test_format_refused(void **state)
{
	struct command c = {.tag = 1};
	char out[COMMAND_MAX];

	(void)state;
	assert_int_equal(command_format(&c, out, sizeof(out)), -EINVAL);
	c.verb = COMMAND_GO;
	assert_int_equal(command_format(&c, out, sizeof(out)), -EINVAL);
	c.verb = COMMAND_AGAIN;
	assert_int_equal(command_format(&c, out, sizeof(out)), -EINVAL);
	memset(c.what, '1', sizeof(c.what));
	assert_int_equal(command_format(&c, out, sizeof(out)), -EINVAL);
}

/* However much noise stands before it, it is bounded what is looked at, and the command is found. */
static void test_much_noise(void **state)
{
	struct command c = {.tag = 9, .verb = COMMAND_OK};
	size_t size = 100000;
	char *s = malloc(size);
	long n;

	(void)state;
	assert_non_null(s);
	for (size_t i = 0; i + 4 <= size; i += 4)
		memcpy(s + i, "kd1 ", 4);
	n = command_format(&c, s + size - 64, 64);
	assert_true(n > 0);
	c.tag = 0;
	assert_int_equal(command_parse(&c, s, size - 64 + (size_t)n), 0);
	assert_int_equal(c.tag, 9);
	assert_int_equal(command_parse(&c, s, size - 64), -EBADMSG);
	free(s);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_round_trip),
		cmocka_unit_test(test_refused),
		cmocka_unit_test(test_format_refused),
		cmocka_unit_test(test_much_noise),
	};

	return cmocka_run_group_tests_name("command", tests, NULL, NULL);
}
