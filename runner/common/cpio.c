/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * cpio: writes newc archives. The first error sticks and is told by cpio_close; after it nothing more is written.
 *
 * The trap: the kernel's reader wants header and name together padded to 4 bytes, and data padded to 4 bytes, counted from the
 * archive's own start; and it refuses nothing, so that a mistake here shows as a file that is not there.
 */
#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>

#include "common/cpio.h"
#include "common/io.h"

#define NAME_MAX_BYTES 1024
#define HEADER_BYTES 110

void cpio_open(struct cpio *c, int fd)
{
	c->fd = fd;
	c->ino = 0;
	c->bytes = 0;
	c->err = 0;
}

static void put(struct cpio *c, const void *data, size_t len)
{
	if (!c->err)
		c->err = io_write_all(c->fd, data, len);
	if (!c->err)
		c->bytes += len;
}

static void pad(struct cpio *c, unsigned to)
{
	static const char zeros[512];

	put(c, zeros, (to - (unsigned)(c->bytes & (to - 1))) & (to - 1));
}

/* Below the root, and nowhere else: relative, without empty, `.` or `..` parts. */
static int is_path(const char *path)
{
	size_t len = strlen(path);

	if (!len || len >= NAME_MAX_BYTES)
		return 0;
	for (;;) {
		size_t n = strcspn(path, "/");

		if (!n || (n == 1 && path[0] == '.') || (n == 2 && !memcmp(path, "..", 2)))
			return 0;
		if (!path[n])
			return 1;
		path += n + 1;
	}
}

/* What newc says of an entry beside its name and its data. */
struct head {
	uint32_t ino;
	unsigned mode, nlink, major, minor;
};

static void put_entry(struct cpio *c, const char *path, const struct head *h, const void *data, size_t len)
{
	char head[HEADER_BYTES + NAME_MAX_BYTES + 1];
	int n;

	if (len > UINT32_MAX && !c->err)
		c->err = -EFBIG;
	if (c->err)
		return;
	/* ino mode uid gid nlink mtime filesize dev (2) rdev (2) namesize check */
	n = snprintf(head, sizeof(head), "070701%08X%08X%08X%08X%08X%08X%08X%08X%08X%08X%08X%08X%08X%s", h->ino, h->mode, 0u, 0u, h->nlink, 0u,
	             (unsigned)len, 0u, 0u, h->major, h->minor, (unsigned)strlen(path) + 1, 0u, path);
	put(c, head, (size_t)n + 1);
	pad(c, 4);
	if (len) /* put(NULL, 0) would be undefined further down */
		put(c, data, len);
	pad(c, 4);
}

static void put_named(struct cpio *c, const char *path, const struct head *h, const void *data, size_t len)
{
	struct head numbered = *h;

	if (!c->err && !is_path(path))
		c->err = -EINVAL;
	if (c->err)
		return;
	numbered.ino = ++c->ino;
	put_entry(c, path, &numbered, data, len);
}

void cpio_dir(struct cpio *c, const char *path, unsigned mode)
{
	put_named(c, path, &(struct head){.mode = S_IFDIR | (mode & 07777), .nlink = 2}, NULL, 0);
}

void cpio_node(struct cpio *c, const char *path, unsigned mode, unsigned major, unsigned minor)
{
	if (!c->err && !S_ISCHR(mode) && !S_ISBLK(mode))
		c->err = -EINVAL;
	put_named(c, path, &(struct head){.mode = mode, .nlink = 1, .major = major, .minor = minor}, NULL, 0);
}

void cpio_file(struct cpio *c, const char *path, unsigned mode, const void *data, size_t len)
{
	put_named(c, path, &(struct head){.mode = S_IFREG | (mode & 07777), .nlink = 1}, data, len);
}

void cpio_link(struct cpio *c, const char *path, const char *target)
{
	if (!c->err && !*target)
		c->err = -EINVAL;
	put_named(c, path, &(struct head){.mode = S_IFLNK | 0777, .nlink = 1}, target, strlen(target));
}

int cpio_close(struct cpio *c)
{
	put_entry(c, "TRAILER!!!", &(struct head){.nlink = 1}, NULL, 0);
	pad(c, 512);
	return c->err;
}
