/* SPDX-License-Identifier: GPL-2.0-or-later */
/* mountstats: each generation of the file, the right mount of several, and differences of one mount only. */
#include "../common/unit.h"

#include <errno.h>

#include "../../suite/mountstats.h"

/* 2.6.16: statvers=1.0, 8 columns an operation, a UDP transport of 8 fields, bytes sent 0. */
static const char old_text[] = "device rootfs mounted on / with fstype rootfs\n"
			       "device 192.0.2.1:/exp mounted on /mnt/nfs with fstype nfs statvers=1.0\n"
			       "\topts:\trw,vers=3,rsize=8192,wsize=8192,hard,intr,proto=udp,timeo=11,retrans=2\n"
			       "\tage:\t12\n"
			       "\tcaps:\tcaps=0x1,wtmult=4096,dtsize=4096,bsize=0,namelen=255\n"
			       "\tsec:\tflavor=1,pseudoflavor=1\n"
			       "\tevents:\t1 2 3 4 5 6 7 8 9 10 11 12 13 14 15 16 17 18 19 20 21 22 23 24 25\n"
			       "\tbytes:\t1000 2000 0 0 3000 4000 10 20\n"
			       "\tRPC iostats version: 1.0  p/v: 100003/3 (nfs)\n"
			       "\txprt:\tudp 733 1 500 490 2 600 7\n"
			       "\tper-op statistics\n"
			       "\t        NULL: 0 0 0 0 0 0 0 0\n"
			       "\t        READ: 128 130 2 0 1064960 4 516 528\n"
			       "\t       WRITE: 64 64 0 0 8704 8 256 300\n"
			       "\t      COMMIT: 1 1 0 0 152 0 12 12\n";

/* Between: statvers=1.0 still, three more numbers of the transport (3.x), no errors column. */
static const char middle_text[] = "device 192.0.2.1:/exp mounted on /mnt/nfs with fstype nfs statvers=1.1\n"
				  "\tage:\t7\n"
				  "\tbytes:\t1 2 3 4 5 6 7 8\n"
				  "\txprt:\ttcp 733 1 2 3 4 50 49 1 60 2 5 70 80\n"
				  "\tper-op statistics\n"
				  "\t        READ: 10 10 0 1200 40960 1 20 22\n";

/* Now: statvers=1.1, two TCP transports (nconnect=2), a ninth column, READ_PLUS beside READ. */
static const char new_text[] =
	"device proc mounted on /proc with fstype proc\n"
	"device 10.0.2.2:/kd/results mounted on /run/kd/nfs with fstype nfs statvers=1.1\n"
	"\tbytes:\t9 9 9 9 9 9 9 9\n"
	"\tper-op statistics\n"
	"\t        READ: 9 9 9 9 9 9 9 9 9\n"
	"\n"
	"device 10.0.2.2:/kd/test mounted on /tmp/nfs-7 with fstype nfs4 statvers=1.1\n"
	"\topts:\trw,vers=4.2,rsize=1048576,wsize=1048576,namlen=255,hard,proto=tcp,timeo=600,retrans=2,sec=sys,clientaddr=10.0.2.15\n"
	"\tage:\t3\n"
	"\timpl_id:\tname='',domain='',date='0,0'\n"
	"\tnfsv4:\tbm0=0xfdffbfff,bm1=0xf9be3e,bm2=0x68800,acl=0x3,sessions,pnfs=not configured,lease_time=90,lease_expired=0\n"
	"\tevents:\t0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0\n"
	"\tbytes:\t4194304 0 65536 0 4259840 0 1024 0\n"
	"\tRPC iostats version: 1.1  p/v: 100003/4 (nfs)\n"
	"\txprt:\ttcp 0 0 1 0 2 40 39 1 50 3 2 60 70\n"
	"\txprt:\ttcp 0 0 1 0 2 10 9 0 5 1 2 6 7\n"
	"\tper-op statistics\n"
	"\t        NULL: 1 1 0 44 24 0 0 0 0\n"
	"\t        READ: 0 0 0 0 0 0 0 0 0\n"
	"\t   READ_PLUS: 32 32 0 6000 4200000 5 320 330 0\n"
	"\t       WRITE: 4 5 1 4194816 544 1 44 46 2\n"
	"\t      COMMIT: 1 1 0 200 104 0 2 2 0\n"
	"device sysfs mounted on /sys with fstype sysfs\n";

