/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * nfs_server: see nfs_server.h. What the config needs, and why: NLM and RQUOTA off (each would want a port and rpcbind);
 * mount_path_pseudo, so that v3 mounts the same paths as v4; Graceless, since the grace period of 90 s would hold up the first
 * open; a recovery folder of its own, since /var/lib/nfs may not be there. Seen with 4.3: it runs without dbus, but for v3 not without
 * rpcbind, so each gets a /run of its own in which serve_rpcbind.c says yes.
 */
#include <errno.h>
#include <ftw.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "common/clock.h"
#include "common/err.h"
#include "common/io.h"
#include "common/proc.h"
#include "host/cmd.h"
#include "host/lab.h"
#include "host/nfs_server.h"
#include "host/server.h"

#define START_MS 15000
#define STOP_MS 3000
#define NOBODY 65534
#define NOBODY_TEXT "65534"
#define LOG_MAX (1u << 20)
#define RPCBIND "nfs-rpcbind"
#define MTAB "/etc/mtab"

/* sh:  becomes /run, in a mount namespace of its own; then the rest is what it becomes. */
static const char enter[] = "mount --bind \"$1\" /run && shift && exec \"$@\"";

#define AS_ROOT "No_Root_Squash"
#define AS_NOBODY "All_Squash;\n  Anonymous_Uid = " NOBODY_TEXT ";\n  Anonymous_Gid = " NOBODY_TEXT

static int export_block(char *out, size_t size, unsigned id, const char *path, const char *pseudo, const char *access, const char *squash)
{
	return snprintf(out, size,
	                "EXPORT {\n"
	                "  Export_Id = %u;\n  Path = \"%s\";\n  Pseudo = \"%s\";\n  Access_Type = %s;\n  Squash = %s;\n"
	                "  Protocols = 3,4;\n  Transports = UDP,TCP;\n  SecType = sys;\n  FSAL { Name = VFS; }\n}\n",
	                id, path, pseudo, access, squash);
}

static int write_config(const char *path, unsigned nfs, unsigned mnt, const char *recovery, const char *exports)
{
	char *text;
	int n = asprintf(&text,
	                 "NFS_CORE_PARAM {\n"
	                 "  Bind_addr = 127.0.0.1;\n  NFS_Port = %u;\n  MNT_Port = %u;\n  Enable_NLM = false;\n  Enable_RQUOTA = false;\n"
	                 "  mount_path_pseudo = true;\n  Protocols = 3,4;\n  Enable_UDP = true;\n  NSM_Use_Caller_Name = false;\n}\n"
	                 "NFSv4 {\n  Graceless = true;\n  RecoveryRoot = \"%s\";\n  Allow_Numeric_Owners = true;\n  Only_Numeric_Owners = true;\n}\n"
	                 "LOG { Default_Log_Level = EVENT; }\n%s",
	                 nfs, mnt, recovery, exports);
	int err = n < 0 ? -ENOMEM : io_write_file(path, text, (size_t)n, 0644);

	if (n >= 0)
		free(text);
	return err;
}

/* Quotes and control bytes in a path would end the string in ganesha's config. */
static int is_plain(const char *path)
{
	for (const char *p = path; *p; p++)
		if (*p == '"' || *p == '\\' || *p < ' ')
			return 0;
	return 1;
}

/*
 * It listens first and registers with rpcbind then, and ends where nobody answers: the stand-in must stay until it says that it is up.
 * One that lives and listens for START_MS is taken to be up, whatever its words are.
 */
static int wait_up(const char *name, const char *log)
{
	uint64_t start = clock_now_ms();
	int up = 0;

	while (!up && clock_now_ms() - start < START_MS) {
		char *text = NULL;
		size_t len;
		int empty = 0;

		if (!io_read_file(log, LOG_MAX, &text, &len)) {
			up = strstr(text, "NFS SERVER INITIALIZED") != NULL;
			empty = up && strstr(text, "Could not create export");
		}
		free(text);
		if (empty)
			return -EIO; /* it runs, and refuses every mount */
		if (!up && !server_pid(name))
			return -ECHILD;
		if (!up)
			clock_sleep_ms(20);
	}
	return 0;
}

static int launch(const char *name, unsigned nfs, unsigned mnt, const char *exports, char *why, size_t size)
{
	char *conf = lab_path("run/%s.conf", name), *log = lab_path("run/%s.log", name), *pid = lab_path("run/%s.own-pid", name);
	char *recovery = lab_path("run/%s.recovery", name), *run = lab_path("run/nfs"), words[128];
	const char *argv[] = {"unshare", "-m", "sh", "-c", enter, "sh", run,  "ganesha.nfsd", "-F",
	                      "-f",      conf, "-L", log,  "-p",  pid,  "-N", "NIV_EVENT",    NULL};
	int err = ports_check(nfs);

	if (!err)
		err = ports_check(mnt);
	if (err)
		snprintf(why, size, "port %u or %u (NFS): %s", nfs, mnt, strerror(-err));
	if (!err && (err = io_mkdirs(recovery, 0755)))
		snprintf(why, size, "%s: %s", recovery, strerror(-err));
	if (!err && (err = write_config(conf, nfs, mnt, recovery, exports)))
		snprintf(why, size, "%s: %s", conf, strerror(-err));
	unlink(pid);
	if (!err && (err = server_start(name, argv)))
		snprintf(why, size, "%s", err == -ENOENT ? "ganesha.nfsd is missing (package nfs-ganesha, nfs-ganesha-vfs)" : strerror(-err));
	if (!err && ((err = server_wait_port(name, nfs, START_MS)) || (err = wait_up(name, log)))) {
		server_last_words(name, words, sizeof(words));
		snprintf(why, size, "ganesha.nfsd %s: %s (its log is run/%s.log)",
		         err == -ECHILD ? "ended"
		         : err == -EIO  ? "exports nothing"
		                        : "does not listen",
		         words, name);
		server_stop(name, STOP_MS);
	}
	free(conf);
	free(log);
	free(pid);
	free(recovery);
	free(run);
	return err;
}

