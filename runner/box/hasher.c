/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * hasher: the child is told how far it may read, reads with pread(2) and answers when the pipe is closed. Trap: it opens the file
 * anew, read-only, and closes what it inherited: the kernel loads no file that anybody has open for writing (ETXTBSY).
 */
#include "box/hasher.h"
#include "common/clock.h"
#include "common/io.h"
#include "common/sha256.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#define STEP_BYTES (256u << 10)
#define BUF_BYTES 65536

static int hash_to(struct sha256 *s, int fd, off_t at, uint64_t *done, uint64_t end)
{
	static unsigned char buf[BUF_BYTES];

	while (*done < end) {
		size_t want = end - *done < sizeof buf ? (size_t)(end - *done) : sizeof buf;
		ssize_t n = pread(fd, buf, want, at + (off_t)*done);

		if (n <= 0)
			return -EIO;
		sha256_update(s, buf, (size_t)n);
		*done += (uint64_t)n;
	}
	return 0;
}

static int run_child(int inherited, off_t at, int grow, int result)
{
	struct sha256 s;
	uint64_t done = 0, end;
	char hex[65], path[40];

	snprintf(path, sizeof path, "/proc/self/fd/%d", inherited);
	int fd = open(path, O_RDONLY | O_CLOEXEC);
	close(inherited);
	if (fd < 0)
		return 1;
	sha256_init(&s);
	while (read(grow, &end, sizeof end) == (ssize_t)sizeof end)
		if (hash_to(&s, fd, at, &done, end) < 0)
			return 1;
	sha256_final_hex(&s, hex);
	return io_write_all(result, hex, 64) < 0;
}

int hasher_start(struct hasher *h, int fd, off_t at)
{
	int grow[2], result[2];

	*h = (struct hasher){.grow_fd = -1, .result_fd = -1};
	int err = io_pipes(grow, result);
	if (err)
		return err;
	pid_t pid = fork();
	if (pid == 0) {
		close(grow[1]);
		close(result[0]);
		_exit(run_child(fd, at, grow[0], result[1]));
	}
	close(grow[0]);
	close(result[1]);
	h->grow_fd = grow[1];
	h->result_fd = result[0];
	h->pid = pid;
	if (pid < 0) {
		h->pid = 0;
		hasher_drop(h);
		return -EAGAIN;
	}
	return 0;
}

static void tell(struct hasher *h, uint64_t bytes)
{
	/* Eight bytes a quarter of a megabyte: the pipe holds 2 GiB of file before this could block. */
	if (write(h->grow_fd, &bytes, sizeof bytes) == (ssize_t)sizeof bytes)
		h->said = bytes;
}

void hasher_grow(struct hasher *h, uint64_t bytes)
{
	if (h->pid && bytes - h->said >= STEP_BYTES)
		tell(h, bytes);
}

void hasher_finish(struct hasher *h, uint64_t bytes)
{
	if (!h->pid || h->grow_fd < 0)
		return;
	if (bytes > h->said)
		tell(h, bytes);
	close(h->grow_fd);
	h->grow_fd = -1;
}

int hasher_result(struct hasher *h, char hex[65], uint64_t timeout_ms)
{
	uint64_t until = clock_now_ms() + timeout_ms, now;
	size_t have = 0;
	int err = h->pid ? 0 : -EIO;

	while (!err && have < 64) {
		struct pollfd p = {.fd = h->result_fd, .events = POLLIN};

		now = clock_now_ms();
		if (now >= until || poll(&p, 1, (int)(until - now)) <= 0) {
			err = -ETIMEDOUT;
			break;
		}
		ssize_t n = read(h->result_fd, hex + have, 64 - have);
		if (n <= 0)
			err = -EIO;
		else
			have += (size_t)n;
	}
	hex[have] = 0;
	hasher_drop(h);
	return err;
}

void hasher_drop(struct hasher *h)
{
	if (h->pid) {
		kill(h->pid, SIGKILL);
		waitpid(h->pid, NULL, 0);
	}
	if (h->grow_fd >= 0)
		close(h->grow_fd);
	if (h->result_fd >= 0)
		close(h->result_fd);
	*h = (struct hasher){.grow_fd = -1, .result_fd = -1};
}