static uint64_t column(const struct mountstats *m, const char *op, unsigned i)
{
	const struct mountstats_op *o = mountstats_find(m, op);

	return o ? o->v[i] : 0;
}

static void test_old(void **state)
{
	struct mountstats m;
	struct mountstats_op all;

	(void)state;
	assert_int_equal(mountstats_parse(old_text, "/mnt/nfs", &m), 0);
	assert_int_equal(m.age_s, 12);
	assert_int_equal(m.bytes[MS_READ], 1000);
	assert_int_equal(m.bytes[MS_WRITE], 2000);
	assert_int_equal(m.bytes[MS_SERVER_READ], 3000);
	assert_int_equal(m.bytes[MS_SERVER_WRITE], 4000);
	assert_int_equal(m.bytes[MS_WRITE_PAGES], 20);
	assert_int_equal(m.xprts, 1);
	assert_int_equal(m.xprt_columns, 5); /* the rest is unknown, not 0 */
	assert_int_equal(m.xprt[MS_SENDS], 500);
	assert_int_equal(m.xprt[MS_RECVS], 490);
	assert_int_equal(m.xprt[MS_BAD_XIDS], 2);
	assert_int_equal(m.xprt[MS_REQ_U], 600);
	assert_int_equal(m.xprt[MS_BKLOG_U], 7);
	assert_int_equal(m.n, 3); /* NULL did not happen */
	assert_null(mountstats_find(&m, "NULL"));
	assert_int_equal(mountstats_find(&m, "READ")->columns, 8);
	assert_int_equal(column(&m, "READ", MS_OPS), 128);
	assert_int_equal(column(&m, "READ", MS_TRANS), 130);
	assert_int_equal(column(&m, "READ", MS_TIMEOUTS), 2);
	assert_int_equal(column(&m, "READ", MS_RECV), 1064960);
	assert_int_equal(column(&m, "READ", MS_RTT_MS), 516);
	assert_int_equal(column(&m, "READ", MS_EXE_MS), 528);
	mountstats_all(&m, &all);
	assert_string_equal(all.name, "all");
	assert_int_equal(all.columns, 8);
	assert_int_equal(all.v[MS_OPS], 193);
}

static void test_middle(void **state)
{
	struct mountstats m;

	(void)state;
	assert_int_equal(mountstats_parse(middle_text, "/mnt/nfs", &m), 0);
	assert_int_equal(m.xprt_columns, 8);
	assert_int_equal(m.xprt[MS_SENDS], 50);
	assert_int_equal(m.xprt[MS_MAX_SLOTS], 5);
	assert_int_equal(m.xprt[MS_PENDING_U], 80);
	assert_int_equal(mountstats_find(&m, "READ")->columns, 8);
	assert_int_equal(column(&m, "READ", MS_EXE_MS), 22);
}

static void test_new(void **state)
{
	struct mountstats m;
	struct mountstats_op all;

	(void)state;
	assert_int_equal(mountstats_parse(new_text, "/tmp/nfs-7", &m), 0);
	assert_int_equal(m.age_s, 3);
	assert_int_equal(m.bytes[MS_READ], 4194304);
	assert_int_equal(m.bytes[MS_DIRECT_READ], 65536);
	assert_int_equal(m.bytes[MS_SERVER_READ], 4259840);
	assert_int_equal(m.xprts, 2);
	assert_int_equal(m.xprt[MS_SENDS], 50); /* both transports */
	assert_int_equal(m.xprt[MS_RECVS], 48);
	assert_int_equal(m.xprt[MS_BAD_XIDS], 1);
	assert_int_equal(m.xprt[MS_REQ_U], 55);
	assert_int_equal(m.xprt[MS_BKLOG_U], 4);
	assert_int_equal(mountstats_find(&m, "WRITE")->columns, 9);
	assert_null(mountstats_find(&m, "READ"));
	assert_int_equal(column(&m, "READ_PLUS", MS_OPS), 32); /* how v4.2 reads */
	assert_int_equal(column(&m, "READ_PLUS", MS_RTT_MS), 320);
	assert_int_equal(column(&m, "WRITE", MS_ERRORS), 2);
	assert_int_equal(column(&m, "WRITE", MS_TRANS), 5);
	mountstats_all(&m, &all);
	assert_int_equal(all.v[MS_OPS], 38);
	assert_int_equal(all.columns, 9);
}

