/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * small_writes: seek back and fill, sparse, append and close, look up, link.
 */
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "common/clock.h"
#include "small_writes.h"

#define SECTOR PATTERN_SECTOR
#define UNIT 8         /* sectors of a page: the least that clients cache */
#define STRIDE 17      /* sectors from one sparse write to the next: each at another place of its page */
#define REREAD 8       /* one reread a so many writes */
#define NOTE_OPS 32    /* one look at the clock a so many operations */
#define SCATTER 40503u /* odd: i -> i * SCATTER takes each sector of a power of two once */

enum { SEEKBACK_FILE = 1, SPARSE_FILE, APPEND_FILE, LINK_FILE };

static const char *path(struct small_writes *s, const char *name, unsigned i)
{
	snprintf(s->path, sizeof(s->path), "%s/%s%u", s->dir, name, i);
	return s->path;
}

static void count(struct small_writes *s, uint64_t bytes)
{
	s->ops++;
	s->done += bytes;
	if (!(s->ops % NOTE_OPS))
		progress_note(s->progress, clock_now_ns(), s->done);
}

static int put(struct small_writes *s, int fd, unsigned file, uint64_t sector)
{
	const char *from = pattern_at(&s->pattern, sector * SECTOR, SECTOR, file);
	ssize_t n = pwrite(fd, from, SECTOR, (off_t)(sector * SECTOR));

	if (n != SECTOR)
		return n < 0 ? -errno : -EIO;
	count(s, SECTOR);
	return 0;
}

/* -EILSEQ also where it is too short. */
static int check(struct small_writes *s, int fd, unsigned file, uint64_t sector)
{
	uint64_t buf[SECTOR / 8];
	ssize_t n = pread(fd, buf, SECTOR, (off_t)(sector * SECTOR));

	if (n < 0)
		return -errno;
	if (n == SECTOR)
		return pattern_check(&s->pattern, buf, SECTOR, sector * SECTOR, file, &s->bad);
	s->bad = sector * SECTOR;
	return -EILSEQ;
}

static int check_hole(struct small_writes *s, int fd, uint64_t sector)
{
	static const uint64_t zeros[SECTOR / 8];
	uint64_t buf[SECTOR / 8];
	ssize_t n = pread(fd, buf, SECTOR, (off_t)(sector * SECTOR));

	if (n < 0)
		return -errno;
	s->bad = sector * SECTOR;
	return n == SECTOR && !memcmp(buf, zeros, SECTOR) ? 0 : -EILSEQ;
}

/* fsync where all went well, close in any case; the first error. */
static int finish(int fd, int err)
{
	if (!err && fsync(fd))
		err = -errno;
	if (close(fd) && !err)
		err = -errno;
	return err;
}

static int open_new(const char *name)
{
	int fd = open(name, O_RDWR | O_CREAT | O_TRUNC | O_CLOEXEC, 0600);

	return fd < 0 ? -errno : fd;
}

static int open_old(const char *name)
{
	int fd = open(name, O_RDONLY | O_CLOEXEC);

	return fd < 0 ? -errno : fd;
}

/* Of each page all but the first sector, then that; the first page of the file only when all others are there. */
static int seekback(struct small_writes *s)
{
	uint64_t units = s->seekback_bytes / (UNIT * SECTOR);
	int fd = open_new(path(s, "seekback", 0)), err = 0;

	if (fd < 0)
		return fd;
	for (uint64_t i = 1; i <= units && !err; i++) {
		uint64_t unit = i % units;

		for (unsigned k = 1; k <= UNIT && !err; k++)
			err = put(s, fd, SEEKBACK_FILE, unit * UNIT + k % UNIT);
	}
	return finish(fd, err);
}

static int verify_seekback(struct small_writes *s)
{
	int fd = open_old(path(s, "seekback", 0)), err = 0;

	if (fd < 0)
		return fd;
	for (uint64_t i = 0; i < s->seekback_bytes / SECTOR && !err; i++)
		err = check(s, fd, SEEKBACK_FILE, i);
	close(fd);
	return err;
}

/* Small writes, each beyond the end of the file; what is between stays a hole, the first 8 KiB too. */
static int sparse(struct small_writes *s)
{
	int fd = open_new(path(s, "sparse", 0)), err = 0;

	if (fd < 0)
		return fd;
	for (uint64_t i = 1; i <= s->sparse_writes && !err; i++)
		err = put(s, fd, SPARSE_FILE, i * STRIDE);
	return finish(fd, err);
}

static int verify_sparse(struct small_writes *s)
{
	int fd = open_old(path(s, "sparse", 0)), err = 0;

	if (fd < 0)
		return fd;
	for (uint64_t i = 1; i <= s->sparse_writes && !err; i++) {
		err = check(s, fd, SPARSE_FILE, i * STRIDE);
		if (!err)
			err = check_hole(s, fd, i * STRIDE - 1);
		if (!err)
			err = check_hole(s, fd, i * STRIDE - STRIDE / 2);
	}
	close(fd);
	return err;
}

