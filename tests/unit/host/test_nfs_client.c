/* SPDX-License-Identifier: GPL-2.0-or-later */
/* nfs_client: what is derived from the facts of a phase, per boot; what a kernel does not count is no number. */
#include "results_fixture.h"

#include <math.h>

#include "host/nfs_client.h"

/* A test of one phase with these facts. */
static void put(struct fx *f, unsigned line, const char *status, const char *const *facts)
{
	char text[300];
	unsigned n = 2;
	fx_record(f, line, "begin", "test=t0");
	for (; *facts; facts++, n++) {
		snprintf(text, sizeof text, "test=t0 %s", *facts);
		fx_record(f, line, "fact", text);
	}
	snprintf(text, sizeof text, "test=t0 records=%u status=%s", n, status);
	fx_record(f, line, "end", text);
}

static double value(const struct nfs_client *c, const char *phase, const char *op, unsigned subject, enum nfs_client_value what)
{
	double v[8];
	for (size_t i = 0; i < c->rows; i++)
		if (!strcmp(c->row[i].phase, phase) && !strcmp(c->row[i].op, op))
			return nfs_client_values(c, i, subject, what, v) ? v[0] : NAN;
	return NAN;
}

static void test_derived(void **state)
{
	static const char *const first[] = {
		"timed=read n=3 ns=2000000000",
		"nfs=read op=READ ops=100 trans=103 timeouts=1 sent=10240 recv=1013760 queue_ms=50",
		"nfs=read op=READ rtt_ms=4000 exe_ms=4100", /* a line that was too long comes in two */
		"nfs=read op=all ops=110 trans=113 timeouts=1 sent=11000 recv=1020000 queue_ms=50 rtt_ms=4100 exe_ms=4300 errors=2",
		"nfs=read read=2000000 write=0 direct_read=0 direct_write=0 server_read=1000000 server_write=0",
		"nfs=read rpc_calls=200 rpc_retrans=5",
		"timed=write n=3 ns=1000",
		NULL,
	};
	static const char *const second[] = {
		/* no mountstats, and the phase's time last */
		"nfs=read op=READ ops=90",      "nfs=read op=GETATTR ops=9",
		"nfs=read op=all ops=99",       "nfs=read rpc_calls=100 rpc_retrans=7",
		"timed=read n=3 ns=1000000000", NULL,
	};
	struct nfs_client c;
	struct fx f;
	(void)state;
	fx_init(&f, 2, 1, 1);
	put(&f, 1, "pass", first);
	put(&f, 2, "pass", second);
	fx_measure(&f);
	assert_int_equal(nfs_client_read(&c, &f.m), 0);
	assert_int_equal(c.rows, 3); /* all, READ, GETATTR; write is not on NFS */
	assert_string_equal(c.row[0].op, "all");
	assert_string_equal(c.row[1].op, "READ");
	assert_true(value(&c, "read", "READ", 0, NFS_OPS) == 100);
	assert_true(value(&c, "read", "READ", 0, NFS_RETRANS) == 3);
	assert_true(value(&c, "read", "READ", 0, NFS_QUEUE_MS) == .5);
	assert_true(value(&c, "read", "READ", 0, NFS_RTT_MS) == 40);
	assert_true(value(&c, "read", "READ", 0, NFS_EXE_MS) == 41);
	assert_true(value(&c, "read", "READ", 0, NFS_OUTSTANDING) == 2); /* 4000 ms in 2000 */
	assert_true(value(&c, "read", "READ", 0, NFS_KIB_OP) == 10);
	assert_true(isnan(value(&c, "read", "READ", 0, NFS_ERRORS))); /* no such column */
	assert_true(value(&c, "read", "all", 0, NFS_ERRORS) == 2);
	assert_true(value(&c, "read", "all", 0, NFS_WIRE_READ) == .5);
	assert_true(isnan(value(&c, "read", "all", 0, NFS_WIRE_WRITE))); /* nothing written */
	assert_true(isnan(value(&c, "read", "READ", 0, NFS_WIRE_READ)));
	assert_true(value(&c, "read", "all", 0, NFS_RPC_RETRANS) == 5);
	assert_true(value(&c, "read", "READ", 1, NFS_OPS) == 90);
	assert_true(isnan(value(&c, "read", "READ", 1, NFS_RTT_MS)));
	assert_true(isnan(value(&c, "read", "READ", 1, NFS_OUTSTANDING)));
	assert_true(value(&c, "read", "all", 1, NFS_RETRANS) == 7); /* of the box: the only source */
	assert_true(isnan(value(&c, "read", "GETATTR", 0, NFS_OPS)));
	nfs_client_free(&c);
	fx_free(&f);
}

