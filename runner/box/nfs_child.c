/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * nfs_child: mounts the results, copies the records file as it grows, appends to the journal, all with fsync; on an error it lets go
 * of the mount and tries again with a back-off. After each mount the records are written again from their start: the same
 * bytes at the same offsets, whatever a soft mount has lost. Whatever fails (a server that is gone or new, a disk that is full or
 * read-only) is one thing: the mount is lost, and the runner goes on without it.
 */
#include "box/sink_nfs.h"
#include "common/clock.h"
#include "common/io.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mount.h>
#include <sys/stat.h>
#include <unistd.h>

#define RESULTS_DIR "/mnt/results"
#define RETRY_FIRST_MS 1000
#define RETRY_MAX_MS 30000
#define QUEUE_BYTES 8192

struct nfs_child {
	/* given */
	const struct job *job;
	const char *records_path;
	int in, out;
	/* running */
	int net_up, mounted;
	int from_fd, to_fd, journal_fd;
	off_t copied;
	uint64_t retry_ms, next_ms;
	char queue[QUEUE_BYTES]; /* requests that are not done yet */
	size_t queued;
};

static void reply(const struct nfs_child *c, const char *word, unsigned id, int err)
{
	char line[64];
	int n = err ? snprintf(line, sizeof line, "%s %u %d\n", word, id, err) : snprintf(line, sizeof line, "%s %u\n", word, id);

	if (write(c->out, line, (size_t)n) < 0)
		_exit(1);
}

static void close_files(struct nfs_child *c)
{
	int *fd[] = {&c->to_fd, &c->journal_fd};

	for (size_t i = 0; i < sizeof fd / sizeof *fd; i++) {
		if (*fd[i] >= 0)
			close(*fd[i]);
		*fd[i] = -1;
	}
}

static int open_files(struct nfs_child *c)
{
	char dir[256], path[300];

	snprintf(dir, sizeof dir, RESULTS_DIR "/%s/%s", c->job->sweep, c->job->box);
	int err = io_mkdirs(dir, 0755);
	if (err)
		return err;
	snprintf(path, sizeof path, "%s/%08" PRIx32 ".kd1", dir, c->job->tag);
	c->to_fd = open(path, O_WRONLY | O_CREAT | O_CLOEXEC, 0644);
	if (c->to_fd < 0)
		return -errno;
	c->copied = 0;
	return 0;
}

/* Lets go; what was asked for stays queued. */
static void lose_mount(struct nfs_child *c, int err)
{
	char line[32];
	int n = snprintf(line, sizeof line, "unmounted %d\n", -err);

	close_files(c);
	umount2(RESULTS_DIR, MNT_DETACH);
	c->mounted = 0;
	c->next_ms = clock_now_ms() + c->retry_ms;
	c->retry_ms = c->retry_ms * 2 < RETRY_MAX_MS ? c->retry_ms * 2 : RETRY_MAX_MS;
	if (write(c->out, line, (size_t)n) < 0)
		_exit(1);
}

/* All that is not there yet. A short write is no error before the next one says why: a full disk takes what it can. */
static int write_records(struct nfs_child *c, const char *buf, size_t len)
{
	while (len) {
		ssize_t n = pwrite(c->to_fd, buf, len, c->copied);

		if (n < 0 && errno == EINTR)
			continue;
		if (n <= 0)
			return n < 0 ? -errno : -EIO;
		c->copied += n;
		buf += n;
		len -= (size_t)n;
	}
	return 0;
}

static int copy_records(struct nfs_child *c)
{
	char buf[16384];
	ssize_t n;

	if (c->from_fd < 0)
		c->from_fd = open(c->records_path, O_RDONLY | O_CLOEXEC);
	if (c->from_fd < 0)
		return -errno;
	while ((n = pread(c->from_fd, buf, sizeof buf, c->copied)) > 0) {
		int err = write_records(c, buf, (size_t)n);

		if (err)
			return err;
	}
	if (n < 0)
		return -errno;
	return fsync(c->to_fd) < 0 ? -errno : 0;
}

/* It is there when what there is so far could be put there: a mount of a full or read-only disk is none. */
static void try_mount(struct nfs_child *c)
{
	char line[48];
	int err = nfs_mount(c->job->net.nfs, "/results", RESULTS_DIR, 0);
	uint64_t ms = clock_boot_ms();

	if (!err)
		err = open_files(c);
	if (!err)
		err = copy_records(c);
	if (err) {
		lose_mount(c, err);
		return;
	}
	c->mounted = 1;
	c->retry_ms = RETRY_FIRST_MS;
	int n = snprintf(line, sizeof line, "mounted %" PRIu64 "\n", ms);
	if (write(c->out, line, (size_t)n) < 0)
		_exit(1);
}

