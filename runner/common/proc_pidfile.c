/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * proc_pidfile: processes that outlive the command that started them: `pid start-time` in a file.
 *
 * The start time (field 22 of /proc/pid/stat, in clock ticks since boot; proc(5)) tells a process from a later one that got the
 * same pid. The trap: field 2 is the program's name in parentheses and may hold spaces and parentheses, so fields are counted from
 * the last `)`.
 */
#include <errno.h>
#include <inttypes.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "common/clock.h"
#include "common/io.h"
#include "common/proc.h"

#define DEAD_MS 5000

/* Start time of a process that runs; -ESRCH if there is none, or only its remains. */
static int read_start_time(pid_t pid, uint64_t *out)
{
	char path[64], buf[1024], state;
	const char *s;
	ssize_t n;

	snprintf(path, sizeof(path), "/proc/%ld/stat", (long)pid);
	n = io_read_small(path, buf, sizeof(buf));
	if (n == -ENOENT)
		return -ESRCH;
	if (n < 0)
		return (int)n;
	s = strrchr(buf, ')');
	if (!s || sscanf(s + 1, " %c %*s %*s %*s %*s %*s %*s %*s %*s %*s %*s %*s %*s %*s %*s %*s %*s %*s %*s %" SCNu64, &state, out) != 2)
		return -EINVAL;
	return state == 'Z' || state == 'X' ? -ESRCH : 0;
}

int proc_pidfile_write(const char *path, pid_t pid)
{
	char buf[64];
	uint64_t start;
	int err, n;

	if (pid <= 1)
		return -EINVAL;
	err = read_start_time(pid, &start);
	if (err)
		return err;
	n = snprintf(buf, sizeof(buf), "%ld %" PRIu64 "\n", (long)pid, start);
	return io_write_file(path, buf, (size_t)n, 0644);
}

pid_t proc_pidfile_check(const char *path)
{
	char buf[64], end;
	uint64_t want, start;
	long pid;
	ssize_t n = io_read_small(path, buf, sizeof(buf));
	int err;

	if (n == -ENOENT)
		return 0;
	if (n < 0)
		return (pid_t)n;
	/* Strict: a signal will go to what stands there. */
	if (sscanf(buf, "%9ld %19" SCNu64 "%c", &pid, &want, &end) != 3 || end != '\n' || pid <= 1)
		return -EINVAL;
	err = read_start_time((pid_t)pid, &start);
	if (err == -ESRCH)
		return 0;
	if (err)
		return err;
	return start == want ? (pid_t)pid : 0;
}

/* 0 when it is gone, 1 when the time is over, -errno. */
static int wait_gone(const char *path, uint64_t timeout_ms)
{
	uint64_t start = clock_now_ms();

	for (;;) {
		pid_t pid = proc_pidfile_check(path);

		if (pid <= 0)
			return pid;
		if (clock_now_ms() - start >= timeout_ms)
			return 1;
		clock_sleep_ms(10);
	}
}

int proc_pidfile_stop(const char *path, uint64_t grace_ms)
{
	pid_t pid = proc_pidfile_check(path), whom;
	int r;

	if (pid < 0)
		return pid;
	if (pid) {
		whom = getpgid(pid) == pid ? -pid : pid;
		kill(whom, SIGTERM);
		r = wait_gone(path, grace_ms);
		if (r > 0 || whom < 0) /* also those of its group that did not hear TERM; a lone pid may be another's by now */
			kill(whom, SIGKILL);
		if (r > 0)
			r = wait_gone(path, DEAD_MS);
		if (r)
			return r < 0 ? r : -ETIMEDOUT;
	}
	return unlink(path) && errno != ENOENT ? -errno : 0;
}
