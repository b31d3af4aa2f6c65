/* SPDX-License-Identifier: GPL-2.0-or-later */
/* nfs_books: /proc/net/rpc/nfs of several kernels, sums of it and of mountstats, and the lines that they become. */
#include "../common/unit.h"

#include <errno.h>
#include <fcntl.h>
#include <unistd.h>

#include "../../suite/fact.h"
#include "../../suite/nfs_books.h"

/* 2.4: v2 and v3 only, UDP. */
static const char text_24[] = "net 0 0 0 0\n"
			      "rpc 1000 17 0\n"
			      "proc2 18 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0\n"
			      "proc3 22 1 200 3 40 50 0 300 250 10 0 0 0 5 0 1 0 0 0 0 2 0 60\n";
/* Now: no v2, v4 of about 70. */
static const char text_now[] = "net 0 0 0 0\n"
			       "rpc 90 1 90\n"
			       "proc3 22 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0\n"
			       "proc4 6 1 30 20 0 9 7\n";

static void test_rpc(void **state)
{
	struct nfs_rpc a, b, sum = {{0}, {0}, 0};

	(void)state;
	assert_int_equal(nfs_rpc_parse(text_24, &a), 0);
	assert_int_equal(a.v[RPC_CALLS], 1000);
	assert_int_equal(a.v[RPC_RETRANS], 17);
	assert_int_equal(a.v3[6], 300);
	assert_string_equal(nfs_rpc_v3_names[6], "READ");
	assert_int_equal(a.v3[21], 60);
	assert_string_equal(nfs_rpc_v3_names[21], "COMMIT");
	assert_int_equal(a.v4, 0);
	b = a;
	b.v[RPC_RETRANS] += 3;
	b.v3[6] += 100;
	b.v[RPC_CALLS] = 5; /* went back: adds nothing */
	nfs_rpc_add(&sum, &a, &b);
	nfs_rpc_add(&sum, &a, &b);
	assert_int_equal(sum.v[RPC_RETRANS], 6);
	assert_int_equal(sum.v3[6], 200);
	assert_int_equal(sum.v[RPC_CALLS], 0);
	assert_int_equal(nfs_rpc_parse(text_now, &a), 0);
	assert_int_equal(a.v[RPC_AUTH], 90);
	assert_int_equal(a.v4, 67);
	assert_int_equal(nfs_rpc_parse("", &a), -ENOENT);
	assert_int_equal(nfs_rpc_parse("rpc\n", &a), -ENOENT);
	assert_int_equal(nfs_rpc_parse("rpc 5", &a), 0);
	assert_int_equal(a.v[RPC_CALLS], 5);
	assert_int_equal(a.v[RPC_RETRANS], 0);
}

/* What a report says, as one text. */
static const char *said(const struct nfs_books *b)
{
	static char text[8192];
	char path[] = "/tmp/kd-test-books-XXXXXX";
	int fd = mkstemp(path);
	ssize_t n;

	assert_true(fd >= 0);
	unlink(path);
	assert_int_equal(dup2(fd, FACT_FD), FACT_FD);
	nfs_books_report("read", b);
	n = pread(fd, text, sizeof(text) - 1, 0);
	text[n > 0 ? n : 0] = 0;
	close(fd);
	return text;
}

static void wants(const char *text, const char *line)
{
	if (!strstr(text, line))
		fail_msg("no line \"%s\" in\n%s", line, text);
}

static void test_report(void **state)
{
	struct nfs_books none = {0}, before = {.has_mount = 1, .has_rpc = 1}, after, sum = {0};
	const char *text;

	(void)state;
	assert_string_equal(said(&none), "");
	after = before;
	after.mount.n = 2;
	after.mount.op[0] = (struct mountstats_op){"GETATTR", 9, {2, 2, 0, 100, 200, 0, 3, 4, 0}};
	after.mount.op[1] = (struct mountstats_op){"READ", 8, {128, 130, 2, 0, 1064960, 4, 516, 528, 0}};
	after.mount.bytes[MS_READ] = 5000;
	after.mount.xprts = 1;
	after.mount.xprt_columns = 5;
	after.mount.xprt[MS_SENDS] = 132;
	after.rpc.v[RPC_CALLS] = 140;
	nfs_books_add(&sum, &before, &after);
	text = said(&sum);
	/* the most frequent first, a column that the kernel has not is not there */
	wants(text, "fact nfs=read op=READ ops=128 trans=130 timeouts=2 sent=0 recv=1064960 queue_ms=4 rtt_ms=516 exe_ms=528\n"
	            "fact nfs=read op=GETATTR ops=2 trans=2 timeouts=0 sent=100 recv=200 queue_ms=0 rtt_ms=3 exe_ms=4 errors=0\n");
	wants(text, "op=all ops=130 ");
	wants(text, "fact nfs=read read=5000 write=0 ");
	wants(text, "fact nfs=read xprts=1 sends=132 recvs=0 bad_xids=0 req_u=0 bklog_u=0\n");
	assert_null(strstr(text, "sending_u"));
	wants(text, "rpc_calls=140");
}

/* Numbers as long as can be still go into lines that are kept whole. */
static void test_long(void **state)
{
	struct nfs_books sum = {.has_mount = 1};
	const char *text;

	(void)state;
	sum.mount.n = MOUNTSTATS_OPS;
	for (size_t i = 0; i < sum.mount.n; i++) {
		snprintf(sum.mount.op[i].name, sizeof(sum.mount.op[i].name), "OPERATION_OF_20_CH%zu", i % 24 + 10);
		sum.mount.op[i].columns = 9;
		for (int k = 0; k < MS_COLUMNS; k++)
			sum.mount.op[i].v[k] = UINT64_MAX / 32 - i;
	}
	text = said(&sum);
	assert_null(strstr(text, "note"));
	wants(text, "op=other ");
	wants(text, "errors=");
	for (const char *line = text; *line; line = strchr(line, '\n') + 1)
		assert_true(strcspn(line, "\n") <= FACT_MAX);
}

static void test_without_mountstats(void **state)
{
	struct nfs_books before = {.has_rpc = 1}, after = {.has_rpc = 1}, sum = {0};
	const char *text;

	(void)state;
	assert_int_equal(nfs_rpc_parse(text_24, &after.rpc), 0);
	nfs_books_add(&sum, &before, &after);
	assert_false(sum.has_mount);
	text = said(&sum);
	wants(text, "fact nfs=read op=READ ops=300\nfact nfs=read op=WRITE ops=250\nfact nfs=read op=GETATTR ops=200\n");
	wants(text, "rpc_retrans=17");
	assert_null(strstr(text, "rtt_ms"));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_rpc),
		cmocka_unit_test(test_report),
		cmocka_unit_test(test_long),
		cmocka_unit_test(test_without_mountstats),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