static int append_journal(struct nfs_child *c, const char *line, size_t len)
{
	char path[300];

	if (c->journal_fd < 0) {
		snprintf(path, sizeof path, RESULTS_DIR "/%s/%s/journal", c->job->sweep, c->job->box);
		c->journal_fd = io_append_open(path);
	}
	return c->journal_fd < 0 ? c->journal_fd : io_append(c->journal_fd, line, len);
}

/* One request, newline included. 0: done and answered; an error: the mount is bad, keep it queued. */
static int serve(struct nfs_child *c, const char *req, size_t len)
{
	unsigned id = 0;
	int skip = 0, err;

	if (sscanf(req, "sync %u", &id) == 1) {
		err = copy_records(c);
	} else if (sscanf(req, "journal %u %n", &id, &skip) == 1 && skip > 0) {
		err = append_journal(c, req + skip, len - (size_t)skip);
		if (err == -ENOSPC || err == -EDQUOT) { /* remounting does not help */
			reply(c, "failed", id, -err);
			return 0;
		}
	} else {
		return 0;
	}
	if (!err)
		reply(c, "done", id, 0);
	return err;
}

static void drop_request(struct nfs_child *c, size_t len)
{
	c->queued -= len;
	memmove(c->queue, c->queue + len, c->queued + 1);
}

/*
 * Makes room in a full queue, which only a mount that is lost lets grow: each new mount begins with all records, so a sync that stands before
 * another request needs nothing of its own. A line of the journal is never dropped: it would count as done with what follows it.
 */
static void drop_syncs(struct nfs_child *c)
{
	size_t kept = 0, at = 0;
	char *nl;

	while ((nl = memchr(c->queue + at, '\n', c->queued - at))) {
		size_t len = (size_t)(nl - (c->queue + at)) + 1;
		int last = !memchr(nl + 1, '\n', c->queued - at - len);

		if (last || strncmp(c->queue + at, "sync ", 5) != 0) {
			memmove(c->queue + kept, c->queue + at, len);
			kept += len;
		}
		at += len;
	}
	memmove(c->queue + kept, c->queue + at, c->queued - at + 1);
	c->queued -= at - kept;
}

static void work(struct nfs_child *c)
{
	char *nl;

	while ((nl = memchr(c->queue, '\n', c->queued))) {
		size_t len = (size_t)(nl - c->queue) + 1;

		if (!strncmp(c->queue, "net\n", 4)) {
			c->net_up = 1;
			drop_request(c, len);
			continue;
		}
		if (!c->net_up)
			return;
		if (!c->mounted && clock_now_ms() >= c->next_ms)
			try_mount(c);
		if (!c->mounted)
			return;
		int err = serve(c, c->queue, len);
		if (err) {
			lose_mount(c, err);
			return;
		}
		drop_request(c, len);
	}
	if (c->net_up && !c->mounted && clock_now_ms() >= c->next_ms)
		try_mount(c);
}

int nfs_child_run(const struct job *j, const char *records_path, int in, int out)
{
	static struct nfs_child child;
	struct nfs_child *c = &child;

	*c = (struct nfs_child){.job = j, .records_path = records_path, .in = in, .out = out, .retry_ms = RETRY_FIRST_MS};
	c->from_fd = c->to_fd = c->journal_fd = -1;
	for (;;) {
		struct pollfd p = {.fd = in, .events = POLLIN};
		uint64_t now = clock_now_ms();
		int wait = c->net_up && !c->mounted ? (int)(c->next_ms > now ? c->next_ms - now : 1) : -1;

		if (c->queued == sizeof c->queue - 1)
			drop_syncs(c);
		if (c->queued == sizeof c->queue - 1)
			p.fd = -1; /* nothing but the journal: the pipe fills up, and the runner learns that nothing is taken any more */
		if (poll(&p, 1, wait) > 0) {
			ssize_t n = read(in, c->queue + c->queued, sizeof c->queue - 1 - c->queued);

			if (n <= 0)
				return 0;
			c->queued += (size_t)n;
			c->queue[c->queued] = 0;
		}
		work(c);
	}
}
