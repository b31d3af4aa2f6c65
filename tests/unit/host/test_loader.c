/* SPDX-License-Identifier: GPL-2.0-or-later */
/* loader (an entry as pxe writes it is cut as pxelinux would) and arch (which kernels an image runs under). */
#include "../common/unit.h"

#include <errno.h>

#include "host/arch.h"
#include "host/loader.h"
#include "host/pxe.h"

static void test_entry(void **state)
{
	char text[512], *kernel, *files, *cmdline;

	(void)state;
	assert_true(pxe_entry("home", "", PXE_NO_JOB, "console=ttyS0 kd.box=old KERNEL INITRD", text, sizeof(text)) > 0);
	assert_int_equal(loader_parse(text, &kernel, &files, &cmdline), 0);
	assert_string_equal(kernel, "kernel");
	assert_string_equal(files, "image,pack");
	assert_string_equal(cmdline, "console=ttyS0 kd.box=old KERNEL INITRD");
	free(kernel);
	free(files);
	free(cmdline);
}

static void test_broken(void **state)
{
	static const char *const texts[] = {"", "KERNEL", "KERNEL a\nINITRD b\n", "KERNELS a\nINITRD b\nAPPEND c\n", "\n\n\n"};

	(void)state;
	for (size_t i = 0; i < sizeof(texts) / sizeof(*texts); i++) {
		char *kernel, *files, *cmdline;

		assert_int_equal(loader_parse(texts[i], &kernel, &files, &cmdline), -EBADMSG);
		free(kernel);
		free(files);
		free(cmdline);
	}
}

static void test_arch(void **state)
{
	(void)state;
	assert_true(arch_runs_on(arch_find("i486"), "i386"));
	assert_true(arch_runs_on(arch_find("i486"), "x86_64"));
	assert_true(arch_runs_on(arch_find("x86_64"), "x86_64"));
	assert_false(arch_runs_on(arch_find("x86_64"), "i386"));
	assert_null(arch_find("vax"));
	assert_null(arch_find(""));
}

int main(void)
{
	const struct CMUnitTest tests[] = {cmocka_unit_test(test_entry), cmocka_unit_test(test_broken), cmocka_unit_test(test_arch)};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
