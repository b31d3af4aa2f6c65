/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * scratch: finding the disk. Nodes are made from /proc/partitions' numbers, because /dev may lack them or name them
 * otherwise. Trap: opening some devices blocks (floppy, rom) or spins them up, so names are chosen first.
 */
#include "box/scratch.h"
#include "common/clock.h"
#include "common/io.h"
#include "common/kv.h"
#include "common/ptable.h"

#include <ctype.h>
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/mount.h>
#include <sys/stat.h>
#include <sys/sysmacros.h>
#include <sys/wait.h>
#include <unistd.h>

#include <linux/fs.h>

#define UNMOUNT_MS 20000
#define BUSY_MS 5000

static int maybe_mounted = 1; /* a runner that died may have left it so */

int scratch_mark_check(const char *s, size_t len, const char *box, uint64_t bytes, const char **why)
{
	static struct kv_line l; /* 5 KiB; no threads here */
	const char *nl = memchr(s, '\n', len);
	uint64_t v;

	if (len < 14 || strncmp(s, "kdyno-scratch ", 14) || !nl || kv_parse_crc(&l, s, (size_t)(nl - s)) < 0)
		return 0;
	*why = NULL;
	if (kv_u64(&l, "v", &v) || v != 1)
		*why = "mark of another version";
	else if (!kv_get(&l, "box") || strcmp(kv_get(&l, "box"), box))
		*why = "mark of another box";
	else if (kv_u64(&l, "bytes", &v) || v != bytes)
		*why = "mark of another size";
	return *why ? -1 : 1;
}

int scratch_is_disk_name(const char *name)
{
	static const char *const letters[] = {"sd", "hd", "vd", "xvd"};
	size_t len = strlen(name);

	if (strchr(name, '/') || len < 3)
		return 0;
	for (size_t i = 0; i < sizeof letters / sizeof *letters; i++)
		if (!strncmp(name, letters[i], strlen(letters[i])))
			return isalpha((unsigned char)name[len - 1]) != 0;
	if (!strncmp(name, "nvme", 4) || !strncmp(name, "mmcblk", 6)) {
		const char *p = strrchr(name, 'p');

		return !(p && isdigit((unsigned char)p[1]) && p > name && isdigit((unsigned char)p[-1]));
	}
	return 0;
}

int scratch_is_listed(const char *text, const char *name)
{
	size_t n = strlen(name);

	for (const char *line = text; line && *line; line = strchr(line, '\n'), line += line != NULL)
		if (!strncmp(line, "/dev/", 5) && !strncmp(line + 5, name, n) && (line[5 + n] == ' ' || line[5 + n] == '\t'))
			return 1;
	return 0;
}

struct disk {
	int marks;   /* disks with our mark, whatever else is the matter with them */
	int refused; /* the first of them is somebody's */
	uint64_t bytes;
	char name[32];
	char why[64]; /* of a disk that nearly was it */
};

/* NULL, or who has the disk. The node is that of name. */
static const char *find_user(const char *name, unsigned major, unsigned minor)
{
	static char text[16384];
	uint64_t until = clock_now_ms() + BUSY_MS;
	char want[32], *line, *next = text;
	int fd;

	snprintf(want, sizeof want, " %u:%u ", major, minor); /* mountinfo's third field; since 2.6.26 */
	if (io_read_small("/proc/self/mountinfo", text, sizeof text) > 0)
		while ((line = strsep(&next, "\n")))
			if (strstr(line, want))
				return "mounted";
	if (io_read_small("/proc/mounts", text, sizeof text) > 0 && scratch_is_listed(text, name))
		return "mounted";
	if (io_read_small("/proc/swaps", text, sizeof text) > 0 && scratch_is_listed(text, name))
		return "swap";
	/* Whatever the kernel holds (md, dm, a mount that is not seen from here) cannot be opened so since 2.6; our own last mount may take a moment to go. */
	while ((fd = open(SCRATCH_NODE, O_RDONLY | O_NONBLOCK | O_EXCL | O_CLOEXEC)) < 0 && errno == EBUSY && clock_now_ms() < until)
		clock_sleep_ms(50);
	if (fd >= 0)
		close(fd);
	return fd < 0 && errno == EBUSY ? "in use" : NULL;
}

/* Why a disk with the right mark is not to be written on all the same; 0, or -1 with d->why. */
static int refuse(struct disk *d, int fd, const char *name, unsigned major, unsigned minor)
{
	unsigned char first[PTABLE_BYTES];
	const char *table, *user;

	if (pread(fd, first, sizeof first, 0) != (ssize_t)sizeof first) {
		snprintf(d->why, sizeof d->why, "the marked disk cannot be read");
		return -1;
	}
	if ((table = ptable_find(first, sizeof first))) {
		snprintf(d->why, sizeof d->why, "the marked disk has a partition table (%s)", table);
		return -1;
	}
	if ((user = find_user(name, major, minor))) {
		snprintf(d->why, sizeof d->why, "the marked disk is %s", user);
		return -1;
	}
	return 0;
}

