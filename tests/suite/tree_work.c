/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * tree_work: one path that grows and shrinks with the way down; an error keeps it as it was, so that it can be named.
 */
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

#include "common/clock.h"
#include "tree_work.h"

#define DEPTH_MAX 8       /* a tree has 7 at most */
#define PASSES_MAX 1000   /* over one folder, each of which removes something */
#define NOTE_FILES 8      /* a clock call in so many */
#define MTIME 1009843200u /* 1 January 2002 */
#define FILE_SHIFT 20     /* file n lies at n << 20 of the pattern */

static int fail(struct tree_work *w, int err, const char *what)
{
	snprintf(w->why, sizeof(w->why), "%s %.120s: %s", what, w->path + w->top_len, strerror(-err));
	return err;
}

static int wrong(struct tree_work *w, const char *what)
{
	snprintf(w->why, sizeof(w->why), "%s: %.120s", what, w->path + w->top_len);
	return -EILSEQ;
}

int tree_work_init(struct tree_work *w, const struct tree *t, const char *top)
{
	int err;

	memset(w, 0, sizeof(*w));
	if (strlen(top) >= TREE_TOP_MAX)
		return -ENAMETOOLONG;
	w->tree = t;
	w->top_len = strlen(top);
	memcpy(w->path, top, w->top_len + 1);
	err = pattern_init(&w->pattern, t->seed, TREE_CHUNK);
	if (err)
		return err;
	w->buf = malloc(TREE_CHUNK);
	return w->buf ? 0 : -ENOMEM;
}

void tree_work_free(struct tree_work *w)
{
	pattern_free(&w->pattern);
	free(w->buf);
	w->buf = NULL;
}

static void start(struct tree_work *w)
{
	memset(&w->sum, 0, sizeof(w->sum));
	w->why[0] = 0;
	w->path[w->top_len] = 0;
	progress_start(&w->progress, clock_now_ns());
}

static void note(struct tree_work *w)
{
	if (w->sum.files % NOTE_FILES == 0)
		progress_note(&w->progress, clock_now_ns(), w->sum.files << 10);
}

static int finish(struct tree_work *w, int err)
{
	progress_note(&w->progress, clock_now_ns(), w->sum.files << 10);
	if (!err)
		w->path[w->top_len] = 0;
	return err;
}

/* len bytes at `at` of file n, at most TREE_CHUNK: a whole power of two is stamped, so a bit more than asked for. */
static const void *data_of(struct tree_work *w, unsigned n, uint64_t at, size_t len)
{
	size_t size = PATTERN_SECTOR;

	while (size < len)
		size *= 2;
	return pattern_at(&w->pattern, ((uint64_t)n << FILE_SHIFT) + at, size, 0);
}

/* ---- make */

/*
 * utime(2), which old kernels have; where an architecture never had it, or a kernel has given up times of 32 bits (5.1, without COMPAT_32BIT_TIME),
 * utimensat. Trap: of the two utimensat that such an architecture has musl takes the old one for a time that fits into 32 bits.
 */
static int set_time(const char *path)
{
#ifdef SYS_utime
	long old[2] = {(long)MTIME, (long)MTIME};

	if (!syscall(SYS_utime, path, old))
		return 0;
	if (errno != ENOSYS)
		return -1;
#endif
#ifdef SYS_utimensat_time64
	long long times[4] = {MTIME, 0, MTIME, 0};

	return (int)syscall(SYS_utimensat_time64, AT_FDCWD, path, times, 0);
#else
	struct timespec times[2] = {{.tv_sec = MTIME}, {.tv_sec = MTIME}};

	return utimensat(AT_FDCWD, path, times, 0);
#endif
}

static int write_file(struct tree_work *w, int fd, unsigned n, uint64_t bytes)
{
	for (uint64_t at = 0; at < bytes;) {
		size_t len = bytes - at < TREE_CHUNK ? (size_t)(bytes - at) : TREE_CHUNK;
		ssize_t done = write(fd, data_of(w, n, at, len), len);

		if (done < 0 && errno == EINTR)
			continue;
		if (done != (ssize_t)len)
			return done < 0 ? -errno : -ENOSPC;
		at += len;
	}
	return 0;
}

