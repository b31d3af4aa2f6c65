/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * modules: init_module(2) on a mapping of the file; the pack holds them decompressed and in order, so that nothing here
 * knows of dependencies. A loaded file is removed: the rootfs is memory, and a small box has little. Nothing allocates.
 * Trap: a driver may hang in its probe; that is the child's fate, not PID 1's.
 */
#include "init/modules.h"
#include "common/clock.h"
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
#define MODULES_MS 60000

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

void modules_load(const char *pack, struct modules_result *r)
{
	char order[ORDER_BYTES_MAX], path[256];
	char *next = order;

	snprintf(path, sizeof path, "%s/order", pack);
	ssize_t n = io_read_small(path, order, sizeof order);
	if (n < 0)
		return;
	if ((size_t)n == sizeof order - 1)
		degraded_add(&r->degraded, "modules", "order", EFBIG);
	for (char *name; (name = strsep(&next, "\n"));) {
		if (!*name)
			continue;
		int err = EINVAL;
		if (!strchr(name, '/') && snprintf(path, sizeof path, "%s/modules/%s", pack, name) < (int)sizeof path)
			err = load_one(path);
		if (err) {
			degraded_add(&r->degraded, "module", name, err);
			continue;
		}
		r->loaded++;
		unlink(path);
	}
}

static void finish(struct modules *m)
{
	if (m->fd >= 0)
		close(m->fd);
	m->fd = -1;
	m->done_ns = clock_boot_ns();
}

static _Noreturn void run_child(const char *pack, int out)
{
	struct modules_result r = {0};

	modules_load(pack, &r);
	_exit(write(out, &r, sizeof r) != (ssize_t)sizeof r);
}

void modules_start(struct modules *m)
{
	char path[256];
	int p[2];

	if (m->started)
		return;
	m->started = 1;
	m->fd = -1;
	m->until_ms = clock_now_ms() + MODULES_MS;
	snprintf(path, sizeof path, "%s/order", m->pack);
	if (access(path, R_OK) < 0)
		return; /* a kernel that needs none */
	if (pipe(p) < 0) {
		modules_load(m->pack, &m->result);
		return;
	}
	io_set_cloexec(p[0]);
	io_set_cloexec(p[1]);
	io_set_nonblock(p[0], 1);
	pid_t pid = fork();
	if (pid == 0)
		run_child(m->pack, p[1]);
	close(p[1]);
	m->fd = p[0];
	if (pid < 0) {
		modules_load(m->pack, &m->result);
		finish(m);
	}
}

int modules_poll(struct modules *m)
{
	if (!m->started || m->done_ns)
		return 0;
	if (m->fd < 0) { /* there was nothing to do, or it is done */
		finish(m);
		return 1;
	}
	ssize_t n = read(m->fd, &m->result, sizeof m->result);
	if (n < 0 && (errno == EAGAIN || errno == EINTR)) {
		if (clock_now_ms() < m->until_ms)
			return 0;
		degraded_add(&m->result.degraded, "modules", "", ETIMEDOUT);
	} else if (n != (ssize_t)sizeof m->result) {
		m->result = (struct modules_result){0};
		degraded_add(&m->result.degraded, "modules", "", ECHILD);
	}
	finish(m);
	return 1;
}
