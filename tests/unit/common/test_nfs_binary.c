/* SPDX-License-Identifier: GPL-2.0-or-later */
/* nfs_binary: the struct against the kernel's own header, field by field, and which releases want it. */
#include "unit.h"

#include "common/nfs_binary.h" /* the C library's headers of addresses come before the kernel's */

#include <linux/nfs_mount.h>

static void test_wanted(void **state)
{
	static const char *const yes[] = {"2.0.36", "2.2.26", "2.4.0", "2.4.24-pre1", "2.5.70", "2.6.0", "2.6.22.19", "1.2.13"};
	static const char *const no[] = {"2.6.23", "2.6.34-custom", "2.7.1", "3.0", "6.12.95+deb12-amd64", "", "x", "2"};

	(void)state;
	for (size_t i = 0; i < sizeof(yes) / sizeof(*yes); i++)
		assert_int_equal(nfs_binary_is_wanted(yes[i]), 1);
	for (size_t i = 0; i < sizeof(no) / sizeof(*no); i++)
		assert_int_equal(nfs_binary_is_wanted(no[i]), 0);
	assert_int_equal(nfs_binary_is_needed(), 0);
}

static struct nfs_binary mount_of(unsigned version, int udp)
{
	struct nfs_binary n = {.server = {.sin_family = AF_INET, .sin_port = htons(2049)},
	                       .host = "10.0.2.2",
	                       .path = "/kd",
	                       .version = version,
	                       .udp = udp};

	n.server.sin_addr.s_addr = htonl(0x0a000202);
	return n;
}

static void test_v3(void **state)
{
	static unsigned char out[NFS_BINARY_BYTES];
	struct nfs_binary n = mount_of(3, 0);
	struct mountd_fh fh = {.len = 5, .data = {1, 2, 3, 4, 5}};
	struct nfs_mount_data d;

	(void)state;
	n.soft = 1;
	n.timeo = 50;
	n.retrans = 4;
	n.rsize = 8192;
	n.wsize = 4096;
	nfs_binary_format(out, &n, 9, &fh);
	assert_int_equal(sizeof(d), NFS_BINARY_BYTES);
	memcpy(&d, out, sizeof(d));
	assert_int_equal(d.version, 4);
	assert_int_equal(d.fd, 9);
	assert_int_equal(d.flags, NFS_MOUNT_SOFT | NFS_MOUNT_INTR | NFS_MOUNT_TCP | NFS_MOUNT_VER3 | NFS_MOUNT_NONLM);
	assert_int_equal(d.rsize, 8192);
	assert_int_equal(d.wsize, 4096);
	assert_int_equal(d.timeo, 50);
	assert_int_equal(d.retrans, 4);
	assert_int_equal(d.acregmin, 3);
	assert_int_equal(d.acregmax, 60);
	assert_int_equal(d.acdirmin, 30);
	assert_int_equal(d.acdirmax, 60);
	assert_int_equal(d.addr.sin_family, AF_INET);
	assert_int_equal(d.addr.sin_port, htons(2049));
	assert_int_equal(d.addr.sin_addr.s_addr, htonl(0x0a000202));
	assert_string_equal(d.hostname, "10.0.2.2");
	assert_int_equal(d.namlen, 255);
	assert_int_equal(d.bsize, 0);
	assert_int_equal(d.root.size, 5);
	assert_memory_equal(d.root.data, fh.data, sizeof(d.root.data));
	assert_int_equal(d.old_root.data[0], 0);
	assert_int_equal(d.context[0], 0);
}

static void test_v2_udp(void **state)
{
	static unsigned char out[NFS_BINARY_BYTES];
	struct nfs_binary n = mount_of(2, 1);
	struct mountd_fh fh = {.len = 32};
	struct nfs_mount_data d;
	char host[400];

	(void)state;
	for (unsigned char i = 0; i < 32; i++)
		fh.data[i] = (unsigned char)(i + 1);
	memset(host, 'h', sizeof(host)); /* too long is cut, never over the end */
	host[sizeof(host) - 1] = 0;
	n.host = host;
	nfs_binary_format(out, &n, 3, &fh);
	memcpy(&d, out, sizeof(d));
	assert_int_equal(d.flags, NFS_MOUNT_INTR | NFS_MOUNT_NONLM);
	assert_int_equal(d.timeo, 7);
	assert_int_equal(d.retrans, 3);
	assert_memory_equal(d.old_root.data, fh.data, 32);
	assert_int_equal(d.root.size, 32);
	assert_memory_equal(d.root.data, fh.data, 32);
	assert_int_equal(d.hostname[255], 0);
	assert_int_equal(d.namlen, 255);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_wanted),
		cmocka_unit_test(test_v3),
		cmocka_unit_test(test_v2_udp),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