static int make_file(struct tree_work *w, unsigned n)
{
	uint64_t bytes = tree_file_bytes(w->tree, n);
	int fd = open(w->path, O_WRONLY | O_CREAT | O_EXCL, 0644);
	int err;

	if (fd < 0)
		return fail(w, -errno, "open");
	err = write_file(w, fd, n, bytes);
	if (close(fd) && !err)
		err = -errno;
	if (!err && set_time(w->path))
		err = -errno;
	if (err)
		return fail(w, err, "write");
	tree_sum_file(&w->sum, w->tree, n, bytes);
	note(w);
	return 0;
}

int tree_work_make(struct tree_work *w)
{
	const struct tree *t = w->tree;
	uint64_t weight = 0;
	unsigned n = 0, end;
	int err = 0;

	start(w);
	for (unsigned dir = 0; dir < t->dirs && !err; dir++) {
		size_t len = w->top_len;

		w->path[len] = '/';
		tree_dir_path(t, dir, w->path + len + 1);
		if (!dir)
			w->path[len] = 0;
		len = strlen(w->path);
		if (mkdir(w->path, 0755))
			err = fail(w, -errno, "mkdir");
		w->sum.dirs += dir != 0;
		end = tree_files_end(t, dir, &weight);
		for (; n < end && !err; n++) {
			w->path[len] = '/';
			tree_file_name(t, n, w->path + len + 1);
			err = make_file(w, n);
		}
	}
	return finish(w, err);
}

/* ---- walk and read */

struct visit {
	/* 1: a folder, to be gone into; 0: done; -errno. n: its number, is_file by its name. */
	int (*entry)(struct tree_work *w, unsigned n, int is_file);
};

static int stat_entry(struct tree_work *w, unsigned n, int is_file)
{
	struct stat st;

	if (lstat(w->path, &st))
		return fail(w, -errno, "lstat");
	if (S_ISDIR(st.st_mode))
		return is_file ? wrong(w, "a folder with the name of a file") : 1;
	if (!S_ISREG(st.st_mode) || !is_file)
		return wrong(w, "no regular file");
	if ((uint64_t)st.st_size != tree_file_bytes(w->tree, n))
		return wrong(w, "another size than it was given");
	tree_sum_file(&w->sum, w->tree, n, (uint64_t)st.st_size);
	note(w);
	return 0;
}

static int check_data(struct tree_work *w, unsigned n, uint64_t at, size_t len)
{
	const char *want = data_of(w, n, at, len);
	size_t i = 0;

	if (!memcmp(w->buf, want, len))
		return 0;
	while (w->buf[i] == want[i])
		i++;
	snprintf(w->why, sizeof(w->why), "wrong data at offset %" PRIu64 " of %.120s", at + i, w->path + w->top_len);
	return -EILSEQ;
}

/* To the end of the file. A whole chunk is filled before it is looked at. */
static int read_file(struct tree_work *w, int fd, unsigned n, uint64_t *at)
{
	size_t have = 0;

	for (;;) {
		ssize_t got = read(fd, w->buf + have, TREE_CHUNK - have);
		int err;

		if (got < 0 && errno == EINTR)
			continue;
		if (got < 0)
			return fail(w, -errno, "read");
		have += (size_t)got;
		if (got && have < TREE_CHUNK)
			continue;
		if (*at + have > tree_file_bytes(w->tree, n))
			return wrong(w, "longer than it was made");
		err = have ? check_data(w, n, *at, have) : 0;
		*at += have;
		have = 0;
		if (err || !got)
			return err;
	}
}

static int read_entry(struct tree_work *w, unsigned n, int is_file)
{
	uint64_t bytes = 0;
	int fd, err;

	if (!is_file)
		return 1;
	fd = open(w->path, O_RDONLY);
	if (fd < 0)
		return fail(w, -errno, "open");
	err = read_file(w, fd, n, &bytes);
	close(fd);
	if (!err && bytes != tree_file_bytes(w->tree, n))
		err = wrong(w, "shorter than it was made");
	if (err)
		return err;
	tree_sum_file(&w->sum, w->tree, n, bytes);
	note(w);
	return 0;
}

static int is_dot(const char *name) { return name[0] == '.' && (!name[1] || (name[1] == '.' && !name[2])); }

/* The next entry, its name put behind the path; NULL at the end. errno tells an error from the end. */
static struct dirent *next_entry(struct tree_work *w, DIR *d, size_t len)
{
	struct dirent *e;

