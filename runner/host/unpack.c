/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * unpack: see unpack.h. A .deb is an ar archive that holds a compressed tar, so two readers are stacked: the inner one reads what the
 * outer one yields. Trap: libarchive reads a truncated ar member without complaint when the inner archive ends early, so
 * the outer archive is read to its end as well.
 */
#include "host/unpack.h"

#include <archive.h>
#include <archive_entry.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#define BLOCK 65536

struct inner {
	struct archive *outer;
	char buf[BLOCK];
};

static int bad(struct archive *a, const char *path, char *err, size_t size)
{
	const char *why = archive_error_string(a);
	snprintf(err, size, "%s: damaged or truncated: %s", path, why ? why : "not readable");
	return -EBADMSG;
}

static void support_filters(struct archive *a)
{
	archive_read_support_filter_gzip(a);
	archive_read_support_filter_xz(a);
	archive_read_support_filter_lzma(a);
	archive_read_support_filter_bzip2(a);
	archive_read_support_filter_zstd(a);
}

/* Every regular file of an open archive. */
static int walk(struct archive *a, const char *path, unpack_visit *visit, void *user, char *err, size_t size)
{
	struct archive_entry *e;
	int code = 0, r;
	while (!code && (r = archive_read_next_header(a, &e)) != ARCHIVE_EOF) {
		const char *name = archive_entry_pathname(e);
		if (r < ARCHIVE_WARN)
			return bad(a, path, err, size);
		if (!name || archive_entry_filetype(e) != AE_IFREG || archive_entry_hardlink(e))
			continue;
		while (!strncmp(name, "./", 2))
			name += 2;
		code = visit(user, name, archive_entry_size_is_set(e) ? (uint64_t)archive_entry_size(e) : 0, a);
	}
	return code;
}

static la_ssize_t read_outer(struct archive *a, void *user, const void **buf)
{
	struct inner *in = user;
	la_ssize_t n = archive_read_data(in->outer, in->buf, sizeof in->buf);
	if (n < 0) {
		const char *why = archive_error_string(in->outer);
		archive_set_error(a, EIO, "%s", why ? why : "not readable");
		return -1;
	}
	*buf = in->buf;
	return n;
}

/* The inner archive has ended; the member that holds it, and the package, must end well too. */
static int drain(struct inner *in, const char *path, char *err, size_t size)
{
	struct archive_entry *e;
	la_ssize_t n;
	int r;
	while ((n = archive_read_data(in->outer, in->buf, sizeof in->buf)) > 0)
		;
	if (n < 0)
		return bad(in->outer, path, err, size);
	while ((r = archive_read_next_header(in->outer, &e)) == ARCHIVE_OK)
		;
	return r == ARCHIVE_EOF ? 0 : bad(in->outer, path, err, size);
}

static int walk_data(struct inner *in, const char *path, unpack_visit *visit, void *user, char *err, size_t size)
{
	struct archive *a = archive_read_new();
	if (!a)
		return -ENOMEM;
	support_filters(a);
	archive_read_support_format_tar(a);
	archive_read_support_format_gnutar(a);
	int code = archive_read_open(a, in, NULL, read_outer, NULL) == ARCHIVE_OK ? walk(a, path, visit, user, err, size) : bad(a, path, err, size);
	archive_read_free(a);
	return code ? code : drain(in, path, err, size);
}

static int walk_deb(const char *path, unpack_visit *visit, void *user, char *err, size_t size)
{
	struct archive_entry *e;
	struct inner *in = malloc(sizeof *in);
	struct archive *a = archive_read_new();
	int code = -ENOMEM, r;
	if (!in || !a)
		goto out;
	in->outer = a;
	archive_read_support_format_ar(a);
	if (archive_read_open_filename(a, path, BLOCK) != ARCHIVE_OK) {
		code = bad(a, path, err, size);
		goto out;
	}
	while ((r = archive_read_next_header(a, &e)) == ARCHIVE_OK) {
		const char *name = archive_entry_pathname(e);
		if (name && !strncmp(name, "data.tar", 8)) {
			code = walk_data(in, path, visit, user, err, size);
			goto out;
		}
	}
	if (r == ARCHIVE_EOF) {
		snprintf(err, size, "%s: truncated, or no Debian package: it holds no data.tar", path);
		code = -EBADMSG;
	} else {
		code = bad(a, path, err, size);
	}
out:
	archive_read_free(a);
	free(in);
	return code;
}

