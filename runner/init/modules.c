/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * modules: init_module(2) on a mapping of the file; the pack holds them decompressed and in order, so that nothing here
 * knows of dependencies. A loaded file is removed: the rootfs is memory, and a small box has little. Nothing allocates.
 * The software watchdog is the last resort: it is loaded only where nothing else has /dev/watchdog.
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
#define PARAMS_BYTES_MAX 512
#define WATCHDOG_MINOR 130 /* <linux/miscdevice.h> */
#define SOFTWARE_WATCHDOG "softdog.ko"

static char fold(char c) { return c == '-' ? '_' : c; }

/* The bytes of name that a word and a file share: all of the file's name without .ko, or 0. */
static size_t names_module(const char *word, const char *file)
{
	size_t n = strcspn(file, ".");

	for (size_t i = 0; i < n; i++)
		if (!word[i] || fold(word[i]) != fold(file[i]))
			return 0;
	return word[n] == '.' ? n : 0;
}

void modules_params(const char *cmdline, const char *file, char *out, size_t size)
{
	size_t at = 0;

	out[0] = 0;
	for (const char *w = cmdline + strspn(cmdline, " \n"); *w; w += strspn(w, " \n")) {
		size_t len = strcspn(w, " \n"), n = names_module(w, file);

		if (n && len > n + 1 && at + (len - n) < size)
			at += (size_t)snprintf(out + at, size - at, "%s%.*s", at ? " " : "", (int)(len - n - 1), w + n + 1);
		w += len;
	}
}

int modules_have_watchdog(const char *misc)
{
	unsigned minor;

	for (; *misc; misc += strcspn(misc, "\n"), misc += *misc == '\n')
		if (sscanf(misc, "%u", &minor) == 1 && minor == WATCHDOG_MINOR)
			return 1;
	return 0;
}

static int has_watchdog(void)
{
	char misc[2048];

	return io_read_small("/proc/misc", misc, sizeof misc) > 0 && modules_have_watchdog(misc);
}

/* 0 or an errno. */
static int load_one(const char *path, const char *params)
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
			if (syscall(SYS_init_module, p, (unsigned long)len, params) < 0 && errno != EEXIST)
				err = errno;
			munmap(p, len);
		}
	}
	close(fd);
	return err;
}

static void load_named(const char *pack, const char *name, const char *cmdline, struct modules_result *r)
{
	char path[256], params[PARAMS_BYTES_MAX];
	int err = EINVAL;

	modules_params(cmdline, name, params, sizeof params);
	if (!strchr(name, '/') && snprintf(path, sizeof path, "%s/modules/%s", pack, name) < (int)sizeof path)
		err = load_one(path, params);
	if (err) {
		degraded_add(&r->degraded, "module", name, err);
		return;
	}
	r->loaded++;
	unlink(path);
}

void modules_load(const char *pack, struct modules_result *r)
{
	static char cmdline[4096]; /* of the child alone */
	char order[ORDER_BYTES_MAX], path[256];
	char *next = order;
	int software = 0;

	snprintf(path, sizeof path, "%s/order", pack);
	ssize_t n = io_read_small(path, order, sizeof order);
	if (n < 0)
		return;
	if ((size_t)n == sizeof order - 1)
		degraded_add(&r->degraded, "modules", "order", EFBIG);
	if (io_read_small("/proc/cmdline", cmdline, sizeof cmdline) < 0)
		cmdline[0] = 0;
	for (char *name; (name = strsep(&next, "\n"));) {
		if (!strcmp(name, SOFTWARE_WATCHDOG))
			software = 1;
		else if (*name)
			load_named(pack, name, cmdline, r);
	}
	if (software && !has_watchdog())
		load_named(pack, SOFTWARE_WATCHDOG, cmdline, r);
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