/* Any piece of the pattern. */
static void copy(struct small_writes *s, char *out, uint64_t at, size_t len)
{
	while (len) {
		size_t skip = (size_t)(at % SECTOR), n = SECTOR - skip < len ? SECTOR - skip : len;
		const char *from = pattern_at(&s->pattern, at - skip, SECTOR, APPEND_FILE);

		memcpy(out, from + skip, n);
		out += n;
		at += n;
		len -= n;
	}
}

/* A log as a shell script writes it: open, append, close, again and again. */
static int append(struct small_writes *s)
{
	char buf[4096];

	path(s, "append", 0);
	unlink(s->path);
	for (unsigned i = 0; i < s->appends; i++) {
		int fd = open(s->path, O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0600);
		ssize_t n;

		if (fd < 0)
			return -errno;
		copy(s, buf, (uint64_t)i * s->append_bytes, s->append_bytes);
		n = write(fd, buf, s->append_bytes);
		if (n != (ssize_t)s->append_bytes) {
			int err = n < 0 ? -errno : -EIO;

			close(fd);
			return err;
		}
		if (close(fd))
			return -errno;
		count(s, s->append_bytes);
	}
	return 0;
}

static int verify_append(struct small_writes *s)
{
	int fd = open_old(path(s, "append", 0)), err = 0;
	char want[4096], got[4096];

	if (fd < 0)
		return fd;
	for (unsigned i = 0; i < s->appends && !err; i++) {
		ssize_t n = read(fd, got, s->append_bytes);

		copy(s, want, (uint64_t)i * s->append_bytes, s->append_bytes);
		s->bad = (uint64_t)i * s->append_bytes;
		if (n != (ssize_t)s->append_bytes || memcmp(got, want, s->append_bytes))
			err = n < 0 ? -errno : -EILSEQ;
	}
	if (!err && read(fd, got, 1) != 0)
		err = -EILSEQ; /* longer than what was written */
	close(fd);
	return err;
}

/* Empty files, once. */
static int prepare_lookup(struct small_writes *s)
{
	struct stat st;

	if (!stat(path(s, "name", s->names - 1), &st))
		return 0;
	for (unsigned i = 0; i < s->names; i++) {
		int fd = open_new(path(s, "name", i));

		if (fd < 0)
			return fd;
		if (close(fd))
			return -errno;
	}
	return 0;
}

/* A search path: a name that is there and one that is not, in turn. */
static int lookup(struct small_writes *s)
{
	struct stat st;

	for (unsigned i = 0; i < s->names; i++) {
		if (stat(path(s, "name", i), &st))
			return -errno;
		count(s, 0);
		if (!stat(path(s, "none", i), &st))
			return -EPROTO;
		if (errno != ENOENT)
			return -errno;
		count(s, 0);
	}
	return 0;
}

static uint64_t scattered(const struct small_writes *s, uint64_t i) { return i * SCATTER & (s->link_bytes / SECTOR - 1); }

/* The writes of a link editor: small, scattered over several files, some read again. */
static int link_writes(struct small_writes *s, const int *fd)
{
	for (uint64_t i = 0; i < s->link_bytes / SECTOR; i++)
		for (unsigned f = 0; f < LINK_FILES; f++) {
			int err = put(s, fd[f], LINK_FILE + f, scattered(s, i));

			if (!err && !((i * LINK_FILES + f) % REREAD))
				err = check(s, fd[f], LINK_FILE + f, scattered(s, i / 2));
			if (err)
				return err;
		}
	return 0;
}

static int link_files(struct small_writes *s)
{
	int fd[LINK_FILES], err = 0;
	unsigned n = 0;
	char out[sizeof(s->path)];

	for (; n < LINK_FILES && !err; n++) {
		fd[n] = open_new(path(s, "link-tmp", n));
		if (fd[n] < 0) {
			err = fd[n];
			break;
		}
	}
	if (!err)
		err = link_writes(s, fd);
	for (unsigned f = 0; f < n; f++) {
		if (!err && fchmod(fd[f], 0755))
			err = -errno;
		err = finish(fd[f], err);
		snprintf(out, sizeof(out), "%s/link%u", s->dir, f);
		if (!err && rename(path(s, "link-tmp", f), out))
			err = -errno;
	}
	return err;
}

static int verify_link(struct small_writes *s)
{
	int err = 0;

	for (unsigned f = 0; f < LINK_FILES && !err; f++) {
		int fd = open_old(path(s, "link", f));
		struct stat st;

		if (fd < 0)
			return fd;
		s->bad = 0;
		if (fstat(fd, &st) || (st.st_mode & 0777) != 0755)
			err = -EILSEQ;
		for (uint64_t i = 0; i < s->link_bytes / SECTOR && !err; i++)
			err = check(s, fd, LINK_FILE + f, i);
		close(fd);
	}
	return err;
}

const struct small_work small_works[SMALL_WORKS] = {
	{"seekback", NULL, seekback, verify_seekback}, {"sparse", NULL, sparse, verify_sparse}, {"append", NULL, append, verify_append},
	{"lookup", prepare_lookup, lookup, NULL},      {"link", NULL, link_files, verify_link},
};