static int walk_other(const char *path, unpack_visit *visit, void *user, char *err, size_t size)
{
	struct archive *a = archive_read_new();
	if (!a)
		return -ENOMEM;
	support_filters(a);
	archive_read_support_filter_rpm(a);
	archive_read_support_format_tar(a);
	archive_read_support_format_gnutar(a);
	archive_read_support_format_cpio(a);
	int code = archive_read_open_filename(a, path, BLOCK) == ARCHIVE_OK ? walk(a, path, visit, user, err, size) : bad(a, path, err, size);
	archive_read_free(a);
	return code;
}

int unpack_walk(const char *path, unpack_visit *visit, void *user, char *err, size_t size)
{
	char magic[8] = {0};
	int fd = open(path, O_RDONLY | O_CLOEXEC);
	ssize_t n = fd < 0 ? -1 : read(fd, magic, sizeof magic);
	if (n < 0) {
		int code = -errno;
		snprintf(err, size, "%s: %s", path, strerror(errno));
		if (fd >= 0)
			close(fd);
		return code;
	}
	close(fd);
	return memcmp(magic, "!<arch>\n", 8) ? walk_other(path, visit, user, err, size) : walk_deb(path, visit, user, err, size);
}

int unpack_to_file(struct archive *a, const char *path, char *err, size_t size)
{
	int code = 0, fd = open(path, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0644);
	if (fd < 0) {
		code = -errno;
		snprintf(err, size, "%s: %s", path, strerror(-code));
		return code;
	}
	if (archive_read_data_into_fd(a, fd) < ARCHIVE_WARN) {
		code = -archive_errno(a);
		/* Its own errors are above or below the system's; a full disk is not a damaged package. */
		if (code == -ENOSPC || code == -EDQUOT || code == -EFBIG || code == -EIO)
			snprintf(err, size, "write %s: %s", path, strerror(-code));
		else
			code = bad(a, path, err, size);
	}
	if (close(fd) && !code) {
		code = -errno;
		snprintf(err, size, "%s: %s", path, strerror(-code));
	}
	return code;
}

static int read_all(struct archive *a, const char *path, size_t max, char **out, size_t *len, char *err, size_t size)
{
	size_t room = 0;
	for (;;) {
		if (room - *len < BLOCK) {
			char *more = realloc(*out, room = room * 2 + 2 * BLOCK);
			if (!more)
				return -ENOMEM;
			*out = more;
		}
		la_ssize_t n = archive_read_data(a, *out + *len, BLOCK - 1);
		if (n < 0)
			return bad(a, path, err, size);
		if (!n)
			break;
		*len += (size_t)n;
		if (*len > max) {
			snprintf(err, size, "%s: larger than %zu bytes", path, max);
			return -EFBIG;
		}
	}
	(*out)[*len] = '\0';
	return 0;
}

int unpack_file(const char *path, size_t max, char **out, size_t *len, char *err, size_t size)
{
	struct archive_entry *e;
	struct archive *a = archive_read_new();
	*out = NULL;
	*len = 0;
	if (!a)
		return -ENOMEM;
	support_filters(a);
	archive_read_support_format_raw(a);
	int code = archive_read_open_filename(a, path, BLOCK) == ARCHIVE_OK && archive_read_next_header(a, &e) == ARCHIVE_OK
	                   ? read_all(a, path, max, out, len, err, size)
	                   : bad(a, path, err, size);
	archive_read_free(a);
	if (code) {
		free(*out);
		*out = NULL;
	}
	return code;
}
