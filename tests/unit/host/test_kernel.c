/* SPDX-License-Identifier: GPL-2.0-or-later */
/* kernel: setup headers, configs, paths of packages, facts; and the apt lines they are fetched by. */
#include "../common/unit.h"

#include <errno.h>

#include "host/apt.h"
#include "host/kernel.h"
#include "kernel_fixture.h"

static unsigned char image[FIXTURE_IMAGE_BYTES];
static char err[200];

static int parse(struct kernel *k, uint64_t bytes)
{
	memset(k, 0, sizeof *k);
	return kernel_image_parse(k, image, sizeof image, bytes, err, sizeof err);
}

static void test_image(void **state)
{
	struct kernel k;
	(void)state;
	fixture_image(image);
	assert_int_equal(parse(&k, sizeof image), 0);
	assert_string_equal(k.release, "6.9.0-test");
	assert_string_equal(k.version, "#1 SMP Sat Feb 3 2026");
	assert_string_equal(k.arch, "x86_64");
	image[0x236] = 0;
	assert_int_equal(parse(&k, sizeof image), 0);
	assert_string_equal(k.arch, "i386");
	strcpy((char *)image + 0x400, "2.4.24");
	assert_int_equal(parse(&k, sizeof image), 0);
	assert_string_equal(k.release, "2.4.24");
	assert_string_equal(k.version, "");
}

static void test_image_refused(void **state)
{
	struct kernel k;
	(void)state;
	fixture_image(image);
	assert_int_equal(parse(&k, sizeof image - 100), -EINVAL);
	assert_non_null(strstr(err, "truncated"));
	assert_int_equal(kernel_image_parse(&k, image, 0x200, 0x200, err, sizeof err), -EINVAL);
	image[0x20e] = image[0x20f] = 0;
	assert_int_equal(parse(&k, sizeof image), -EINVAL);
	image[0x20f] = 0xff;
	assert_int_equal(parse(&k, sizeof image), -EINVAL);
	fixture_image(image);
	memset(image + 0x400, 'a', sizeof image - 0x400); /* no end */
	assert_int_equal(parse(&k, sizeof image), -EINVAL);
	memcpy(image + 0x202, "XXXX", 4);
	assert_int_equal(parse(&k, sizeof image), -EINVAL);
	assert_non_null(strstr(err, "no bzImage"));
	fixture_image(image);
	strcpy((char *)image + 0x400, "6.1\033[2J #1");
	assert_int_equal(parse(&k, sizeof image), -EINVAL);
}

static void config(struct kernel *k, const char *release, const char *text)
{
	memset(k, 0, sizeof *k);
	strcpy(k->release, release);
	strcpy(k->arch, "i386");
	kernel_config_parse(k, text, text ? strlen(text) : 0);
}

static void test_config(void **state)
{
	struct kernel k;
	(void)state;
	config(&k, "6.1.0",
	       "# CONFIG_RD_BZIP2 is not set\nCONFIG_X86_64=y\nCONFIG_BLK_DEV_INITRD=y\nCONFIG_RD_GZIP=y\nCONFIG_RD_ZSTD=y\nCONFIG_KEXEC=y\n");
	assert_string_equal(k.initrd, "initramfs");
	assert_string_equal(k.compression, "gzip,zstd");
	assert_string_equal(k.kexec, "yes");
	assert_string_equal(k.kexec_file, "no");
	assert_string_equal(k.arch, "x86_64");
	/* The public kernel that knows no gzip. */
	config(&k, "6.1.0", "CONFIG_BLK_DEV_INITRD=y\n# CONFIG_RD_GZIP is not set\n");
	assert_string_equal(k.compression, "none");
	config(&k, "2.6.20", "CONFIG_BLK_DEV_INITRD=y\n");
	assert_string_equal(k.compression, "gzip");
	config(&k, "2.4.24", "CONFIG_BLK_DEV_INITRD=y\n");
	assert_string_equal(k.initrd, "legacy");
	config(&k, "6.1.0", "# CONFIG_BLK_DEV_INITRD is not set\n");
	assert_string_equal(k.initrd, "none");
	config(&k, "6.1.0", "CONFIG_KEXEC_FILE=y");
	assert_string_equal(k.kexec, "no");
	assert_string_equal(k.kexec_file, "yes");
	config(&k, "6.1.0", NULL);
	assert_string_equal(k.initrd, "unknown");
	assert_string_equal(k.compression, "gzip");
	assert_string_equal(k.kexec, "unknown");
	/* What its age says without a config. */
	config(&k, "2.4.24", NULL);
	assert_string_equal(k.initrd, "unknown");
	assert_string_equal(k.compression, "none");
	assert_string_equal(k.kexec, "no");
	assert_string_equal(k.kexec_file, "no");
	assert_int_equal(kernel_is_legacy(&k), 1);
	config(&k, "2.6.34", NULL);
	assert_string_equal(k.compression, "gzip");
	assert_string_equal(k.kexec, "unknown");
	assert_string_equal(k.kexec_file, "no");
	assert_int_equal(kernel_is_legacy(&k), 0);
}

static void path_is(const char *path, enum kernel_part part, const char *release, const char *rest)
{
	struct kernel_path p;
	kernel_path_parse(&p, path);
	assert_int_equal(p.part, part);
	if (part != KERNEL_OTHER)
		assert_string_equal(p.release, release);
	if (part == KERNEL_MODULE)
		assert_string_equal(p.rest, rest);
}

