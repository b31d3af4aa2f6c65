/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * io: whole reads, whole writes, files put down so that a power cut leaves the old one, the new one, or a torn last line,
 * and nothing else.
 *
 * O_CLOEXEC is ignored by kernels before 2.6.23, so every descriptor gets FD_CLOEXEC by fcntl as well; there are no threads
 * that could fork in between.
 */
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "common/io.h"

static int open_fd(const char *path, int flags, mode_t mode)
{
	int fd;

	do
		fd = open(path, flags | O_CLOEXEC, mode);
	while (fd < 0 && errno == EINTR);
	if (fd < 0)
		return -errno;
	io_set_cloexec(fd);
	return fd;
}

static ssize_t read_some(int fd, void *buf, size_t size)
{
	ssize_t n;

	do
		n = read(fd, buf, size);
	while (n < 0 && errno == EINTR);
	return n < 0 ? -errno : n;
}

/* fsync where it means something: a pipe or a console has nothing to flush, some file systems refuse it for a folder. */
static int sync_fd(int fd)
{
	if (fsync(fd) && errno != EINVAL && errno != EROFS)
		return -errno;
	return 0;
}

/* All of it; closes fd. */
static int read_all(int fd, size_t max, char **out, size_t *len)
{
	size_t size = 0, n = 0;
	char *buf = NULL;
	int err = 0;

	for (;;) {
		ssize_t got;

		if (size - n < 2) { /* room for a byte and the NUL; sizes of /proc files are not known before */
			size_t want = size ? size * 2 : 4096;
			char *bigger = want > size ? realloc(buf, want) : NULL;

			if (!bigger) {
				err = -ENOMEM;
				break;
			}
			buf = bigger;
			size = want;
		}
		got = read_some(fd, buf + n, size - n - 1);
		if (got <= 0) {
			err = (int)got;
			break;
		}
		n += (size_t)got;
		if (n > max) {
			err = -EFBIG;
			break;
		}
	}
	close(fd);
	if (err) {
		free(buf);
		return err;
	}
	buf[n] = 0;
	*out = buf;
	*len = n;
	return 0;
}

int io_read_file(const char *path, size_t max, char **out, size_t *len)
{
	int fd = open_fd(path, O_RDONLY, 0);

	*out = NULL;
	*len = 0;
	return fd < 0 ? fd : read_all(fd, max, out, len);
}

int io_read_plain(const char *path, size_t max, char **out, size_t *len)
{
	int fd = open_fd(path, O_RDONLY | O_NONBLOCK, 0);
	struct stat st;

	*out = NULL;
	*len = 0;
	if (fd < 0)
		return fd;
	if (!fstat(fd, &st) && S_ISREG(st.st_mode))
		return read_all(fd, max, out, len);
	close(fd);
	return -EINVAL;
}

ssize_t io_read_small(const char *path, char *buf, size_t size)
{
	size_t n = 0;
	ssize_t got = 0;
	int fd;

	if (!size)
		return -EINVAL;
	buf[0] = 0;
	fd = open_fd(path, O_RDONLY, 0);
	if (fd < 0)
		return fd;
	while (n < size - 1 && (got = read_some(fd, buf + n, size - 1 - n)) > 0)
		n += (size_t)got;
	close(fd);
	buf[n] = 0;
	return got < 0 ? got : (ssize_t)n;
}

int io_write_all(int fd, const void *data, size_t len)
{
	const char *p = data;

	while (len) {
		ssize_t n = write(fd, p, len);

		if (n < 0 && errno == EINTR)
			continue;
		if (n < 0)
			return -errno;
		if (!n)
			return -EIO;
		p += n;
		len -= (size_t)n;
	}
	return 0;
}

static int sync_folder(const char *dir)
{
	int fd = open_fd(dir, O_RDONLY | O_DIRECTORY, 0);
	int err;

	if (fd < 0)
		return fd;
	err = sync_fd(fd);
	close(fd);
	return err;
}

/* `<dir>/.<name>.XXXXXX`: hidden, so that no glob over finished files finds it. NULL if there is no memory. */
static char *temp_name(const char *path, char **dir)
{
	const char *slash = strrchr(path, '/');
	const char *name = slash ? slash + 1 : path;
	size_t dlen = (size_t)(name - path);
	size_t size = strlen(path) + sizeof("..XXXXXX");
	char *temp = malloc(size);

	*dir = dlen ? strndup(path, dlen) : strdup(".");
	if (!temp || !*dir) {
		free(temp);
		free(*dir);
		*dir = NULL;
		return NULL;
	}
	snprintf(temp, size, "%.*s.%s.XXXXXX", (int)dlen, path, name);
	return temp;
}