/* The stand-in for rpcbind, while they start. */
static int start_rpcbind(char *why, size_t size)
{
	char *folder = lab_path("run/nfs"), *sock = lab_path("run/nfs/rpcbind.sock"), self[PATH_MAX];
	const char *argv[] = {self, "serve", "rpcbind", folder, NULL};
	int err = io_mkdirs(folder, 0755);

	server_self(self, sizeof(self));
	server_stop(RPCBIND, 500); /* of a station that was killed in here */
	unlink(sock);
	if (!err)
		err = server_start(RPCBIND, argv);
	for (int i = 0; !err && access(sock, F_OK); i++) {
		if (i == 200 || !server_pid(RPCBIND))
			err = -ETIMEDOUT;
		clock_sleep_ms(10);
	}
	if (err)
		snprintf(why, size, "its stand-in for rpcbind does not start: %s", strerror(-err));
	free(folder);
	free(sock);
	return err;
}

/*
 * A mount namespace needs a root that is a mount point, which that of a plain chroot is not; and the VFS back end finds no file system to
 * export in such a root either.
 */
static int can_unshare(void)
{
	static const char *const argv[] = {"unshare", "-m", "true", NULL};
	char out[64];
	size_t len;
	int status;

	return !proc_output(argv, 5000, out, sizeof(out), &len, &status) && !status;
}

static int give(const char *path, const struct stat *st, int kind, struct FTW *ftw)
{
	(void)st;
	(void)kind;
	(void)ftw;
	return lchown(path, NOBODY, NOBODY) ? -errno : 0;
}

/* All that a box writes is nobody's: a box must not be able to leave a set-uid file or a device node of root's on the station. */
static int give_to_nobody(const char *folder, char *why, size_t size)
{
	int err = nftw(folder, give, 16, FTW_PHYS);

	if (err)
		snprintf(why, size, "cannot give %s to nobody: %s", folder, strerror(err < -1 ? -err : errno));
	return err;
}

int nfs_server_start(const struct ports *p, char *why, size_t size)
{
	char *results = lab_path("results"), *test = lab_path("nfs-test"), text[8192];
	int err = 0, n;

	if (geteuid()) {
		snprintf(why, size, "only root may start it");
		err = -EPERM;
	} else if (!is_plain(cmd_lab()) || strlen(cmd_lab()) > 1024) {
		snprintf(why, size, "the lab's path is not fit for its config");
		err = -EINVAL;
	}
	if (!err && server_pid(NFS_RESULTS) && server_pid(NFS_TEST))
		goto out;
	if (!err && !can_unshare()) {
		snprintf(why, size, "the root directory is no mount point (a chroot?); bind-mount it onto itself before entering it");
		err = -EINVAL;
	}
	if (!err && access(MTAB, F_OK)) { /* where the VFS back end looks for the file systems that it exports */
		snprintf(why, size, "%s is missing: ln -s /proc/self/mounts %s", MTAB, MTAB);
		err = -ENOENT;
	}
	if (!err)
		err = give_to_nobody(results, why, size);
	if (!err)
		err = give_to_nobody(test, why, size);
	if (!err)
		err = start_rpcbind(why, size);
	if (!err && !server_pid(NFS_RESULTS)) {
		n = export_block(text, sizeof(text), 1, cmd_lab(), "/kd/lab", "RO", AS_ROOT);
		export_block(text + n, sizeof(text) - (size_t)n, 2, results, "/kd/results", "RW", AS_NOBODY);
		err = launch(NFS_RESULTS, p->port[PORT_NFS], p->port[PORT_NFS_MOUNT], text, why, size);
	}
	if (!err && !server_pid(NFS_TEST)) {
		export_block(text, sizeof(text), 3, test, "/kd/test", "RW", AS_NOBODY);
		err = launch(NFS_TEST, p->port[PORT_NFSTEST], p->port[PORT_NFSTEST_MOUNT], text, why, size);
	}
	server_stop(RPCBIND, 500);
out:
	free(results);
	free(test);
	return err;
}

int nfs_server_running(void) { return server_pid(NFS_RESULTS) != 0; }

void nfs_server_stop(void)
{
	server_stop(NFS_RESULTS, STOP_MS);
	server_stop(NFS_TEST, STOP_MS);
	server_stop(RPCBIND, 500);
}