/* More operations than there is room for: none is lost. */
static void test_many(void **state)
{
	char text[4096] = "device s:/e mounted on /m with fstype nfs4 statvers=1.1\n\tper-op statistics\n";
	struct mountstats m, sum = {0}, none = {0};
	struct mountstats_op all;

	(void)state;
	for (int i = 0; i < 70; i++)
		snprintf(text + strlen(text), sizeof(text) - strlen(text), "\t        OP%d: 2 2 0 1 1 0 0 0 0\n", i);
	assert_int_equal(mountstats_parse(text, "/m", &m), 0);
	assert_int_equal(m.n, MOUNTSTATS_OPS);
	mountstats_all(&m, &all);
	assert_int_equal(all.v[MS_OPS], 140);
	assert_int_equal(column(&m, "other", MS_OPS), 2 * (70 - MOUNTSTATS_OPS + 1));
	assert_int_equal(mountstats_add(&sum, &none, &m), 0);
	assert_int_equal(mountstats_add(&sum, &none, &m), 0);
	mountstats_all(&sum, &all);
	assert_int_equal(all.v[MS_OPS], 280);
	assert_int_equal(sum.n, MOUNTSTATS_OPS);
}

static void test_absent(void **state)
{
	struct mountstats m;

	(void)state;
	assert_int_equal(mountstats_parse("", "/mnt/nfs", &m), -ENOENT);
	assert_int_equal(mountstats_parse(new_text, "/tmp/nfs", &m), -ENOENT);
	assert_int_equal(mountstats_parse(new_text, "/tmp/nfs-77", &m), -ENOENT);
	assert_int_equal(mountstats_parse(new_text, "/proc", &m), -ENOENT); /* no NFS */
}

/* Any prefix is read without harm. */
static void test_torn(void **state)
{
	struct mountstats m;

	(void)state;
	for (size_t len = 0; len < sizeof(new_text); len++) {
		char *text = strndup(new_text, len);

		mountstats_parse(text, "/tmp/nfs-7", &m);
		free(text);
	}
}

static void test_add(void **state)
{
	struct mountstats before, after, sum = {0}, kept;

	(void)state;
	assert_int_equal(mountstats_parse(new_text, "/tmp/nfs-7", &before), 0);
	after = before;
	after.op[1].v[MS_OPS] += 3;
	after.xprt[MS_SENDS] += 4;
	strcpy(after.op[after.n].name, "GETATTR"); /* had not happened before */
	after.op[after.n].columns = 9;
	after.op[after.n++].v[MS_OPS] = 5;
	assert_int_equal(mountstats_add(&sum, &before, &after), 0);
	assert_int_equal(mountstats_add(&sum, &before, &after), 0);
	assert_string_equal(before.op[1].name, "READ_PLUS");
	assert_int_equal(column(&sum, "READ_PLUS", MS_OPS), 6);
	assert_int_equal(column(&sum, "GETATTR", MS_OPS), 10);
	assert_int_equal(sum.xprt[MS_SENDS], 8);
	assert_null(mountstats_find(&sum, "WRITE")); /* nothing new */
	kept = sum;
	after.op[2].v[MS_OPS]--; /* another mount */
	assert_int_equal(mountstats_add(&sum, &before, &after), -EINVAL);
	assert_memory_equal(&sum, &kept, sizeof(sum));
	after = before;
	after.n--; /* COMMIT has gone */
	assert_int_equal(mountstats_add(&sum, &before, &after), -EINVAL);
	after = before;
	after.age_s--;
	assert_int_equal(mountstats_add(&sum, &before, &after), -EINVAL);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_old),    cmocka_unit_test(test_middle), cmocka_unit_test(test_new), cmocka_unit_test(test_many),
		cmocka_unit_test(test_absent), cmocka_unit_test(test_torn),   cmocka_unit_test(test_add),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