int io_write_file(const char *path, const void *data, size_t len, mode_t mode)
{
	char *dir, *temp = temp_name(path, &dir);
	int fd, err;

	if (!temp)
		return -ENOMEM;
	fd = mkstemp(temp);
	if (fd < 0) {
		err = -errno;
		goto out;
	}
	io_set_cloexec(fd);
	err = io_write_all(fd, data, len);
	if (!err && fchmod(fd, mode))
		err = -errno;
	if (!err)
		err = sync_fd(fd);
	if (close(fd) && !err)
		err = -errno;
	if (!err && rename(temp, path))
		err = -errno;
	if (err)
		unlink(temp);
	else
		err = sync_folder(dir);
out:
	free(temp);
	free(dir);
	return err;
}

/* A line that a power cut or a full disk has torn is closed, or it would take the next one with it. */
static int end_torn_line(int fd)
{
	struct stat st;
	char last;

	if (fstat(fd, &st))
		return -errno;
	if (!S_ISREG(st.st_mode) || !st.st_size)
		return 0;
	if (pread(fd, &last, 1, st.st_size - 1) != 1)
		return 0; /* opened for writing only: not one of ours */
	return last == '\n' ? 0 : io_write_all(fd, "\n", 1);
}

int io_append_open(const char *path)
{
	int fd = open_fd(path, O_RDWR | O_APPEND | O_CREAT, 0644);
	struct stat st;
	int err;

	if (fd < 0)
		return fd;
	err = fstat(fd, &st) ? -errno : S_ISFIFO(st.st_mode) ? -EINVAL : end_torn_line(fd); /* a pipe would take all and keep nothing */
	if (err) {
		close(fd);
		return err;
	}
	return fd;
}

int io_append(int fd, const void *line, size_t len)
{
	int err = end_torn_line(fd);
	struct stat before;
	ssize_t n;

	if (err)
		return err;
	if (fstat(fd, &before))
		return -errno;
	do
		n = write(fd, line, len);
	while (n < 0 && errno == EINTR);
	err = n < 0 ? -errno : (size_t)n != len ? -ENOSPC : sync_fd(fd);
	if (err && S_ISREG(before.st_mode) && ftruncate(fd, before.st_size)) /* half a line is closed off by the next writer */
		return err;
	return err;
}

int io_mkdirs(const char *path, mode_t mode)
{
	char *copy = strdup(path);
	struct stat st;
	int err = 0;

	if (!copy)
		return -ENOMEM;
	if (!*copy)
		err = -ENOENT;
	for (char *p = copy + 1; !err && p[-1]; p++) {
		char c = *p;

		if (c && c != '/')
			continue;
		*p = 0;
		if (mkdir(copy, mode) && errno != EEXIST && (errno != EROFS || stat(copy, &st)))
			err = -errno;
		*p = c;
	}
	if (!err && stat(copy, &st))
		err = -errno;
	else if (!err && !S_ISDIR(st.st_mode))
		err = -ENOTDIR;
	free(copy);
	return err;
}

int io_set_nonblock(int fd, int on)
{
	int flags = fcntl(fd, F_GETFL);

	if (flags < 0)
		return -errno;
	flags = on ? flags | O_NONBLOCK : flags & ~O_NONBLOCK;
	return fcntl(fd, F_SETFL, flags) ? -errno : 0;
}

int io_set_cloexec(int fd)
{
	int flags = fcntl(fd, F_GETFD);

	if (flags < 0)
		return -errno;
	return fcntl(fd, F_SETFD, flags | FD_CLOEXEC) ? -errno : 0;
}

int io_pipe(int fd[2])
{
	if (pipe(fd))
		return -errno;
	io_set_cloexec(fd[0]);
	io_set_cloexec(fd[1]);
	return 0;
}

int io_pipes(int a[2], int b[2])
{
	int err = io_pipe(a);

	if (err)
		return err;
	err = io_pipe(b);
	if (err) {
		close(a[0]);
		close(a[1]);
	}
	return err;
}

int io_copy(int from, int to, uint64_t max, uint64_t *bytes)
{
	char buf[16384];
	uint64_t done = 0;
	int err = 0;

	for (;;) {
		uint64_t room = max - done;
		ssize_t n = read_some(from, buf, sizeof(buf));

		if (n <= 0) {
			err = (int)n;
			break;
		}
		if ((uint64_t)n > room) {
			err = io_write_all(to, buf, (size_t)room);
			if (!err) {
				done = max;
				err = -EFBIG;
			}
			break;
		}
		err = io_write_all(to, buf, (size_t)n);
		if (err)
			break;
		done += (uint64_t)n;
	}
	if (bytes)
		*bytes = done;
	return err;
}
