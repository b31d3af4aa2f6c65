/* SPDX-License-Identifier: GPL-2.0-or-later */
/* module: order of loading, what is built in, names. */
#include "../common/unit.h"

#include <errno.h>

#include "host/module.h"

static const char dep[] = "kernel/fs/nfs/nfs.ko.xz: kernel/fs/lockd/lockd.ko.xz kernel/net/sunrpc/sunrpc.ko.xz\n"
			  "kernel/fs/lockd/lockd.ko.xz: kernel/net/sunrpc/sunrpc.ko.xz\n"
			  "kernel/net/sunrpc/sunrpc.ko.xz:\n"
			  "kernel/drivers/virtio-rng.ko: kernel/drivers/rng_core.ko\n"
			  "kernel/drivers/rng_core.ko:\n"
			  "kernel/a.ko: kernel/b.ko\nkernel/b.ko: kernel/a.ko\n"
			  "kernel/lost.ko: kernel/none.ko\n"
			  "kernel/soft.ko:\n";
static const char builtin[] = "kernel/fs/ext4/ext4.ko\nkernel/drivers/virtio/virtio-pci.ko\n";
static const char softdep[] = "# remark\nsoftdep soft pre: virtio-rng crypto-alias post: nfs\n";

static void order_is(struct module_index *m, const char *want)
{
	char got[400] = "";
	for (size_t i = 0; i < m->taken; i++) {
		strcat(got, i ? " " : "");
		strcat(got, m->module[m->order[i]].name);
	}
	assert_string_equal(got, want);
}

static void test_take(void **state)
{
	struct module_index m;
	(void)state;
	assert_int_equal(module_index_read(&m, dep, builtin, softdep), 0);
	assert_int_equal(module_take(&m, "nfs"), 0);
	assert_int_equal(module_take(&m, "virtio_rng"), 0);
	assert_int_equal(module_take(&m, "virtio-rng"), 0);
	assert_int_equal(module_take(&m, "ext4"), 1);
	assert_int_equal(module_take(&m, "virtio_pci"), 1);
	assert_int_equal(module_take(&m, "i6300esb"), -ENOENT);
	order_is(&m, "sunrpc lockd nfs rng_core virtio_rng");
	module_index_free(&m);
}

static void test_odd(void **state)
{
	struct module_index m;
	(void)state;
	assert_int_equal(module_index_read(&m, dep, NULL, softdep), 0);
	assert_int_equal(module_take(&m, "ext4"), -ENOENT);
	assert_int_equal(module_take(&m, "a"), 0); /* a circle ends */
	order_is(&m, "b a");
	assert_int_equal(module_take(&m, "lost"), -ENOENT);
	assert_int_equal(module_take(&m, "soft"), 0); /* pre, but not post and no alias */
	order_is(&m, "b a rng_core virtio_rng soft");
	module_index_free(&m);
	assert_int_equal(module_index_read(&m, "", "", ""), 0);
	assert_int_equal(module_take(&m, "x"), -ENOENT);
	module_index_free(&m);
	assert_int_equal(module_index_read(&m, "no colon here\n:\n", "\n", NULL), 0);
	module_index_free(&m);
}

static void test_name(void **state)
{
	char name[MODULE_NAME_MAX];
	(void)state;
	module_name("kernel/x/crc32c-intel.ko.zst", name);
	assert_string_equal(name, "crc32c_intel");
	module_name("nfs", name);
	assert_string_equal(name, "nfs");
	module_name("a-very-long-name-of-a-module-that-does-not-fit-into-the-sixty-four-bytes-there-are", name);
	assert_int_equal(strlen(name), MODULE_NAME_MAX - 1);
}

int main(void)
{
	const struct CMUnitTest tests[] = {cmocka_unit_test(test_take), cmocka_unit_test(test_odd), cmocka_unit_test(test_name)};
	return cmocka_run_group_tests_name("module", tests, NULL, NULL);
}
