/* SPDX-License-Identifier: GPL-2.0-or-later */
/* initcall: lines of kernels old and new, and a log whose beginning is lost. */
#include "../common/unit.h"

#include <errno.h>

#include "../../suite/initcall.h"

static int parse(const char *line, struct initcall *c) { return initcall_parse(line, strlen(line), c); }

static void test_lines(void **state)
{
	struct initcall c;

	(void)state;
	assert_int_equal(parse("<7>[    0.293452] initcall pci_subsys_init+0x0/0x120 returned 0 after 12345 usecs", &c), 0);
	assert_string_equal(c.name, "pci_subsys_init");
	assert_int_equal(c.us, 12345);
	assert_int_equal(c.returned, 0);
	assert_int_equal(parse("<7>[    1.1][    T1] initcall virtio_net_driver_init+0x0/0x1000 [virtio_net] returned -19 after 7 usecs ", &c), 0);
	assert_string_equal(c.name, "virtio_net_driver_init");
	assert_int_equal(c.returned, -19);
	assert_int_equal(parse("initcall acpi_init+0x0/0x2c0 returned 0 after 41 msecs", &c), 0);
	assert_int_equal(c.us, 41000);
	assert_int_equal(parse("calling  pci_subsys_init+0x0/0x120 @ 1", &c), -EINVAL);
	assert_int_equal(parse("initcall x+0x0/0x1 returned 0 after usecs", &c), -EINVAL);
	assert_int_equal(parse("initcall x+0x0/0x1 returned 0 after 5 hours", &c), -EINVAL);
	assert_int_equal(parse("initcall x+0x0/0x1 returned ", &c), -EINVAL);
	assert_int_equal(parse("initcall +0x0/0x1 returned 0 after 5 usecs", &c), -EINVAL);
	assert_int_equal(parse("initcall x returned 99999999999999999999999 after 5 usecs", &c), -EINVAL);
	assert_int_equal(parse("initcall ", &c), -EINVAL);
	assert_int_equal(parse("", &c), -EINVAL);
}

static void test_long_name(void **state)
{
	char line[300] = "initcall ";
	struct initcall c;

	(void)state;
	memset(line + 9, 'n', 200);
	strcpy(line + 209, "+0x0/0x1 returned 0 after 5 usecs");
	assert_int_equal(parse(line, &c), 0);
	assert_int_equal(strlen(c.name), INITCALL_NAME_MAX - 1);
}

static void test_log(void **state)
{
	static const char log[] = "<5>[    0.000000] Linux version 6.1.0 (x)\n"
				  "<7>[    0.1] calling  a+0x0/0x1 @ 1\n"
				  "<7>[    0.1] initcall a+0x0/0x1 returned 0 after 5 usecs\n"
				  "<7>[    0.1] initcall b+0x0/0x1 returned -19 after 50 usecs\n"
				  "<7>[    0.1] initcall c+0x0/0x1 returned 0 after 20 usecs\n"
				  "<7>[    0.1] initcall d+0x0/0x1 returned 0 after 30 usecs";
	struct initcalls all;

	(void)state;
	initcalls_read(&all, log, sizeof(log) - 1, 3);
	assert_int_equal(all.count, 4);
	assert_int_equal(all.failed, 1);
	assert_int_equal(all.sum_us, 105);
	assert_true(all.whole);
	assert_int_equal(all.n, 3);
	assert_string_equal(all.top[0].name, "b");
	assert_string_equal(all.top[1].name, "d");
	assert_string_equal(all.top[2].name, "c");
	initcalls_read(&all, log + 50, sizeof(log) - 51, 1000);
	assert_false(all.whole);
	assert_int_equal(all.max, INITCALL_TOP_MAX);
	initcalls_read(&all, "", 0, 3);
	assert_int_equal(all.count, 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_lines),
		cmocka_unit_test(test_long_name),
		cmocka_unit_test(test_log),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
