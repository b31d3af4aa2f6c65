/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What the suite reads of /proc: mounts, net/snmp, stat; and the addresses and mount words that it makes of its environment. */
#include "../common/unit.h"

#include <errno.h>

#include "../../suite/address.h"
#include "../../suite/cpu_books.h"
#include "../../suite/mounts.h"
#include "../../suite/nfs_mount.h"
#include "../../suite/snmp.h"

static void test_mounts(void **state)
{
	static const char text[] = "rootfs / rootfs rw 0 0\n"
				   "/dev/vdb /scr\\040x ext2 rw,noatime,errors=continue 0 0\n"
				   "none /m tmpfs rw 0 0\n"
				   "10.0.2.2:/kd/test /m nfs rw,vers=3,rsize=65536,hard,proto=tcp 0 0\n";
	struct mounts_line m;
	char value[8];

	(void)state;
	assert_int_equal(mounts_find(text, "/scr x", &m), 0);
	assert_string_equal(m.source, "/dev/vdb");
	assert_string_equal(m.type, "ext2");
	assert_int_equal(mounts_find(text, "/m", &m), 0); /* what is on top */
	assert_string_equal(m.type, "nfs");
	assert_int_equal(mounts_option(m.options, "rsize", value, sizeof(value)), 0);
	assert_string_equal(value, "65536");
	assert_int_equal(mounts_option(m.options, "hard", value, sizeof(value)), 0);
	assert_string_equal(value, "");
	assert_int_equal(mounts_option(m.options, "size", value, sizeof(value)), -ENOENT);
	assert_int_equal(mounts_option(m.options, "rsize", value, 3), -ENAMETOOLONG);
	assert_int_equal(mounts_option(m.options, "vers", value, sizeof(value)), 0);
	assert_string_equal(value, "3");
	assert_int_equal(mounts_find(text, "/x", &m), -ENOENT);
	assert_int_equal(mounts_find("", "/x", &m), -ENOENT);
	assert_int_equal(mounts_find("a\n\n b", "/x", &m), -ENOENT);
}

/* As 2.4 writes them (its fs/nfs/inode.c, nfs_show_options, and fs/namespace.c), and 2.2 (fs/super.c). */
static void test_mounts_old(void **state)
{
	static const char text[] = "rootfs / rootfs rw 0 0\n"
				   "/dev/root / ext2 rw 0 0\n"
				   "none /run tmpfs rw,nosuid,nodev 0 0\n"
				   "10.0.2.2:/kd /m nfs rw,nosuid,nodev,noatime,v3,rsize=8192,wsize=4096,hard,intr,udp,nolock,addr=10.0.2.2 0 0\n"
				   "10.0.2.2:/kd /n nfs rw,v2,rsize=4096,wsize=4096,soft,tcp,nolock,addr=10.0.2.2 0 0\n"
				   "/dev/hda1 /video ext2 rw 0 0\n";
	struct mounts_line m;
	char value[8];

	(void)state;
	assert_int_equal(mounts_find(text, "/", &m), 0);
	assert_string_equal(m.type, "ext2");
	assert_int_equal(mounts_find(text, "/m", &m), 0);
	assert_int_equal(mounts_option(m.options, "vers", value, sizeof(value)), 0);
	assert_string_equal(value, "3");
	assert_int_equal(mounts_option(m.options, "proto", value, sizeof(value)), 0);
	assert_string_equal(value, "udp");
	assert_int_equal(mounts_option(m.options, "wsize", value, sizeof(value)), 0);
	assert_string_equal(value, "4096");
	assert_int_equal(mounts_option(m.options, "timeo", value, sizeof(value)), -ENOENT);
	assert_int_equal(mounts_option(m.options, "vers", value, 1), -ENAMETOOLONG);
	assert_int_equal(mounts_find(text, "/n", &m), 0);
	assert_int_equal(mounts_option(m.options, "vers", value, sizeof(value)), 0);
	assert_string_equal(value, "2");
	assert_int_equal(mounts_option(m.options, "proto", value, sizeof(value)), 0);
	assert_string_equal(value, "tcp");
	assert_int_equal(mounts_find(text, "/video", &m), 0);
	assert_int_equal(mounts_option(m.options, "vers", value, sizeof(value)), -ENOENT);
	assert_int_equal(mounts_option(m.options, "proto", value, sizeof(value)), -ENOENT);
}

static void test_mounts_holding(void **state)
{
	static const char text[] = "rootfs / rootfs rw 0 0\n"
				   "tmpfs /run tmpfs rw 0 0\n"
				   "/dev/vdb /run/kd/scratch ext2 rw 0 0\n"
				   "/dev/vdc /run/kd/scratch ext4 rw 0 0\n";
	struct mounts_line m;

	(void)state;
	assert_int_equal(mounts_holding(text, "/run/kd/tmp", &m), 0);
	assert_string_equal(m.type, "tmpfs");
	assert_int_equal(mounts_holding(text, "/run/kd/scratch", &m), 0);
	assert_string_equal(m.type, "ext4");
	assert_int_equal(mounts_holding(text, "/run/kd/scratch/a/b", &m), 0);
	assert_string_equal(m.type, "ext4");
	assert_int_equal(mounts_holding(text, "/runner", &m), 0); /* not below /run */
	assert_string_equal(m.type, "rootfs");
	assert_int_equal(mounts_holding("tmpfs /run tmpfs rw 0 0\n", "/x", &m), -ENOENT);
}

