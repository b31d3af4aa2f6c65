/* SPDX-License-Identifier: GPL-2.0-or-later */
/* modules: what the command line says for a module, and who has the watchdog. */
#include "../common/unit.h"

#include "init/modules.h"

static char out[40];

static const char *params(const char *cmdline, const char *file)
{
	modules_params(cmdline, file, out, sizeof(out));
	return out;
}

static void test_params(void **state)
{
	static const char line[] =
		"quiet watchdog.stop_on_reboot=0 kd.box=x i6300esb.heartbeat=20 i6300esb.nowayout watchdogs.x=1 watchdog=1 watchdog.\n";

	(void)state;
	assert_string_equal(params(line, "watchdog.ko"), "stop_on_reboot=0");
	assert_string_equal(params(line, "i6300esb.ko"), "heartbeat=20 nowayout");
	assert_string_equal(params(line, "softdog.ko"), "");
	assert_string_equal(params("virtio-net.napi_tx=0", "virtio_net.ko"), "napi_tx=0");
	assert_string_equal(params("virtio_net.napi_tx=0", "virtio-net.ko"), "napi_tx=0");
	assert_string_equal(params("", "a.ko"), "");
	assert_string_equal(params(".x=1 a.y=2", ".ko"), "");
	/* what does not fit is left out whole */
	assert_string_equal(params("a.b=1 a.long=0123456789012345678901234567890123456789 a.c=2", "a.ko"), "b=1 c=2");
}

static void test_misc(void **state)
{
	(void)state;
	assert_true(modules_have_watchdog("236 device-mapper\n130 watchdog\n  1 psaux\n"));
	assert_false(modules_have_watchdog("236 device-mapper\n 13 x\n"));
	assert_false(modules_have_watchdog(""));
	assert_false(modules_have_watchdog("watchdog 130\n\n"));
}

int main(void)
{
	const struct CMUnitTest tests[] = {cmocka_unit_test(test_params), cmocka_unit_test(test_misc)};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
