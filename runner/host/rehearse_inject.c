/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * rehearse_inject: what is done to a sweep that runs, and how it is undone. Files are never written over: what is served is moved aside
 * and something else put in its place, since the same inode may lie in the sweep's folder, in tftp/ and in kernels/.
 */
#include <errno.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "common/clock.h"
#include "common/err.h"
#include "common/io.h"
#include "host/lab.h"
#include "host/nfs_server.h"
#include "host/qmp.h"
#include "host/rehearse.h"
#include "host/server.h"

#define FILE_MAX_BYTES (256u << 20)
#define ASIDE ".aside"
#define NFS_TRIES 20

static int signal_server(const char *name, int sig)
{
	pid_t pid = server_pid(name);

	if (!pid)
		return -ESRCH;
	return kill(pid, sig) ? -errno : 0;
}

static int cut_power(const struct rehearse *r)
{
	char name[PLAN_ID_MAX + 8];

	snprintf(name, sizeof(name), "qemu-%s", r->board.name);
	return signal_server(name, SIGKILL);
}

static int qmp(const struct rehearse *r, const char *command)
{
	char sock[PLAN_ID_MAX + 8];

	snprintf(sock, sizeof(sock), "%s.qmp", r->board.name);
	return qmp_command(sock, command);
}

/* half: the first half of the file; else all of it, a byte in the middle flipped. */
static int swap_file(const char *path, int half)
{
	char *aside, *text;
	size_t len;
	int err = io_read_file(path, FILE_MAX_BYTES, &text, &len);

	if (err)
		return err;
	if (asprintf(&aside, "%s" ASIDE, path) < 0)
		return -ENOMEM;
	if (rename(path, aside))
		err = -errno;
	if (!half)
		text[len / 2] ^= 1;
	if (!err)
		err = io_write_file(path, text, half ? len / 2 : len, 0644);
	free(aside);
	free(text);
	return err;
}

static int put_back(const char *path)
{
	char *aside;
	int err = asprintf(&aside, "%s" ASIDE, path) < 0 ? -ENOMEM : 0;

	if (!err && rename(aside, path))
		err = -errno;
	free(aside);
	return err;
}

/* The image of the kernel that is measured, whatever its compression is called. malloc'd or NULL. */
static char *image_path(const struct rehearse *r)
{
	char folder[PLAN_ID_MAX + 16], start[PLAN_ID_MAX + 16], *path = NULL;
	size_t n;
	char **names;

	snprintf(folder, sizeof(folder), "sweeps/%s", r->sweep);
	snprintf(start, sizeof(start), "image-%s.cpio", r->kernel);
	names = lab_list(folder, &n);
	for (size_t i = 0; i < n && !path; i++)
		if (!strncmp(names[i], start, strlen(start)))
			path = lab_path("%s/%s", folder, names[i]);
	lab_list_free(names);
	return path;
}

static int with_file(char *path, int undo, int half)
{
	int err = !path ? -ENOENT : undo ? put_back(path) : swap_file(path, half);

	free(path);
	return err;
}

static char *file_of(const struct rehearse *r, enum rehearse_act act)
{
	return act == REHEARSE_HOME_CUT     ? lab_path("tftp/%s/image", r->board.name)
	       : act == REHEARSE_KERNEL_CUT ? lab_path("kernels/%s/vmlinuz", r->kernel)
	                                    : image_path(r);
}

int rehearse_inject(struct rehearse *r, const struct rehearse_fault *f)
{
	int err;

	switch (f->act) {
	case REHEARSE_POWER:
		return cut_power(r);
	case REHEARSE_KILL:
		rehearse_stop(r, SIGKILL);
		return 0;
	case REHEARSE_NET:
		return qmp(r, "{\"execute\":\"set_link\",\"arguments\":{\"name\":\"nic0\",\"up\":false}}");
	case REHEARSE_DHCP: /* packets are held back for longer than a rehearsal; the carrier stays */
		return qmp(r, "{\"execute\":\"object-add\",\"arguments\":{\"qom-type\":\"filter-buffer\",\"id\":\"held\",\"netdev\":\"net0\","
		              "\"interval\":4000000000}}");
	case REHEARSE_NFS_STOP:
		return signal_server(NFS_RESULTS, SIGSTOP);
	case REHEARSE_NFS_RESTART:
	case REHEARSE_NFS_GONE:
		return signal_server(NFS_RESULTS, SIGKILL);
	case REHEARSE_HOME_CUT:
		err = with_file(file_of(r, f->act), 0, 1);
		return err ? err : cut_power(r);
	case REHEARSE_KERNEL_CUT:
	case REHEARSE_IMAGE_CUT:
		return with_file(file_of(r, f->act), 0, 0);
	case REHEARSE_NONE:
		break;
	}
	return -EINVAL;
}

/* Another instance on the same ports; the station may be about to start one by itself. */
static int start_nfs(void)
{
	struct ports ports;
	char why[256];

	ports_load(&ports);
	for (int i = 0; i < NFS_TRIES; i++) {
		if (nfs_server_running() || !nfs_server_start(&ports, why, sizeof(why)))
			return 0;
		clock_sleep_ms(500);
	}
	return -EIO;
}

int rehearse_undo(struct rehearse *r, const struct rehearse_fault *f)
{
	switch (f->act) {
	case REHEARSE_KILL:
		rehearse_start(r);
		return 0;
	case REHEARSE_NET:
		return qmp(r, "{\"execute\":\"set_link\",\"arguments\":{\"name\":\"nic0\",\"up\":true}}");
	case REHEARSE_DHCP: /* gone already where the twin was started anew meanwhile */
		qmp(r, "{\"execute\":\"object-del\",\"arguments\":{\"id\":\"held\"}}");
		return 0;
	case REHEARSE_NFS_STOP:
		return signal_server(NFS_RESULTS, SIGCONT);
	case REHEARSE_NFS_RESTART:
	case REHEARSE_NFS_GONE:
		return start_nfs();
	case REHEARSE_HOME_CUT:
	case REHEARSE_KERNEL_CUT:
	case REHEARSE_IMAGE_CUT:
		return with_file(file_of(r, f->act), 1, 0);
	case REHEARSE_POWER:
	case REHEARSE_NONE:
		break;
	}
	return 0;
}
