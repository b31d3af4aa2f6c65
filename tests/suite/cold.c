/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * cold: drop_caches, remount, fadvise.
 */
#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/mount.h>
#include <unistd.h>

#include "cold.h"
#include "mounts.h"

const char *const cold_names[] = {"auto", "drop_caches", "remount", "fadvise", "none", NULL};

static int drop_caches(void)
{
	int fd = open("/proc/sys/vm/drop_caches", O_WRONLY | O_CLOEXEC);
	ssize_t n;

	if (fd < 0)
		return 0;
	n = write(fd, "3\n", 2);
	close(fd);
	return n == 2;
}

static int fadvise(const char *path)
{
	int fd = path ? open(path, O_RDONLY | O_CLOEXEC) : -1;
	int err;

	if (fd < 0)
		return 0;
	fdatasync(fd); /* dirty pages stay */
	err = posix_fadvise(fd, 0, 0, POSIX_FADV_DONTNEED);
	close(fd);
	return !err;
}

/* Options that mount(2) takes as flags must not stand in its data; what else stands in /proc/mounts it takes back. */
static unsigned long take_flags(char *options)
{
	static const struct {
		const char *name;
		unsigned long flag;
	} flags[] = {
		{"rw", 0},
		{"ro", MS_RDONLY},
		{"noatime", MS_NOATIME},
		{"nodiratime", MS_NODIRATIME},
		{"relatime", MS_RELATIME},
		{"nosuid", MS_NOSUID},
		{"nodev", MS_NODEV},
		{"noexec", MS_NOEXEC},
		{"sync", MS_SYNCHRONOUS},
	};
	unsigned long found = 0;
	char rest[512] = "", *word, *save = NULL;

	for (word = strtok_r(options, ",", &save); word; word = strtok_r(NULL, ",", &save)) {
		size_t i = 0, n = sizeof(flags) / sizeof(flags[0]);

		while (i < n && strcmp(word, flags[i].name))
			i++;
		if (i < n) {
			found |= flags[i].flag;
			continue;
		}
		if (*rest)
			strcat(rest, ","); /* rest is as large as options, of which it is a part */
		strcat(rest, word);
	}
	strcpy(options, rest);
	return found;
}

/* 1, 0 where it is no mount point or busy, -errno where it came off and did not come back. */
static int remount(const char *dir)
{
	struct mounts_line m;
	unsigned long flags;

	if (mounts_read(dir, &m) || umount(dir))
		return 0;
	flags = take_flags(m.options);
	if (mount(m.source, dir, m.type, flags, m.options) && mount(m.source, dir, m.type, flags, NULL))
		return -errno;
	return 1;
}

int cold_make(enum cold_means want, const char *dir, const char *path)
{
	int done;

	if (want == COLD_NONE)
		return COLD_NONE;
	if (want == COLD_AUTO || want == COLD_DROP_CACHES) {
		sync();
		if (drop_caches())
			return COLD_DROP_CACHES;
	}
	if (want == COLD_AUTO || want == COLD_REMOUNT) {
		done = remount(dir);
		if (done)
			return done < 0 ? done : COLD_REMOUNT;
	}
	if ((want == COLD_AUTO || want == COLD_FADVISE) && fadvise(path))
		return COLD_FADVISE;
	return COLD_NONE;
}