/* A phase's operations stand together, whichever boot brought them. */
static void test_order(void **state)
{
	static const char *const first[] = {"nfs=a op=READ ops=1", "nfs=a op=all ops=1", "nfs=b op=all ops=2", NULL};
	static const char *const second[] = {"nfs=c op=all ops=1", "nfs=a op=all ops=3", "nfs=a op=ACCESS ops=2", "nfs=b op=READ ops=5", NULL};
	static const char *const want[] = {"a all", "a READ", "a ACCESS", "b all", "b READ", "c all"};
	struct nfs_client c;
	char text[100];
	struct fx f;
	(void)state;
	fx_init(&f, 1, 2, 1);
	put(&f, 1, "pass", first);
	put(&f, 2, "pass", second);
	fx_measure(&f);
	assert_int_equal(nfs_client_read(&c, &f.m), 0);
	assert_int_equal(c.rows, 6);
	for (size_t i = 0; i < c.rows; i++) {
		snprintf(text, sizeof text, "%s %s", c.row[i].phase, c.row[i].op);
		assert_string_equal(text, want[i]);
	}
	nfs_client_free(&c);
	fx_free(&f);
}

/* What did not pass, and what is no number, counts for nothing. */
static void test_distrusted(void **state)
{
	static const char *const facts[] = {"nfs=a op=READ ops=-5 rtt_ms=9", "nfs=a op=all ops=99999999999999999999", "nfs=a op=WRITE ops=1e9",
	                                    "nfs=a op=THIS_NAME_IS_FAR_TOO_LONG_FOR_AN_OPERATION ops=1", NULL};
	static const char *const good[] = {"nfs=a op=all ops=4", NULL};
	struct nfs_client c;
	double v[8];
	struct fx f;
	(void)state;
	fx_init(&f, 1, 2, 1);
	put(&f, 1, "pass", facts);
	put(&f, 2, "fail", good);
	fx_measure(&f);
	assert_int_equal(nfs_client_read(&c, &f.m), 0);
	for (size_t i = 0; i < c.rows; i++)
		for (int k = 0; k < NFS_VALUES; k++)
			assert_int_equal(nfs_client_values(&c, i, 0, (enum nfs_client_value)k, v), 0);
	assert_true(c.left_out > 0);
	nfs_client_free(&c);
	fx_free(&f);
}

/* No more rows than there is room for. */
static void test_bounded(void **state)
{
	struct nfs_client c;
	char text[100];
	struct fx f;
	(void)state;
	fx_init(&f, 1, 1, 1);
	fx_record(&f, 1, "begin", "test=t0");
	for (int i = 0; i < NFS_CLIENT_ROWS_MAX + 10; i++) {
		snprintf(text, sizeof text, "test=t0 nfs=p%d op=all ops=1", i);
		fx_record(&f, 1, "fact", text);
	}
	snprintf(text, sizeof text, "test=t0 records=%d status=pass", NFS_CLIENT_ROWS_MAX + 12);
	fx_record(&f, 1, "end", text);
	fx_measure(&f);
	assert_int_equal(nfs_client_read(&c, &f.m), 0);
	assert_int_equal(c.rows, NFS_CLIENT_ROWS_MAX);
	assert_true(c.left_out >= 10);
	nfs_client_free(&c);
	fx_free(&f);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_derived),
		cmocka_unit_test(test_order),
		cmocka_unit_test(test_distrusted),
		cmocka_unit_test(test_bounded),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
