/* SPDX-License-Identifier: GPL-2.0-or-later */
/* order: what is an order, what is an answer, and what is neither. */
#include "../common/unit.h"

#include <errno.h>

#include "common/kv.h"
#include "host/order.h"

static void test_there_and_back(void **state)
{
	static const struct order orders[] = {{.word = ORDER_PAUSE}, {ORDER_PAUSE, "to look: 100 %"}, {.word = ORDER_RESUME}, {.word = ORDER_STATE}};
	struct order_state s = {.paused = 1,
	                        .changed = 1,
	                        .since_ms = 1700000000123,
	                        .reason = "why",
	                        .held = 1,
	                        .line = 17,
	                        .going = 3,
	                        .port = 65535,
	                        .addr = "192.168.100.255"},
			   t;
	char text[ORDER_MAX];
	struct order o;
	long n;

	(void)state;
	for (size_t i = 0; i < sizeof orders / sizeof *orders; i++) {
		n = order_format(&orders[i], text, sizeof text);
		assert_true(n > 0 && text[n - 1] == '\n');
		assert_int_equal(order_parse(&o, text, (size_t)n), 0);
		assert_memory_equal(&o, &orders[i], sizeof o);
		assert_int_equal(order_parse(&o, text, (size_t)n - 1), 0);
	}
	n = order_state_format(&s, text, sizeof text);
	assert_true(n > 0);
	assert_int_equal(order_state_parse(&t, text, (size_t)n), 0);
	assert_int_equal(t.since_ms, s.since_ms);
	assert_string_equal(t.addr, s.addr);
	assert_string_equal(t.reason, s.reason);
	assert_true(t.paused && t.changed && t.held && t.line == 17 && t.going == 3 && t.port == 65535);
	s = (struct order_state){0};
	n = order_state_format(&s, text, sizeof text);
	assert_int_equal(order_state_parse(&t, text, (size_t)n), 0);
	assert_false(t.paused || t.held || *t.addr);
	assert_int_equal(order_parse(&o, text, (size_t)n), -EINVAL);
}

/* The longest reason, each byte of it escaped, fits. */
static void test_longest(void **state)
{
	struct order o = {.word = ORDER_PAUSE}, back;
	struct order_state s = {.since_ms = UINT64_MAX, .line = PLAN_TRIES_MAX, .going = PLAN_TRIES_MAX, .port = 65535, .addr = "255.255.255.255"};
	char text[ORDER_MAX];
	long n;

	(void)state;
	memset(o.reason, '%', JOURNAL_REASON_MAX);
	memcpy(s.reason, o.reason, sizeof s.reason);
	n = order_format(&o, text, sizeof text);
	assert_int_equal(order_parse(&back, text, (size_t)n), 0);
	assert_string_equal(back.reason, o.reason);
	assert_true(order_state_format(&s, text, sizeof text) > 0);
	o.reason[3] = '\n';
	assert_int_equal(order_format(&o, text, sizeof text), -EINVAL);
	o.word = 9;
	assert_int_equal(order_format(&o, text, sizeof text), -EINVAL);
	o = (struct order){.word = ORDER_STATE};
	assert_true(order_format(&o, text, 10) < 0);
}

static int parse(const char *pairs)
{
	char text[ORDER_MAX + 600];
	struct kv_out k;
	struct order o;

	kv_out_init(&k, text, sizeof text);
	kv_out_raw(&k, pairs);
	kv_out_crc(&k, 0);
	return order_parse(&o, text, k.len);
}

static void test_no_orders(void **state)
{
	static const char *const no[] = {"order",
	                                 "order word=",
	                                 "order word=stop",
	                                 "orders word=pause",
	                                 "word=pause",
	                                 "order word=pause reason=a%0Ab",
	                                 "order word=pause reason=%FF",
	                                 "kd1 00000001 1 1 ask",
	                                 "pause"};
	char text[ORDER_MAX + 400] = "order word=pause reason=";
	struct order o;

	(void)state;
	assert_int_equal(parse("order word=pause reason=ok later=1"), 0);
	for (size_t i = 0; i < sizeof no / sizeof *no; i++)
		if (!parse(no[i]))
			fail_msg("'%s' is obeyed", no[i]);
	memset(text + strlen(text), 'a', JOURNAL_REASON_MAX + 1);
	assert_int_equal(parse(text), -EINVAL);
	memset(text + strlen(text), 'a', ORDER_MAX);
	assert_int_equal(parse(text), -EINVAL);
	assert_int_equal(order_parse(&o, "", 0), -EINVAL);
	assert_int_equal(order_parse(&o, "order word=resume", 17), -EINVAL);
}

static void test_addresses(void **state)
{
	static const char *const yes[] = {"0.0.0.0", "10.0.2.15", "255.255.255.255"};
	static const char *const no[] = {"",           "10.0.2",  "10.0.2.", "10.0.2.256", "10.0.2.15 ", "-oProxyCommand=x", "10.0.2.15.1",
	                                 "1000.0.0.1", "a.b.c.d", "10..2.15"};

	(void)state;
	for (size_t i = 0; i < sizeof yes / sizeof *yes; i++)
		assert_true(order_is_addr(yes[i]));
	for (size_t i = 0; i < sizeof no / sizeof *no; i++)
		if (order_is_addr(no[i]))
			fail_msg("'%s' is an address", no[i]);
}

int main(void)
{
	const struct CMUnitTest tests[] = {cmocka_unit_test(test_there_and_back), cmocka_unit_test(test_longest), cmocka_unit_test(test_no_orders),
	                                   cmocka_unit_test(test_addresses)};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
