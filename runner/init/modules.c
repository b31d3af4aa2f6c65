/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * modules: init_module(2) on a mapping of the file; the pack holds them decompressed and in order, so that nothing here
 * knows of dependencies. A loaded file is removed: the rootfs is memory, and a small box has little. Nothing allocates.
 */
#include "init/modules.h"
#include "common/io.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#define MODULE_BYTES_MAX (64 << 20)
#define ORDER_BYTES_MAX 16384

/* 0 or an errno. */
static int load_one(const char *path)
{
	struct stat st;
	int err = 0;
	int fd = open(path, O_RDONLY | O_CLOEXEC);

	if (fd < 0)
		return errno;
	if (fstat(fd, &st) < 0) {
		err = errno;
	} else if (!S_ISREG(st.st_mode) || st.st_size <= 0 || st.st_size > MODULE_BYTES_MAX) {
		err = EFBIG;
	} else {
		size_t len = (size_t)st.st_size;
		void *p = mmap(NULL, len, PROT_READ, MAP_PRIVATE | MAP_POPULATE, fd, 0);

		if (p == MAP_FAILED) {
			err = errno;
		} else {
			if (syscall(SYS_init_module, p, (unsigned long)len, "") < 0 && errno != EEXIST)
				err = errno;
			munmap(p, len);
		}
	}
	close(fd);
	return err;
}

unsigned modules_load(const char *pack, struct degraded *d)
{
	char order[ORDER_BYTES_MAX], path[256];
	unsigned loaded = 0;
	char *next = order;

	snprintf(path, sizeof path, "%s/order", pack);
	ssize_t n = io_read_small(path, order, sizeof order);
	if (n < 0)
		return 0; /* no pack: a kernel that needs none */
	if ((size_t)n == sizeof order - 1)
		degraded_add(d, "modules", "order", EFBIG);
	for (char *name; (name = strsep(&next, "\n"));) {
		if (!*name)
			continue;
		int err = EINVAL;
		if (!strchr(name, '/') && snprintf(path, sizeof path, "%s/modules/%s", pack, name) < (int)sizeof path)
			err = load_one(path);
		if (err) {
			degraded_add(d, "module", name, err);
			continue;
		}
		loaded++;
		unlink(path);
	}
	return loaded;
}