	do {
		errno = 0;
		e = readdir(d);
	} while (e && is_dot(e->d_name));
	if (!e || strlen(e->d_name) >= TREE_NAME_MAX || len + 1 + TREE_NAME_MAX > sizeof(w->path))
		return e;
	w->path[len] = '/';
	strcpy(w->path + len + 1, e->d_name);
	return e;
}

static int go(struct tree_work *w, const struct visit *v, unsigned depth)
{
	size_t len = strlen(w->path);
	DIR *d = depth < DEPTH_MAX ? opendir(w->path) : NULL;
	struct dirent *e;
	unsigned n;
	int err = 0;

	if (!d)
		return fail(w, depth < DEPTH_MAX ? -errno : -ELOOP, "opendir");
	while (!err && (e = next_entry(w, d, len))) {
		int is_file = tree_find(w->tree, e->d_name, &n);

		if (is_file < 0) {
			err = wrong(w, "not of this tree");
			break;
		}
		err = v->entry(w, n, is_file);
		if (err == 1) {
			w->sum.dirs++;
			err = go(w, v, depth + 1);
		}
	}
	if (!err && errno)
		err = fail(w, -errno, "readdir");
	closedir(d);
	if (!err)
		w->path[len] = 0;
	return err;
}

int tree_work_walk(struct tree_work *w)
{
	static const struct visit v = {stat_entry};

	start(w);
	return finish(w, go(w, &v, 0));
}

int tree_work_read(struct tree_work *w)
{
	static const struct visit v = {read_entry};

	start(w);
	return finish(w, go(w, &v, 0));
}

/* ---- remove */

static int unlink_entry(struct tree_work *w, DIR *d, const char *name)
{
	if (!w->by_path) {
		if (!unlinkat(dirfd(d), name, 0))
			return 0;
		if (errno != ENOSYS)
			return -errno;
		w->by_path = 1;
	}
	return unlink(w->path) ? -errno : 0;
}

static int remove_folder(struct tree_work *w, unsigned depth);

/* One pass over an open folder. *gone counts what was removed. */
static int remove_entries(struct tree_work *w, DIR *d, size_t len, unsigned depth, unsigned *gone)
{
	struct dirent *e;
	unsigned n;
	int err;

	while ((e = next_entry(w, d, len))) {
		int is_file = tree_find(w->tree, e->d_name, &n);

		if (is_file < 0)
			return wrong(w, "not of this tree");
		err = unlink_entry(w, d, e->d_name);
		if (err == -EISDIR || err == -EPERM) {
			err = remove_folder(w, depth + 1);
			w->sum.dirs++;
		} else if (err) {
			return fail(w, err, "unlink");
		} else if (is_file) {
			tree_sum_file(&w->sum, w->tree, n, 0);
			note(w);
		}
		if (err)
			return err;
		++*gone;
	}
	return errno ? fail(w, -errno, "readdir") : 0;
}

static int remove_folder(struct tree_work *w, unsigned depth)
{
	size_t len = strlen(w->path);
	DIR *d = depth < DEPTH_MAX ? opendir(w->path) : NULL;
	int err = 0;

	if (!d)
		return fail(w, depth < DEPTH_MAX ? -errno : -ELOOP, "opendir");
	for (unsigned pass = 0; pass < PASSES_MAX; pass++) {
		unsigned gone = 0;

		err = remove_entries(w, d, len, depth, &gone);
		if (err)
			break;
		w->path[len] = 0;
		err = rmdir(w->path) ? -errno : 0;
		if (err != -ENOTEMPTY || !gone)
			break;
		rewinddir(d);
	}
	closedir(d);
	return err && !w->why[0] ? fail(w, err, "rmdir") : err;
}

int tree_work_remove(struct tree_work *w)
{
	start(w);
	return finish(w, remove_folder(w, 0));
}

int tree_work_whole(struct tree_work *w, const struct tree_sum *whole, int with_bytes)
{
	const struct tree_sum *s = &w->sum;

	if (s->files == whole->files && s->dirs == whole->dirs && s->check == whole->check && (!with_bytes || s->bytes == whole->bytes))
		return 0;
	snprintf(w->why, sizeof(w->why), "%" PRIu64 " files in %" PRIu64 " folders, not the %" PRIu64 " in %" PRIu64 " that were made", s->files,
	         s->dirs, whole->files, whole->dirs);
	return -EILSEQ;
}
