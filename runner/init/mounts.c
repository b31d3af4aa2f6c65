/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * mounts: directories, file systems and nodes. Contract: EBUSY and EEXIST are success (the kernel or an earlier life of PID 1
 * has done it). Trap: a devtmpfs hides the nodes that the rootfs carries, so they are made again where they lack.
 */
#include "init/mounts.h"
#include "init/log.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <sys/mount.h>
#include <sys/stat.h>
#include <sys/sysmacros.h>

struct mount_row {
	const char *name, *dir, *type, *data;
	unsigned long flags;
	int required;
};

static const struct mount_row mount_table[] = {
	{"proc", "/proc", "proc", NULL, MS_NOSUID | MS_NODEV | MS_NOEXEC, 1}, {"sysfs", "/sys", "sysfs", NULL, MS_NOSUID | MS_NODEV | MS_NOEXEC, 0},
	{"devtmpfs", "/dev", "devtmpfs", "mode=755", MS_NOSUID, 0},           {"run", "/run", "tmpfs", "mode=755,size=80%", MS_NOSUID | MS_NODEV, 1},
	{"tmp", "/tmp", "tmpfs", "mode=1777", MS_NOSUID | MS_NODEV, 1},
};

struct node_row {
	const char *path;
	mode_t mode;
	unsigned major, minor;
};

static const struct node_row node_table[] = {
	{"/dev/console", S_IFCHR | 0600, 5, 1}, {"/dev/null", S_IFCHR | 0666, 1, 3},    {"/dev/zero", S_IFCHR | 0666, 1, 5},
	{"/dev/random", S_IFCHR | 0666, 1, 8},  {"/dev/urandom", S_IFCHR | 0666, 1, 9}, {"/dev/kmsg", S_IFCHR | 0600, 1, 11},
	{"/dev/ttyS0", S_IFCHR | 0600, 4, 64},  {"/dev/ttyS1", S_IFCHR | 0600, 4, 65},  {"/dev/watchdog", S_IFCHR | 0600, 10, 130},
};

static const char *const dir_table[] = {"/run/kd", "/mnt", "/mnt/results", "/mnt/lab", "/mnt/scratch", "/mnt/nfstest"};

static int mount_one(const struct mount_row *m)
{
	mkdir(m->dir, 0755);
	if (mount(m->type, m->dir, m->type, m->flags, m->data) == 0 || errno == EBUSY)
		return 0;
	int err = errno;
	/* Old tmpfs knows no percentage, and older kernels no tmpfs at all. */
	if (m->data && err == EINVAL && mount(m->type, m->dir, m->type, m->flags, NULL) == 0)
		return 0;
	if (!strcmp(m->type, "tmpfs") && mount("ramfs", m->dir, "ramfs", m->flags, NULL) == 0)
		return 0;
	return err;
}

static void make_nodes(struct degraded *d)
{
	for (size_t i = 0; i < sizeof node_table / sizeof *node_table; i++) {
		const struct node_row *n = &node_table[i];

		/* A watchdog or serial port that is not there is told by open(2); only console and null are missed. */
		if (mknod(n->path, n->mode, makedev(n->major, n->minor)) < 0 && errno != EEXIST && i < 2)
			degraded_add(d, "node", n->path + 5, errno);
	}
}

/* devtmpfs knows better than the table which ports exist; nodes are only made where it is missing. */
void mounts_make(struct degraded *d)
{
	int devtmpfs = 0;

	for (size_t i = 0; i < sizeof mount_table / sizeof *mount_table; i++) {
		const struct mount_row *m = &mount_table[i];
		int err = mount_one(m);

		if (!err && !strcmp(m->name, "devtmpfs"))
			devtmpfs = 1;
		if (!err)
			continue;
		degraded_add(d, "mount", m->name, err);
		if (m->required)
			log_line("cannot mount %s on %s: %s", m->type, m->dir, strerror(err));
	}
	if (!devtmpfs)
		make_nodes(d);
	for (size_t i = 0; i < sizeof dir_table / sizeof *dir_table; i++)
		if (mkdir(dir_table[i], 0755) < 0 && errno != EEXIST)
			degraded_add(d, "dir", strrchr(dir_table[i], '/') + 1, errno);
}
