/* SPDX-License-Identifier: GPL-2.0-or-later */
/* mountd: a call byte for byte, and replies good, bad and torn. */
#include "unit.h"

#include <errno.h>

#include "common/mountd.h"

static void test_call(void **state)
{
	static const unsigned char want[] = {
		0x12, 0x34, 0x56, 0x78, 0,   0,   0,   0,   0,   0, 0, 2, /* xid, a call, RPC 2 */
		0,    1,    0x86, 0xa5, 0,   0,   0,   3,   0,   0, 0, 1, /* 100005, version 3, MNT */
		0,    0,    0,    1,    0,   0,   0,   24,  0,   0, 0, 0, /* AUTH_SYS, 24 bytes: stamp */
		0,    0,    0,    3,    'b', 'o', 'x', 0,                 /* name */
		0,    0,    0,    0,    0,   0,   0,   0,   0,   0, 0, 0, /* uid, gid, no more */
		0,    0,    0,    0,    0,   0,   0,   0,                 /* no verifier */
		0,    0,    0,    5,    '/', 'k', 'd', '/', 'a', 0, 0, 0,
	};
	unsigned char out[MOUNTD_CALL_MAX];
	char path[MOUNTD_PATH_MAX + 2];

	(void)state;
	assert_int_equal(mountd_call(out, 0x12345678, 3, "/kd/a"), sizeof(want));
	assert_memory_equal(out, want, sizeof(want));
	assert_int_equal(mountd_call(out, 0x12345678, 2, "/kd/a"), sizeof(want));
	assert_int_equal(out[19], 1); /* NFS v2 goes with MOUNT v1 */
	memset(path, 'a', sizeof(path));
	path[MOUNTD_PATH_MAX] = 0;
	assert_int_equal(mountd_call(out, 1, 3, path), 40 + 20 + 8 + 256);
	path[MOUNTD_PATH_MAX] = 'a';
	path[MOUNTD_PATH_MAX + 1] = 0;
	assert_int_equal(mountd_call(out, 1, 3, path), -ENAMETOOLONG);
}

/* accepted, no verifier, success; then status, a handle of 5 bytes, one flavour */
static const unsigned char good3[] = {
	0, 0, 0, 7, 0, 0, 0, 1, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0,
	0, 0, 0, 0, 0, 0, 0, 5, 1, 2, 3, 4, 5, 0, 0, 0, 0, 0, 0, 1, 0, 0, 0, 1,
};

static void test_reply3(void **state)
{
	unsigned char reply[MOUNTD_REPLY_MAX];
	struct mountd_fh fh;

	(void)state;
	assert_int_equal(mountd_reply(good3, sizeof(good3), 7, 3, &fh), 0);
	assert_int_equal(fh.len, 5);
	assert_memory_equal(fh.data, "\1\2\3\4\5", 5);
	assert_int_equal(mountd_reply(good3, sizeof(good3), 8, 3, &fh), -EAGAIN);
	for (size_t len = 0; len < 37; len++) /* up to the handle's end */
		assert_int_equal(mountd_reply(good3, len, 7, 3, &fh), -EBADMSG);
	memcpy(reply, good3, sizeof(good3));
	reply[31] = MOUNTD_FH_MAX + 1;
	assert_int_equal(mountd_reply(reply, sizeof(reply), 7, 3, &fh), -EBADMSG);
	reply[31] = 0;
	assert_int_equal(mountd_reply(reply, sizeof(reply), 7, 3, &fh), -EBADMSG);
	reply[28] = 0xff; /* longer than all */
	assert_int_equal(mountd_reply(reply, sizeof(reply), 7, 3, &fh), -EBADMSG);
}

static void test_refusals(void **state)
{
	static const struct {
		unsigned char at, value;
		int err;
	} row[] = {
		{7, 0, -EBADMSG},          /* a call */
		{11, 1, -EACCES},          /* denied */
		{11, 2, -EBADMSG},         /* neither */
		{23, 1, -EPROTONOSUPPORT}, /* no such program */
		{23, 2, -EPROTONOSUPPORT}, /* version */
		{23, 4, -EIO},             /* garbage, it says */
		{27, 1, -EPERM},
		{27, 2, -ENOENT},
		{27, 13, -EACCES},
		{27, 20, -ENOTDIR},
		{27, 5, -EIO},
		{27, 99, -EIO},
		{18, 2, -EBADMSG}, /* a verifier of 512 bytes */
	};
	unsigned char reply[sizeof(good3)];
	struct mountd_fh fh;

	(void)state;
	for (size_t i = 0; i < sizeof(row) / sizeof(*row); i++) {
		memcpy(reply, good3, sizeof(reply));
		reply[row[i].at] = row[i].value;
		assert_int_equal(mountd_reply(reply, sizeof(reply), 7, 3, &fh), row[i].err);
		assert_int_equal(fh.len, 0);
	}
}

static void test_reply1(void **state)
{
	unsigned char reply[28 + 32] = {0, 0, 0, 7, 0, 0, 0, 1};
	struct mountd_fh fh;

	(void)state;
	for (unsigned char i = 0; i < 32; i++)
		reply[28 + i] = i;
	assert_int_equal(mountd_reply(reply, sizeof(reply), 7, 2, &fh), 0);
	assert_int_equal(fh.len, 32);
	assert_memory_equal(fh.data, reply + 28, 32);
	assert_int_equal(mountd_reply(reply, sizeof(reply) - 1, 7, 2, &fh), -EBADMSG);
}

/* Whatever comes, it is an error or a handle within bounds. */
static void test_random(void **state)
{
	unsigned char reply[sizeof(good3)];
	uint32_t seed = 1;
	struct mountd_fh fh;

	(void)state;
	for (int i = 0; i < 20000; i++) {
		memcpy(reply, good3, sizeof(reply));
		for (int k = 0; k < 3; k++)
			reply[unit_random(&seed) % sizeof(reply)] = (unsigned char)unit_random(&seed);
		unsigned version = 2 + i % 2;
		if (!mountd_reply(reply, 12 + unit_random(&seed) % (sizeof(reply) - 11), 7, version, &fh))
			assert_in_range(fh.len, 1, MOUNTD_FH_MAX);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_call),   cmocka_unit_test(test_reply3), cmocka_unit_test(test_refusals),
		cmocka_unit_test(test_reply1), cmocka_unit_test(test_random),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