static void look_at(struct disk *d, const char *name, unsigned major, unsigned minor, const char *box)
{
	char mark[4096];
	uint64_t bytes = 0;
	const char *why = NULL;

	unlink(SCRATCH_NODE);
	if (mknod(SCRATCH_NODE, S_IFBLK | 0600, makedev(major, minor)) < 0)
		return;
	int fd = open(SCRATCH_NODE, O_RDONLY | O_NONBLOCK | O_CLOEXEC);
	if (fd < 0)
		return;
	if (ioctl(fd, BLKGETSIZE64, &bytes) == 0 && bytes >= 4 * SCRATCH_MARK_BYTES &&
	    pread(fd, mark, sizeof mark, (off_t)(bytes - SCRATCH_MARK_BYTES)) == (ssize_t)sizeof mark) {
		int r = scratch_mark_check(mark, sizeof mark, box, bytes, &why);

		if (r < 0 && !d->marks)
			snprintf(d->why, sizeof d->why, "%s", why);
		if (r == 1 && d->marks++ == 0) {
			d->bytes = bytes;
			snprintf(d->name, sizeof d->name, "%s", name);
			d->refused = refuse(d, fd, name, major, minor);
		}
	}
	close(fd);
}

/* Leaves SCRATCH_NODE pointing at the disk. */
static int find_disk(struct disk *d, const char *box)
{
	static char text[16384]; /* one mark too many must be seen */
	char *line, *next = text;
	unsigned major, minor, found_major = 0, found_minor = 0;
	unsigned long long blocks;
	char name[32];

	if (io_read_small("/proc/partitions", text, sizeof text) < 0) {
		snprintf(d->why, sizeof d->why, "no /proc/partitions");
		return -1;
	}
	while ((line = strsep(&next, "\n"))) {
		int before = d->marks;

		if (sscanf(line, "%u %u %llu %31s", &major, &minor, &blocks, name) != 4 || !scratch_is_disk_name(name))
			continue;
		look_at(d, name, major, minor, box);
		if (!before && d->marks) {
			found_major = major;
			found_minor = minor;
		}
	}
	unlink(SCRATCH_NODE);
	if (d->marks != 1 || d->refused) {
		if (d->marks > 1 || !*d->why)
			snprintf(d->why, sizeof d->why, "%s", d->marks ? "two disks with a mark" : "no disk with a mark");
		return -1;
	}
	if (mknod(SCRATCH_NODE, S_IFBLK | 0600, makedev(found_major, found_minor)) < 0) {
		snprintf(d->why, sizeof d->why, "cannot make a node");
		return -1;
	}
	return 0;
}

/* The superblock that is on the disk now. */
static int read_super(struct mkfs_super *super)
{
	unsigned char text[MKFS_SUPER_BYTES];
	int fd = open(SCRATCH_NODE, O_RDONLY | O_CLOEXEC);
	ssize_t n;

	if (fd < 0)
		return -errno;
	n = pread(fd, text, sizeof text, MKFS_SUPER_AT);
	close(fd);
	return mkfs_super_parse(super, text, n > 0 ? (size_t)n : 0);
}

static int mount_it(int ext4)
{
	static const char *const types[] = {"ext4", "ext2", "ext4", "ext3"};

	/* What was made as ext2 may be mounted by whoever can; types[0] is for what is an ext4. */
	for (size_t i = ext4 ? 0 : 1; i < (ext4 ? 1 : sizeof types / sizeof *types); i++)
		if (mount(SCRATCH_NODE, SCRATCH_DIR, types[i], MS_NOATIME | MS_NOSUID | MS_NODEV, NULL) == 0) {
			maybe_mounted = 1;
			return 0;
		}
	return -errno;
}

static int kernel_has_ext4(void)
{
	char text[4096];

	return io_read_small("/proc/filesystems", text, sizeof text) < 0 || mkfs_kernel_has(text, "ext4");
}

int scratch_make(struct scratch *s, const char *box, const char *args, char *reason, size_t size)
{
	struct mkfs_want want;
	struct disk d = {0};

	*s = (struct scratch){0};
	if (mkfs_want(&want, args)) {
		snprintf(reason, size, "fs= is none of ext2, ext4, keep, keep-ext4");
		return -1;
	}
	if (want.ext4 && !kernel_has_ext4()) {
		snprintf(reason, size, "this kernel has no ext4");
		return -1;
	}
	if (scratch_unmount()) {
		snprintf(reason, size, "the last test's file system hangs");
		return -1;
	}
	if (find_disk(&d, box)) {
		snprintf(reason, size, "%s", d.why);
		return -1;
	}
	snprintf(s->disk, sizeof s->disk, "%s", d.name);
	s->ext4 = want.ext4;
	s->kept = want.keep && !read_super(&s->super) && s->super.ext4 == want.ext4 && !mount_it(want.ext4);
	if (s->kept)
		return 0;
	if (mkfs_run(want.ext4, SCRATCH_NODE, d.bytes - SCRATCH_MARK_BYTES, reason, size))
		return -1;
	read_super(&s->super);
	int err = mount_it(want.ext4);
	if (err)
		snprintf(reason, size, "mount %s: %s", d.name, strerror(-err));
	return err ? -1 : 0;
}

/* In a child: what is written out on the way may hang for ever, and the runner must not. */
int scratch_unmount(void)
{
	uint64_t until = clock_now_ms() + UNMOUNT_MS;
	pid_t pid, r;

	if (!maybe_mounted)
		return 0;
	pid = fork();
	if (pid == 0) {
		umount2(SCRATCH_DIR, MNT_DETACH);
		_exit(0);
	}
	if (pid < 0)
		umount2(SCRATCH_DIR, MNT_DETACH);
	while (pid > 0 && (r = waitpid(pid, NULL, WNOHANG)) != pid) {
		if (r < 0 && errno != EINTR)
			break;
		if (clock_now_ms() >= until) {
			kill(pid, SIGKILL);
			return -1;
		}
		clock_sleep_ms(2);
	}
	maybe_mounted = 0;
	return 0;
}
