/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * cmd_box_scratch: kdyno box scratch NAME DEVICE: writes the mark that lets a box write over a disk. It is the one command of kdyno
 * that can cost somebody their data, so it refuses what is in use or partitioned, and has the disk's model and size typed back.
 */
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <linux/fs.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/stat.h>
#include <sys/sysmacros.h>
#include <unistd.h>

#include "common/err.h"
#include "common/io.h"
#include "common/ptable.h"
#include "host/board.h"
#include "host/cmd.h"
#include "host/lab.h"
#include "host/scratch.h"

static const char *yes;

static const struct opt opts[] = {
	{"yes", OPT_STR, "MODEL", "what would be typed: model and bytes as shown, in one word of the shell", &yes},
	{0},
};

struct device {
	const char *path;
	int fd;
	int is_block;
	dev_t dev;
	uint64_t bytes;
	char model[128]; /* "VIRTIO DISK 268435456" */
};

static char *sys_path(const struct device *d, const char *below)
{
	char *path;
	if (asprintf(&path, "/sys/dev/block/%u:%u/%s", major(d->dev), minor(d->dev), below) < 0)
		err_die("out of memory");
	return path;
}

/* The disk's model; that of the whole disk for a partition. */
static void read_model(struct device *d)
{
	static const char *const files[] = {"device/model", "../device/model", NULL};
	char text[80] = "";
	for (size_t i = 0; d->is_block && !*text && files[i]; i++) {
		char *path = sys_path(d, files[i]);
		if (io_read_small(path, text, sizeof text) < 0)
			*text = '\0';
		free(path);
		for (size_t n = strlen(text); n && (text[n - 1] == ' ' || text[n - 1] == '\n');)
			text[--n] = '\0';
	}
	snprintf(d->model, sizeof d->model, "%s %llu", *text ? text : d->is_block ? "disk" : "file", (unsigned long long)d->bytes);
}

/* A line of a /proc file that names the device by its numbers or its path. */
static int is_in(const struct device *d, const char *file)
{
	char *text, numbers[32], word[300];
	size_t len;
	if (!d->is_block || io_read_file(file, 4 << 20, &text, &len))
		return 0;
	snprintf(numbers, sizeof numbers, " %u:%u ", major(d->dev), minor(d->dev));
	snprintf(word, sizeof word, "%s ", d->path);
	int found = strstr(text, numbers) || strstr(text, word);
	free(text);
	return found;
}

/* Partitions that the kernel sees are folders with a file `partition` in them. */
static int has_partitions(const struct device *d)
{
	char *folder = sys_path(d, "");
	DIR *dir = d->is_block ? opendir(folder) : NULL;
	int found = 0;
	for (struct dirent *e; dir && !found && (e = readdir(dir));) {
		char path[4096];
		found = e->d_name[0] != '.' && snprintf(path, sizeof path, "%s%s/partition", folder, e->d_name) < (int)sizeof path &&
		        !access(path, F_OK);
	}
	if (dir)
		closedir(dir);
	free(folder);
	return found;
}

/* The kind of the table on it, or NULL. */
static const char *find_table(const struct device *d)
{
	unsigned char s[PTABLE_BYTES];
	ssize_t n = pread(d->fd, s, sizeof s, 0);
	return has_partitions(d) ? "partitions" : n > 0 ? ptable_find(s, (size_t)n) : NULL;
}

static void open_device(struct device *d)
{
	struct stat st;
	if (stat(d->path, &st))
		err_die("%s:", d->path);
	d->is_block = S_ISBLK(st.st_mode);
	d->dev = st.st_rdev;
	if (!d->is_block && !S_ISREG(st.st_mode))
		err_die("%s: neither a block device nor a file", d->path);
	if (is_in(d, "/proc/self/mountinfo"))
		err_die("%s is mounted; it is somebody's", d->path);
	if (is_in(d, "/proc/swaps"))
		err_die("%s is swap; it is somebody's", d->path);
	/* O_EXCL on a block device: EBUSY where the kernel holds it or a part of it, for a mount, md or dm. */
	d->fd = open(d->path, O_RDWR | O_CLOEXEC | (d->is_block ? O_EXCL : 0));
	if (d->fd < 0 && errno == EBUSY)
		err_die("%s is in use (mounted, or part of a RAID or volume)", d->path);
	if (d->fd < 0)
		err_die("open %s:", d->path);
	d->bytes = (uint64_t)st.st_size;
	if (d->is_block && ioctl(d->fd, BLKGETSIZE64, &d->bytes))
		err_die("%s: size:", d->path);
	const char *table = find_table(d);
	if (table)
		err_die("%s has a partition table (%s); it is somebody's: name one of its partitions, or wipe it first", d->path, table);
	if (d->bytes < 16 << 20)
		err_die("%s: %llu bytes; a scratch disk has at least 16 MiB", d->path, (unsigned long long)d->bytes);
	read_model(d);
}

static void ask(const struct device *d, const char *box)
{
	char line[256];
	if (yes) {
		if (strcmp(yes, d->model))
			err_die("--yes='%s', but %s is '%s'; nothing was written", yes, d->path, d->model);
		return;
	}
	if (!isatty(STDIN_FILENO))
		err_usage("box scratch: nobody is there to ask; --yes='%s' says that %s may be written over", d->model, d->path);
	printf("Box %s may then write over all of %s, again and again. It is:\n  %s\nType that line to go on: ", box, d->path, d->model);
	fflush(stdout);
	if (!fgets(line, sizeof line, stdin))
		err_die("nothing was typed; nothing was written");
	line[strcspn(line, "\n")] = '\0';
	if (strcmp(line, d->model))
		err_die("that is not '%s'; nothing was written", d->model);
}

static int run(int argc, char **argv)
{
	struct board b;
	struct scratch_mark m;
	struct device d = {.fd = -1};
	if (argc != 2)
		err_usage("box scratch: which box, which device? (two words)");
	lab_require();
	board_load(&b, argv[0]);
	d.path = argv[1];
	open_device(&d);
	int have = scratch_mark_read(d.fd, d.bytes, &m);
	if (!have && !strcmp(m.box, b.name) && m.bytes == d.bytes) {
		printf("have the mark of box %s on %s (uuid %s)\n", m.box, d.path, m.uuid);
		return EXIT_OK;
	}
	if (!have)
		err_warn("%s carries the mark of box '%s', which will be gone", d.path, m.box);
	ask(&d, b.name);
	int err = scratch_mark_write(d.fd, b.name, d.bytes);
	if (err)
		err_die_code(err, "write %s:", d.path);
	if (close(d.fd))
		err_die("write %s:", d.path);
	if (b.scratch_bytes && b.scratch_bytes > d.bytes)
		err_warn("boards/%s.ini says scratch = %llu, the disk has %llu bytes: tests that need more will be skipped", b.name,
		         (unsigned long long)b.scratch_bytes, (unsigned long long)d.bytes);
	printf("marked %s as scratch of box %s\n", d.path, b.name);
	board_free(&b);
	return EXIT_OK;
}

const struct cmd cmd_box_scratch = {
	.name = "box scratch",
	.args = "NAME DEVICE [--yes MODEL]",
	.summary = "mark a disk or partition as one that a box may write over",
	.help = "The mark lies in the last 64 KiB of DEVICE (a block device or a file) and is how the box knows it, whatever it is called there.\n"
		"What is mounted, in use or partitioned is refused. The disk's model and size have to be typed back, or given with --yes.",
	.opts = opts,
	.run = run,
};
