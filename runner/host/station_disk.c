/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * station_disk: the disk of the sweep is full, read-only, or broken. Nothing is answered then, so the box holds its records and asks again; what
 * it says meanwhile is held in memory; the twin and the servers stay. Every few seconds it is tried whether the sweep's folder can be written,
 * and once it can, kdyno starts itself anew: what the drive believed when a write failed is no ground to go on from, and the replay of
 * what is on disk is.
 */
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <unistd.h>

#include "common/clock.h"
#include "common/err.h"
#include "common/io.h"
#include "host/lab.h"
#include "host/station.h"

#define TRY_MS 3000
#define TRY_BYTES (1u << 20) /* more than the records of a boot usually take */
#define RESUMES_MAX 20       /* in a row: then it is no disk that is full, and starting anew does not help */
#define ARGS_BYTES 65536
#define ARGS_MAX 256

/* Errors that pass when somebody makes room, mounts it anew, or plugs it in. */
static int may_pass(int err)
{
	static const int passing[] = {ENOSPC, EDQUOT, EFBIG, EROFS, EIO, EACCES, EPERM, ENOENT, ESTALE, ENODEV, ENXIO, ETIMEDOUT};

	for (size_t i = 0; i < sizeof(passing) / sizeof(passing[0]); i++)
		if (err == -passing[i])
			return 1;
	return 0;
}

static int try_space(const char *path)
{
	char *block = calloc(1, TRY_BYTES);
	int fd = block ? open(path, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0644) : -1, err = 0;

	if (fd < 0)
		err = block ? -errno : -ENOMEM;
	if (!err)
		err = io_write_all(fd, block, TRY_BYTES);
	if (!err && fsync(fd))
		err = -errno;
	if (fd >= 0 && close(fd) && !err)
		err = -errno;
	unlink(path);
	free(block);
	return err;
}

/* What is appended to must be there to be appended to. */
static int try_file(const struct station *st, const char *name)
{
	char *path = lab_path("sweeps/%s/%s", st->sweep.id, name);
	int fd = open(path, O_WRONLY | O_APPEND | O_CLOEXEC), err = fd < 0 ? -errno : 0;

	if (fd >= 0)
		close(fd);
	free(path);
	return err;
}

static int try_disk(const struct station *st)
{
	char *path = lab_path("sweeps/%s/.space", st->sweep.id);
	int err = try_space(path);

	free(path);
	if (!err)
		err = try_file(st, "journal");
	return err ? err : try_file(st, "schedule");
}

/* Who asks by HTTP gets no answer, and asks again. */
static void turn_away(const struct station *st)
{
	int fd = accept4(st->ask_fd, NULL, NULL, SOCK_CLOEXEC | SOCK_NONBLOCK);

	if (fd >= 0)
		close(fd);
}

/* Until a signal, or the time is over; what the box says is held. */
static void wait_a_while(struct station *st)
{
	uint64_t until = clock_now_ms() + TRY_MS, now;
	char buf[65536];
	ssize_t n;

	while (!st->stopped && (now = clock_now_ms()) < until) {
		struct pollfd pfd[3] = {{.fd = st->signal_fd, .events = POLLIN},
		                        {.fd = st->ask_fd, .events = POLLIN},
		                        {.fd = st->is_twin ? -1 : port_poll_fd(&st->port), .events = POLLIN}};

		if (poll(pfd, 3, (int)(until - now)) <= 0)
			continue;
		if (pfd[0].revents)
			station_take_signals(st);
		if (pfd[1].revents)
			turn_away(st);
		if (!pfd[2].revents)
			continue;
		n = port_read(&st->port, buf, sizeof(buf));
		if (n > 0)
			conlog_feed(&st->conlog, buf, (size_t)n, clock_unix_ms());
		else if (n < 0)
			port_close(&st->port); /* it is opened again by the one that goes on */
	}
}

/* The same command once more, in this process, with all that runs left running. */
static void __attribute__((noreturn)) start_anew(struct station *st)
{
	static char words[ARGS_BYTES];
	char *argv[ARGS_MAX + 1], times[16], *path = "/proc/self/exe";
	ssize_t n = io_read_small("/proc/self/cmdline", words, sizeof(words));
	size_t argc = 0;

	for (char *p = words; n > 0 && p < words + n && argc < ARGS_MAX; p += strlen(p) + 1)
		argv[argc++] = p;
	argv[argc] = NULL;
	progress_end(&st->progress);
	fflush(stdout);
	snprintf(times, sizeof(times), "%u", st->resumes + 1);
	setenv(STATION_RESUMED, times, 1);
	if (argc)
		execv(path, argv);
	err_die("start kdyno anew:");
}

/* What neither room nor time mends, each with the way out. */
static void die_of_size(const struct station *st, int err)
{
	if (err == -EMSGSIZE)
		err_die("a line for %s is too long to be written, most likely the command line of a subject: make the sweep anew with a shorter "
		        "cmdline in boards/%s.ini or in the variant",
		        st->sweep.id, st->board.name);
	if (err == -E2BIG)
		err_die("%s has more than kdyno takes (%u lines of a schedule): make a sweep of fewer rounds, what is complete in this one stays",
		        st->sweep.id, PLAN_TRIES_MAX);
	if (err == -EINVAL)
		err_die("the schedule or the manifest in %s cannot be read as one any more: it was changed by hand, or its disk is bad",
		        st->sweep.dir);
}

void station_wait_disk(struct station *st)
{
	int err = st->drive.err, first = err;

	die_of_size(st, err);
	if (!may_pass(err) || st->resumes >= RESUMES_MAX)
		err_die_code(err, "cannot write to %s, the sweep stops here (nothing is lost; 'kdyno sweep run %s' goes on):", st->sweep.dir,
		             st->sweep.id);
	st->answering = 0;
	station_say(st, DRIVE_SAY_WARN, "waiting: disk: %s (%s); the box is not answered until it can be written again", strerror(-first),
	            st->sweep.dir);
	do
		wait_a_while(st);
	while (!st->stopped && ((err = try_disk(st)) || (err = conlog_retry(&st->conlog, st->is_twin, clock_unix_ms()))));
	if (st->stopped)
		return;
	station_say(st, DRIVE_SAY_NOTE, "the disk can be written again: going on");
	power_stop(&st->power); /* the one that goes on knows nothing of a cycle that has begun */
	evidence_close(&st->evidence);
	start_anew(st);
}
