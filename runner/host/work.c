/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * work: see work.h. Trap: a command that ends by err_die between begin and end would leave its folder behind; what runs in
 * between returns errors and leaves the last word to work_die.
 */
#include "host/work.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <ftw.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "common/clock.h"
#include "common/err.h"
#include "common/io.h"
#include "common/proc.h"

#define TMP ".tmp-"

int work_fail(struct work *w, int code, const char *fmt, ...)
{
	va_list ap;
	size_t n = strlen(fmt);
	if (*w->err)
		return code;
	va_start(ap, fmt);
	vsnprintf(w->err, sizeof w->err, fmt, ap);
	va_end(ap);
	if (n && fmt[n - 1] == ':') {
		n = strlen(w->err);
		snprintf(w->err + n, sizeof w->err - n, " %s", strerror(-code));
	}
	return code;
}

static int remove_one(const char *path, const struct stat *st, int type, struct FTW *f)
{
	(void)st;
	(void)f;
	(void)type;
	return remove(path) && errno != ENOENT ? -1 : 0;
}

int work_remove_tree(const char *path)
{
	if (nftw(path, remove_one, 32, FTW_DEPTH | FTW_PHYS) && errno != ENOENT)
		return -errno;
	return 0;
}

/* Folders of processes that are no more. */
static void remove_stale(const char *parent)
{
	DIR *d = opendir(parent);
	for (struct dirent *e; d && (e = readdir(d));) {
		char path[4352];
		long pid = strncmp(e->d_name, TMP, strlen(TMP)) ? 0 : atol(e->d_name + strlen(TMP));
		if (pid <= 0 || (pid != getpid() && !(kill((pid_t)pid, 0) && errno == ESRCH)))
			continue;
		snprintf(path, sizeof path, "%s/%s", parent, e->d_name);
		work_remove_tree(path);
	}
	if (d)
		closedir(d);
}

static void ending_signals(sigset_t *s)
{
	sigemptyset(s);
	sigaddset(s, SIGINT);
	sigaddset(s, SIGTERM);
	sigaddset(s, SIGHUP);
}

int work_begin(struct work *w, const char *parent)
{
	sigset_t block;
	memset(w, 0, sizeof *w);
	ending_signals(&block);
	sigprocmask(SIG_BLOCK, &block, &w->before);
	int err = io_mkdirs(parent, 0755);
	if (err)
		return work_fail(w, err, "cannot make %s:", parent);
	remove_stale(parent);
	if (asprintf(&w->dir, "%s/%s%ld", parent, TMP, (long)getpid()) < 0) {
		w->dir = NULL;
		return work_fail(w, -ENOMEM, "out of memory");
	}
	if (mkdir(w->dir, 0755))
		return work_fail(w, -errno, "cannot make %s:", w->dir);
	return 0;
}

int work_interrupted(struct work *w)
{
	static const int ending[] = {SIGINT, SIGTERM, SIGHUP};
	sigset_t pending;
	sigpending(&pending);
	for (size_t i = 0; i < 3; i++)
		if (sigismember(&pending, ending[i]) == 1) {
			work_fail(w, -EINTR, "interrupted; nothing is left behind, run it again");
			return 1;
		}
	return 0;
}

int work_place(struct work *w, const char *path)
{
	int fd = open(w->dir, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	if (fd < 0 || syncfs(fd)) {
		int err = -errno;
		if (fd >= 0)
			close(fd);
		return work_fail(w, err, "write %s:", w->dir);
	}
	close(fd);
	if (work_interrupted(w))
		return -EINTR;
	/* An empty folder would be replaced by rename(2); it is somebody's all the same. */
	if (!access(path, F_OK))
		return work_fail(w, -EEXIST, "%s is there already", path);
	if (rename(w->dir, path))
		return work_fail(w, -errno, "rename %s to %s:", w->dir, path);
	w->placed = 1;
	char parent[4096];
	snprintf(parent, sizeof parent, "%s", path);
	char *slash = strrchr(parent, '/');
	if (slash)
		*slash = '\0';
	fd = open(slash ? parent : ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	if (fd >= 0) {
		fsync(fd);
		close(fd);
	}
	return 0;
}

static void take_away(struct work *w)
{
	if (w->dir && !w->placed) {
		int err = work_remove_tree(w->dir);
		if (err)
			err_warn("remove %s: %s", w->dir, strerror(-err));
	}
	free(w->dir);
	w->dir = NULL;
}

void work_end(struct work *w)
{
	take_away(w);
	sigprocmask(SIG_SETMASK, &w->before, NULL);
}

void work_die(struct work *w)
{
	err_warn("%s", *w->err ? w->err : "failed");
	take_away(w);
	exit(EXIT_FAIL); /* a signal that waits stays blocked: an exit code, as for all that fails */
}

/* The last line that is not empty. */
static void last_line(int fd, char *out, size_t size)
{
	char text[4096];
	off_t end = lseek(fd, 0, SEEK_END), from = end < (off_t)sizeof text ? 0 : end - (off_t)sizeof text + 1;
	ssize_t n = pread(fd, text, sizeof text - 1, from);
	while (n > 0 && (text[n - 1] == '\n' || text[n - 1] == ' '))
		n--;
	text[n > 0 ? n : 0] = '\0';
	char *nl = strrchr(text, '\n');
	snprintf(out, size, "%.*s", (int)size - 1, nl ? nl + 1 : text);
}

/* Waits; the ticks are seldom enough for a terminal. */
static int look_after(struct work *w, struct work_command *c, struct proc *p)
{
	int ended = 0;
	for (unsigned n = 0; !ended; n++) {
		ended = proc_poll(p);
		if (ended)
			break;
		if (work_interrupted(w)) {
			proc_wait(p, 0, 2000);
			return -EINTR;
		}
		if (c->tick && n % 10 == 0)
			c->tick(c->user);
		clock_sleep_ms(20);
	}
	return ended < 0 ? ended : 0;
}

int work_run(struct work *w, struct work_command *c)
{
	/* In memory: on a full disk the reason must not be lost with the work. */
	int fd = memfd_create("log", MFD_CLOEXEC);
	int out = c->out ? open(c->out, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0600) : -1;
	if (fd < 0 || (c->out && out < 0)) {
		int code = work_fail(w, -errno, "open %s:", fd < 0 ? "a log" : c->out);
		if (fd >= 0)
			close(fd);
		return code;
	}
	struct proc p = {.argv = c->argv, .dir = c->dir, .fd = {-1, out, fd, -1}};
	int err = proc_start(&p);
	if (out >= 0)
		close(out);
	if (!err)
		err = look_after(w, c, &p);
	last_line(fd, c->tail, sizeof c->tail);
	close(fd);
	if (err)
		return err;
	return WIFEXITED(p.status) ? WEXITSTATUS(p.status) : 128 + WTERMSIG(p.status);
}

int work_copy(const char *from, const char *to)
{
	int err = 0, in = open(from, O_RDONLY | O_CLOEXEC);
	if (in < 0)
		return -errno;
	int out = open(to, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0644);
	if (out < 0)
		err = -errno;
	else
		err = io_copy(in, out, UINT64_MAX, NULL);
	if (!err && fsync(out))
		err = -errno;
	close(in);
	if (out >= 0 && close(out) && !err)
		err = -errno;
	return err;
}

int work_link(const char *from, const char *to)
{
	if (!link(from, to))
		return 0;
	if (errno == EXDEV || errno == EPERM || errno == EMLINK || errno == EOPNOTSUPP)
		return work_copy(from, to);
	return -errno;
}
