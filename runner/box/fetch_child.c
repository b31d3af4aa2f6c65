/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * fetch_child: the sources that are children writing to a pipe: busybox's tftp, and a reader of the lab's NFS mount, which may
 * hang in D state and is then left behind.
 */
#include "box/fetch.h"
#include "box/sink_nfs.h"
#include "common/clock.h"
#include "common/io.h"
#include "common/proc.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#define LAB_DIR "/mnt/lab"
#define EXIT_MISSING 2
#define NFS_STALL_MS 20000

/* Reads a pipe to its end. 0, or -errno: -ETIMEDOUT when nothing came for that long. */
static int drain(struct fetch *f, int fd, int stall_ms)
{
	for (;;) {
		struct pollfd p = {.fd = fd, .events = POLLIN};

		promise_say(f->promise, (uint64_t)stall_ms + 20000);
		if (poll(&p, 1, stall_ms) <= 0)
			return -ETIMEDOUT;
		ssize_t n = read(fd, f->buf, FETCH_BUF_BYTES);
		if (n == 0)
			return 0;
		if (n < 0 && errno == EINTR)
			continue;
		int err = n < 0 ? -errno : fetch_take(f, f->buf, (size_t)n);
		if (err)
			return err;
	}
}

enum fetch_result fetch_by_tftp(struct fetch *f)
{
	char server[80], port[8] = "69", errors[256] = "";
	unsigned number;
	int out[2], err[2] = {-1, -1};

	if (job_addr_parse(f->net->tftp, 69, server, sizeof server, &number) < 0 || io_pipes(out, err) < 0)
		return FETCH_NONE;
	snprintf(port, sizeof port, "%u", number);
	const char *argv[] = {"tftp", "-g", "-b", "1428", "-l", "-", "-r", f->path, server, port, NULL};
	struct proc p = {.argv = argv, .fd = {-1, out[1], err[1], -1}};
	int code = proc_start(&p);
	close(out[1]);
	close(err[1]);
	if (!code) {
		code = drain(f, out[0], FETCH_STALL_MS);
		proc_wait(&p, code ? 0 : 2000, 200);
		io_set_nonblock(err[0], 1);
		ssize_t n = read(err[0], errors, sizeof errors - 1);
		errors[n > 0 ? n : 0] = 0;
		errors[strcspn(errors, "\n")] = 0;
		if (!code && p.status)
			code = -EIO;
	}
	close(out[0]);
	close(err[0]);
	if (!code)
		return FETCH_OK;
	snprintf(f->why, sizeof f->why, "tftp: %.64s", errors[0] ? errors : strerror(-code));
	return strstr(errors, "server error") || code == -EFBIG ? FETCH_WRONG : FETCH_NONE;
}

/* In the child: mount (a mount that is there already is used), open, copy. */
static int copy_from_lab(struct fetch *f, int out)
{
	char path[512];
	int err = 0;

	snprintf(path, sizeof path, LAB_DIR "/%s", f->path);
	int fd = open(path, O_RDONLY | O_CLOEXEC);
	if (fd < 0) {
		err = nfs_mount(f->net->nfs, "/lab", LAB_DIR, 1);
		fd = err ? -1 : open(path, O_RDONLY | O_CLOEXEC);
	}
	if (fd < 0)
		return !err && errno == ENOENT ? EXIT_MISSING : 1;
	return io_copy(fd, out, f->max_bytes, NULL) ? 1 : 0;
}

enum fetch_result fetch_by_nfs(struct fetch *f)
{
	int out[2], status = 0;

	if (io_pipe(out) < 0)
		return FETCH_NONE;
	pid_t pid = fork();
	if (pid == 0) {
		close(out[0]);
		signal(SIGPIPE, SIG_DFL);
		_exit(copy_from_lab(f, out[1]));
	}
	close(out[1]);
	int err = pid < 0 ? -EAGAIN : drain(f, out[0], NFS_STALL_MS);
	close(out[0]);
	if (pid < 0)
		return FETCH_NONE;
	if (err)
		kill(pid, SIGKILL);
	for (int i = 0; i < 100 && waitpid(pid, &status, WNOHANG) == 0; i++)
		clock_sleep_ms(1); /* one that is stuck stays behind, for PID 1 to reap */
	if (!err && WIFEXITED(status) && WEXITSTATUS(status) == 0)
		return FETCH_OK;
	int missing = !err && WIFEXITED(status) && WEXITSTATUS(status) == EXIT_MISSING;
	snprintf(f->why, sizeof f->why, "nfs: %s", missing ? "missing" : err ? strerror(-err) : "no answer");
	return missing || err == -EFBIG ? FETCH_WRONG : FETCH_NONE;
}
