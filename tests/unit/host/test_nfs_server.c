/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * nfs_server: it is up when it says so, not when it listens. Seen: the stand-in for rpcbind was ended between the two, the second
 * server ended a moment later unseen, and every boot of a sweep failed nfs-bulk.
 */
#include "../common/unit.h"

#include "host/lab.h"
#include "host/nfs_server.h"
#include "host/serve.h"
#include "host/server.h"

static struct unit_dir dir;

static int start(const char *mode, char *why, size_t size)
{
	struct ports p;

	setenv("FAKE_GANESHA", mode, 1);
	ports_load(&p);
	return nfs_server_start(&p, why, size);
}

static void test_up(void **state)
{
	char why[256] = "";

	(void)state;
	assert_int_equal(start("works", why, sizeof(why)), 0);
	usleep(1000000); /* who could not register would be gone */
	assert_true(server_pid(NFS_RESULTS) > 0);
	assert_true(server_pid(NFS_TEST) > 0);
	assert_int_equal(server_pid("nfs-rpcbind"), 0);
	nfs_server_stop();
}

static void test_dies(void **state)
{
	char why[256] = "";

	(void)state;
	assert_true(start("dies", why, sizeof(why)) < 0);
	assert_non_null(strstr(why, "ended: Cannot register MNT V1"));
	nfs_server_stop();
	assert_int_equal(server_pid(NFS_RESULTS), 0);
}

/* ganesha.nfsd is looked for in PATH; tests run at the top of the tree. */
static void prepare(void)
{
	char top[512], fake[600], path[900];

	assert_non_null(getcwd(top, sizeof(top)));
	unit_dir_make(&dir);
	setenv("KDYNO_LAB", unit_path(&dir, "lab"), 1);
	lab_create();
	snprintf(fake, sizeof(fake), "%s/tests/lib/fake-ganesha", top);
	assert_int_equal(symlink(fake, unit_path(&dir, "ganesha.nfsd")), 0);
	snprintf(path, sizeof(path), "%s:%s", dir.path, getenv("PATH"));
	setenv("PATH", path, 1);
}

int main(int argc, char **argv)
{
	const struct CMUnitTest tests[] = {cmocka_unit_test(test_up), cmocka_unit_test(test_dies)};
	int failed;

	if (argc == 4 && !strcmp(argv[1], "serve")) /* the stand-in is this program, started again */
		return serve_rpcbind(argv[3]);
	if (geteuid() || system("unshare -m true 2>/dev/null")) { /* a plain chroot */
		printf("1..0 # SKIP NFS servers want root, and a mount namespace\n");
		return 0;
	}
	prepare();
	failed = cmocka_run_group_tests(tests, NULL, NULL);
	if (!failed)
		unit_dir_remove(&dir);
	return failed;
}
