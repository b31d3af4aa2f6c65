/* SPDX-License-Identifier: GPL-2.0-or-later */
/* uart: names and speeds; and that what is no port is refused before any register is touched. */
#include "unit.h"

#include <errno.h>

#include "common/uart.h"

static void test_port(void **state)
{
	(void)state;
	assert_int_equal(uart_port("ttyS0"), 0x3f8);
	assert_int_equal(uart_port("ttyS1"), 0x2f8);
	assert_int_equal(uart_port("ttyS2"), 0x3e8);
	assert_int_equal(uart_port("ttyS3"), 0x2e8);
	assert_int_equal(uart_port("ttyS4"), 0);
	assert_int_equal(uart_port("ttyS10"), 0);
	assert_int_equal(uart_port("ttyS"), 0);
	assert_int_equal(uart_port("ttyAMA0"), 0);
	assert_int_equal(uart_port(""), 0);
}

static void test_divisor(void **state)
{
	(void)state;
	assert_int_equal(uart_divisor(115200), 1);
	assert_int_equal(uart_divisor(57600), 2);
	assert_int_equal(uart_divisor(38400), 3);
	assert_int_equal(uart_divisor(9600), 12);
	assert_int_equal(uart_divisor(2), 57600);
	assert_int_equal(uart_divisor(1), 0); /* 17 bits */
	assert_int_equal(uart_divisor(0), 0);
	assert_int_equal(uart_divisor(230400), 0);
}

static void test_refuses(void **state)
{
	struct uart u = {.port = 1};
#if defined(__i386__) || defined(__x86_64__)
	const int want = -EINVAL;
#else
	const int want = -ENOSYS;
#endif

	(void)state;
	assert_int_equal(uart_open(&u, "ttyUSB0", 115200), want);
	assert_int_equal(u.port, 0);
	assert_int_equal(uart_open(&u, "ttyS0", 230400), want);
	assert_int_equal(u.port, 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_port),
		cmocka_unit_test(test_divisor),
		cmocka_unit_test(test_refuses),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