static void test_snmp(void **state)
{
	static const char text[] = "Ip: Forwarding DefaultTTL\nIp: 2 64\n"
				   "Tcp: RtoAlgorithm InSegs OutSegs RetransSegs InErrs\nTcp: 1 10 20 3 0\n"
				   "Udp: InDatagrams\nUdp: 5\n";
	uint64_t v = 0;

	(void)state;
	assert_int_equal(snmp_value(text, "Tcp", "RetransSegs", &v), 0);
	assert_int_equal(v, 3);
	assert_int_equal(snmp_value(text, "Tcp", "OutSegs", &v), 0);
	assert_int_equal(v, 20);
	assert_int_equal(snmp_value(text, "Tcp", "OutRsts", &v), -ENOENT);
	assert_int_equal(snmp_value(text, "UdpLite", "InDatagrams", &v), -ENOENT);
	assert_int_equal(snmp_value("Tcp: InSegs\n", "Tcp", "InSegs", &v), -ENOENT);
	assert_int_equal(snmp_value("Tcp: A InSegs\nTcp: 1\n", "Tcp", "InSegs", &v), -ENOENT);
}

static void test_cpu_books(void **state)
{
	uint64_t ticks[CPU_BOOKS_COLUMNS];
	struct cpu_books a = {0}, b = {0}, sum = {0};

	(void)state;
	assert_int_equal(cpu_books_parse("cpu  10 1 20 300\ncpu0 10 1 20 300\n", ticks), 4); /* 2.4 */
	assert_int_equal(ticks[3], 300);
	assert_int_equal(ticks[4], 0);
	assert_int_equal(cpu_books_parse("cpu  1 2 3 4 5 6 7 8 9 10\n", ticks), CPU_BOOKS_COLUMNS);
	assert_int_equal(ticks[7], 8);
	assert_int_equal(cpu_books_parse("intr 5\n", ticks), 0);
	a.columns = b.columns = 5;
	a.ticks[0] = 5;
	b.ticks[0] = 9;
	a.ticks[4] = 7; /* iowait may go back */
	b.ticks[4] = 6;
	cpu_books_add(&sum, &a, &b);
	assert_int_equal(sum.ticks[0], 4);
	assert_int_equal(sum.ticks[4], 0);
}

static void test_address(void **state)
{
	static const char *const bad[] = {
		"",          "10.0.2.2",     "10.0.2.2:",           "10.0.2.2:0",       "10.0.2.2:70000",      "host:80",
		"10.0.2:80", "10.0.2.2:80,", "10.0.2.2:80x",        "10.0.2.2:80,1:kd", "10.0.2.2:80:/a,soft", "10.0.2.2:80:/a b",
		"[::1]:80",  "10.0.2.2:-80", "1000.0.2.2000000:80",
	};
	struct address a;

	(void)state;
	assert_int_equal(address_parse("10.0.2.2:5001", &a), 0);
	assert_string_equal(a.ip, "10.0.2.2");
	assert_int_equal(a.port, 5001);
	assert_int_equal(a.mount_port, 0);
	assert_string_equal(a.path, "");
	assert_int_equal(address_parse("127.0.0.1:2049,20048:/kd/test", &a), 0);
	assert_int_equal(a.mount_port, 20048);
	assert_string_equal(a.path, "/kd/test");
	for (size_t i = 0; i < sizeof(bad) / sizeof(bad[0]); i++)
		if (address_parse(bad[i], &a) != -EINVAL)
			fail_msg("taken: %s", bad[i]);
}

static void test_mount_words(void **state)
{
	char data[NFS_DATA_MAX];
	struct address a;

	(void)state;
	assert_int_equal(address_parse("10.0.2.2:2050,2051:/kd/test", &a), 0);
	assert_int_equal(nfs_mount_data(&a, &(struct nfs_options){"3", "tcp", 0, 0, 0}, "10.0.2.15", data, sizeof(data)), 0);
	assert_string_equal(data, "vers=3,proto=tcp,nolock,hard,addr=10.0.2.2,port=2050,mountproto=tcp,mountaddr=10.0.2.2,mountport=2051");
	assert_int_equal(nfs_mount_data(&a, &(struct nfs_options){"4.2", "tcp", 0, 0, 0}, "10.0.2.15", data, sizeof(data)), 0);
	assert_string_equal(data, "vers=4.2,proto=tcp,hard,addr=10.0.2.2,port=2050,clientaddr=10.0.2.15");
	assert_int_equal(nfs_mount_data(&a, &(struct nfs_options){"3", "udp", 8192, 4096, 2}, "", data, sizeof(data)), 0);
	assert_string_equal(data, "vers=3,proto=udp,nolock,hard,addr=10.0.2.2,port=2050,mountproto=tcp,mountaddr=10.0.2.2,mountport=2051,"
	                          "rsize=8192,wsize=4096,nconnect=2");
	for (unsigned size = 1; size <= strlen(data); size++)
		assert_int_equal(nfs_mount_data(&a, &(struct nfs_options){"3", "udp", 8192, 4096, 2}, "", data, size), -EMSGSIZE);
	assert_true(nfs_mount_lacks(-ENODEV));
	assert_true(nfs_mount_lacks(-EPROTONOSUPPORT));
	assert_false(nfs_mount_lacks(-ETIMEDOUT));
	assert_false(nfs_mount_lacks(-EACCES));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_mounts),      cmocka_unit_test(test_mounts_old), cmocka_unit_test(test_mounts_holding),
		cmocka_unit_test(test_snmp),        cmocka_unit_test(test_cpu_books),  cmocka_unit_test(test_address),
		cmocka_unit_test(test_mount_words),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