static void test_paths(void **state)
{
	(void)state;
	path_is("boot/vmlinuz-6.1.0", KERNEL_VMLINUZ, "6.1.0", NULL);
	path_is("./boot/config-6.1.0", KERNEL_CONFIG, "6.1.0", NULL);
	path_is("lib/modules/6.1.0/kernel/fs/x.ko", KERNEL_MODULE, "6.1.0", "kernel/fs/x.ko");
	path_is("/usr/lib/modules/7.2/kernel/fs/x.ko.xz", KERNEL_MODULE, "7.2", "kernel/fs/x.ko.xz");
	path_is("usr/lib/modules/7.2/vmlinuz", KERNEL_VMLINUZ, "7.2", NULL);
	path_is("usr/lib/modules/7.2/config", KERNEL_CONFIG, "7.2", NULL);
	path_is("usr/lib/modules/7.2/System.map", KERNEL_OTHER, NULL, NULL);
	path_is("usr/lib/modules/7.2/vdso/vdso64.so", KERNEL_OTHER, NULL, NULL);
	path_is("lib/modules/../../etc/passwd", KERNEL_OTHER, NULL, NULL);
	path_is("lib/modules/6.1/../x.ko", KERNEL_OTHER, NULL, NULL);
	path_is("lib/modules/../x.ko", KERNEL_OTHER, NULL, NULL);
	path_is("lib/modules/6.1", KERNEL_OTHER, NULL, NULL);
	path_is("boot/vmlinuz-", KERNEL_OTHER, NULL, NULL);
	path_is("boot/vmlinuz-6.1/x", KERNEL_OTHER, NULL, NULL);
	path_is("usr/share/doc/x", KERNEL_OTHER, NULL, NULL);
	path_is("", KERNEL_OTHER, NULL, NULL);
}

static void test_facts(void **state)
{
	struct kernel k = {.id = "a",
	                   .release = "6.1",
	                   .version = "#1 SMP (x) %",
	                   .arch = "x86_64",
	                   .bytes = 7,
	                   .modules = 1,
	                   .initrd = "initramfs",
	                   .compression = "gzip,xz",
	                   .kexec = "yes",
	                   .kexec_file = "no",
	                   .from = "a.deb,b c.deb",
	                   .added = 9},
		      back;
	char text[4096], hex[3][65], one[65], two[65];
	(void)state;
	memset(k.sha256, 'a', 64);
	long n = kernel_format(&k, text, sizeof text);
	assert_true(n > 0);
	assert_int_equal(kernel_parse(&back, text, (size_t)n), 0);
	assert_memory_equal(&k, &back, sizeof k);
	text[20] ^= 1;
	assert_int_equal(kernel_parse(&back, text, (size_t)n), -EBADMSG);
	assert_int_equal(kernel_parse(&back, "", 0), -EBADMSG);
	assert_true(kernel_format(&k, text, 40) < 0);
	/* The order of the files does not matter, the files do. */
	for (int i = 0; i < 3; i++)
		memset(hex[i], 'a' + i, 64), hex[i][64] = 0;
	kernel_source_digest(hex, 2, one);
	char swapped[2][65];
	memcpy(swapped[0], hex[1], 65);
	memcpy(swapped[1], hex[0], 65);
	kernel_source_digest(swapped, 2, two);
	assert_string_equal(one, two);
	kernel_source_digest(hex, 3, two);
	assert_string_not_equal(one, two);
}

static void test_apt(void **state)
{
	static const char stanza[] = "Package: linux-image-7.2+deb14-amd64\nVersion: 7.2-1\nArchitecture: amd64\nPre-Depends: linux-base (>= 4)\n"
				     "Depends: dracut | initramfs-tools (>= 1), linux-base-7.2+deb14-amd64 (= 7.2-1), linux-binary-7.2+deb14-amd64 "
				     "(= 7.2-1), kmod:any\nSize: 1916\n"
				     "SHA256: 03e41f1c34c16583462f029e81944a85ebcdb78098c258dedfa1cfdd680a27f8\n\nPackage: other\n";
	struct apt_package p;
	char name[128], version[96];
	(void)state;
	assert_int_equal(apt_parse(&p, stanza, sizeof stanza - 1), 0);
	assert_string_equal(p.name, "linux-image-7.2+deb14-amd64");
	assert_int_equal(p.bytes, 1916);
	const char *d = p.depends;
	assert_int_equal(apt_next_dependency(&d, name, version), 1);
	assert_string_equal(name, "dracut");
	assert_string_equal(version, "");
	assert_int_equal(apt_next_dependency(&d, name, version), 1);
	assert_string_equal(name, "linux-base-7.2+deb14-amd64");
	assert_string_equal(version, "7.2-1");
	assert_int_equal(apt_next_dependency(&d, name, version), 1);
	assert_int_equal(apt_next_dependency(&d, name, version), 1);
	assert_string_equal(name, "kmod");
	assert_int_equal(apt_next_dependency(&d, name, version), 0);
	assert_int_equal(apt_parse(&p, "", 0), -ENOENT);
	assert_int_equal(apt_parse(&p, "Package: x\nVersion: 1\n", 22), -EINVAL);
	assert_true(apt_is_kernel("linux-image-6.1.0-57-cloud-amd64") && apt_is_kernel("linux-modules-7.2") && apt_is_kernel("linux-base-7.2"));
	assert_false(apt_is_kernel("linux-base") || apt_is_kernel("linux-image-cloud-amd64") || apt_is_kernel("linux-base-cloud-amd64"));
	assert_false(apt_is_kernel("linux-headers-7.2") || apt_is_kernel("linux-image-"));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_image), cmocka_unit_test(test_image_refused), cmocka_unit_test(test_config),
		cmocka_unit_test(test_paths), cmocka_unit_test(test_facts),         cmocka_unit_test(test_apt),
	};
	return cmocka_run_group_tests_name("kernel", tests, NULL, NULL);
}
