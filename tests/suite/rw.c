/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * rw: read, pread and pwrite until all is done.
 */
#include <errno.h>
#include <unistd.h>

#include "rw.h"

int rw_read(int fd, void *buf, size_t len)
{
	char *to = buf;

	while (len) {
		ssize_t n = read(fd, to, len);

		if (n < 0 && errno == EINTR)
			continue;
		if (n <= 0)
			return n ? -errno : -ENODATA;
		to += n;
		len -= (size_t)n;
	}
	return 0;
}

int rw_read_at(int fd, void *buf, size_t len, uint64_t at)
{
	char *to = buf;

	while (len) {
		ssize_t n = pread(fd, to, len, (off_t)at);

		if (n < 0 && errno == EINTR)
			continue;
		if (n <= 0)
			return n ? -errno : -ENODATA;
		to += n;
		at += (uint64_t)n;
		len -= (size_t)n;
	}
	return 0;
}

int rw_write_at(int fd, const void *buf, size_t len, uint64_t at)
{
	const char *from = buf;

	while (len) {
		ssize_t n = pwrite(fd, from, len, (off_t)at);

		if (n < 0 && errno == EINTR)
			continue;
		if (n <= 0)
			return n ? -errno : -EIO;
		from += n;
		at += (uint64_t)n;
		len -= (size_t)n;
	}
	return 0;
}
