/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The text of a boot entry, and home's command line. */
#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "common/job_text.h"
#include "host/pxe.h"

static void test_entry(void **state)
{
	char out[512];
	long n = pxe_entry("home", "", PXE_NO_JOB, "console=ttyS0 kd.box=b", out, sizeof(out));

	(void)state;
	assert_int_equal(n, (long)strlen(out));
	assert_string_equal(out, "NOESCAPE 1\nPROMPT 0\nTIMEOUT 1\nTOTALTIMEOUT 50\nDEFAULT home\nLABEL home\n"
	                         "  KERNEL kernel\n  INITRD image,pack\n  APPEND console=ttyS0 kd.box=b\n");
	assert_true(pxe_entry("subject", "subject-", PXE_JOB_BEHIND, "quiet kd=00000001", out, sizeof(out)) > 0);
	assert_non_null(strstr(out, "DEFAULT subject\nLABEL subject\n  KERNEL subject-kernel\n"
	                            "  INITRD subject-image,subject-pack,subject-job\n  APPEND quiet kd=00000001\n"));
	assert_true(pxe_entry("subject", "subject-", PXE_JOB_INSIDE, "quiet kd=00000001", out, sizeof(out)) > 0);
	assert_non_null(strstr(out, "  KERNEL subject-kernel\n  INITRD subject-image\n  APPEND quiet kd=00000001\n"));
	for (size_t size = 0; size <= (size_t)n; size++)
		assert_int_equal(pxe_entry("home", "", PXE_NO_JOB, "console=ttyS0 kd.box=b", out, size), -EMSGSIZE);
}

static void test_home(void **state)
{
	struct sweep s = {.id = "s1", .plan = {.sw = PLAN_FIRMWARE, .again_s = 60, .jump_s = 120}};
	struct board b = {.name = "b1", .console_kernel = "ttyS0,9600"};
	struct ports p = {0};
	char out[2000], words[] = "quiet";

	(void)state;
	b.cmdline = words;
	p.port[PORT_HTTP] = 8001;
	p.port[PORT_NFS] = 2049;
	p.port[PORT_NFS_MOUNT] = 2050;
	assert_true(pxe_cmdline(&s, &b, &p, 0, out, sizeof(out)) > 0);
	assert_ptr_equal(strstr(out, "console=ttyS0,9600 panic=10 oops=panic nmi_watchdog=panic watchdog.stop_on_reboot=0 quiet kd.box=b1 "
	                             "kd.sweep=s1 kd.switch=firmware kd.http=10.0.2.2:8001 "),
	                 out);
	assert_null(strstr(out, "kd.nfs="));
	assert_true(pxe_cmdline(&s, &b, &p, 1, out, sizeof(out)) > 0);
	assert_non_null(strstr(out, " kd.nfs=10.0.2.2:2049,2050:/kd "));
	assert_null(strstr(out, "kd.sysrq"));
	b.sysrq = 1;
	assert_true(pxe_cmdline(&s, &b, &p, 0, out, sizeof(out)) > 0);
	assert_non_null(strstr(out, " kd.sysrq=1"));
	assert_null(strstr(out, "kd.ip="));
	strcpy(b.address, "192.168.1.7/24,192.168.1.1");
	assert_true(pxe_cmdline(&s, &b, &p, 0, out, sizeof(out)) > 0);
	assert_non_null(strstr(out, " kd.ip=192.168.1.7/24,192.168.1.1"));
	strcpy(b.address, "dhcp");
	assert_true(pxe_cmdline(&s, &b, &p, 0, out, sizeof(out)) > 0);
	assert_null(strstr(out, "kd.ip="));
	assert_int_equal(pxe_cmdline(&s, &b, &p, 1, out, 100), -EMSGSIZE);
}

/* What a loader adds is not the kernel's: the hash of a command line is the same however the kernel was started. */
static void test_own_words(void **state)
{
	(void)state;
	assert_true(job_text_own_word("kd=00000001 quiet"));
	assert_true(job_text_own_word("kd.box=x"));
	assert_true(job_text_own_word("BOOT_IMAGE=subject-kernel"));
	assert_true(job_text_own_word("initrd=a,b"));
	assert_false(job_text_own_word("quiet"));
	assert_false(job_text_own_word("kdump"));
	assert_false(job_text_own_word("noinitrd"));
}

int main(void)
{
	const struct CMUnitTest list[] = {cmocka_unit_test(test_entry), cmocka_unit_test(test_home), cmocka_unit_test(test_own_words)};

	return cmocka_run_group_tests(list, NULL, NULL);
}
