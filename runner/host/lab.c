/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * lab: see lab.h. Also finds what the command brings along: beside itself in a build tree, or below its install prefix.
 */
#include "host/lab.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "common/err.h"
#include "common/io.h"
#include "common/kv.h"
#include "host/cmd.h"

char *lab_path(const char *fmt, ...)
{
	char *below, *path;
	va_list ap;
	va_start(ap, fmt);
	int n = vasprintf(&below, fmt, ap);
	va_end(ap);
	if (n < 0 || asprintf(&path, "%s%s%s", cmd_lab(), *below ? "/" : "", below) < 0)
		err_die("out of memory");
	free(below);
	return path;
}

/* An O_PATH descriptor: looking is not opening. */
static int find_plain(const char *below)
{
	int fd = open(cmd_lab(), O_PATH | O_DIRECTORY | O_CLOEXEC), link = 0;
	struct stat st;
	while (fd >= 0 && *below) {
		size_t n = strcspn(below, "/");
		char name[NAME_MAX + 1];
		int parent = fd;
		snprintf(name, sizeof name, "%.*s", n < sizeof name ? (int)n : 0, below);
		fd = openat(parent, name, O_PATH | O_CLOEXEC | link | (below[n] ? O_DIRECTORY : 0));
		if (fd < 0)
			fd = -errno;
		close(parent);
		below += n + (below[n] == '/');
		link = O_NOFOLLOW;
	}
	if (fd >= 0 && (fstat(fd, &st) || !S_ISREG(st.st_mode))) {
		close(fd);
		return -EINVAL;
	}
	return fd == -ENOTDIR || fd == -ELOOP ? -EINVAL : fd;
}

int lab_open_plain(const char *below)
{
	char path[64];
	int found = find_plain(below), fd;
	if (found < 0)
		return found;
	snprintf(path, sizeof path, "/proc/self/fd/%d", found);
	fd = open(path, O_RDONLY | O_CLOEXEC);
	if (fd < 0)
		fd = -errno;
	close(found);
	return fd;
}

int lab_read_plain(const char *below, size_t max, char **text, size_t *len)
{
	char path[64];
	int fd = lab_open_plain(below), err;
	*text = NULL;
	if (fd < 0)
		return fd;
	snprintf(path, sizeof path, "/proc/self/fd/%d", fd);
	err = io_read_file(path, max, text, len);
	close(fd);
	return err;
}

int lab_locked(const char *below)
{
	char *path = lab_path("%s", below), *line = NULL, inode[32];
	size_t size = 0;
	struct stat st;
	int locked = 0;
	FILE *f = stat(path, &st) ? NULL : fopen("/proc/locks", "re");

	snprintf(inode, sizeof(inode), ":%llu ", f ? (unsigned long long)st.st_ino : 0);
	/* `1: FLOCK  ADVISORY  WRITE 814 fe:00:1117 0 EOF`; the device there is not always that of stat(2) */
	while (f && !locked && getline(&line, &size, f) > 0)
		locked = strstr(line, "FLOCK ") && strstr(line, "WRITE ") && strstr(line, inode);
	if (f)
		fclose(f);
	free(line);
	free(path);
	return locked;
}

void lab_create(void)
{
	static const char *const folders[] = {"", "kernels", "boards", "boxes", "sweeps", "results", "nfs-test", "tftp", "run", NULL};
	for (size_t i = 0; folders[i]; i++) {
		char *path = lab_path("%s", folders[i]);
		int err = io_mkdirs(path, 0755);
		if (err)
			err_die_code(err, "cannot make %s:", path);
		free(path);
	}
}

void lab_require(void)
{
	struct stat st;
	char *path = lab_path("kernels");
	if (stat(path, &st) || !S_ISDIR(st.st_mode))
		err_die("no lab at %s: 'kdyno kernel fetch' and 'kdyno box add' make one, --lab DIR names another", cmd_lab());
	free(path);
}

static int by_name(const void *a, const void *b) { return strverscmp(*(char *const *)a, *(char *const *)b); /* 6.9 before 6.12 */ }

char **lab_list(const char *folder, size_t *n)
{
	char *path = lab_path("%s", folder);
	DIR *d = opendir(path);
	char **names = calloc(1, sizeof *names);
	size_t count = 0;
	if (!d && errno != ENOENT)
		err_die("open %s:", path);
	for (struct dirent *e; names && d && (e = readdir(d));) {
		if (!kv_is_id(e->d_name))
			continue;
		char **more = realloc(names, (count + 2) * sizeof *names);
		char *name = strdup(e->d_name);
		if (!more || !name)
			err_die("out of memory");
		names = more;
		names[count++] = name;
		names[count] = NULL;
	}
	if (!names)
		err_die("out of memory");
	if (d)
		closedir(d);
	free(path);
	qsort(names, count, sizeof *names, by_name);
	*n = count;
	return names;
}

void lab_list_free(char **names)
{
	for (size_t i = 0; names && names[i]; i++)
		free(names[i]);
	free(names);
}

/* base/<each of forms> with %s for name: the first that exists, malloc'd. */
static char *find_in(const char *base, const char *const *forms, const char *name)
{
	for (size_t i = 0; forms[i]; i++) {
		char *below, *path;
		/* The forms are constants of this file. */
#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wformat-nonliteral"
		if (asprintf(&below, forms[i], name) < 0 || asprintf(&path, "%s/%s", base, below) < 0)
			err_die("out of memory");
#pragma GCC diagnostic pop
		free(below);
		if (!access(path, F_OK))
			return path;
		free(path);
	}
	return NULL;
}

/* KDYNO_SHARE, then the command's own folder and those above it, as long as they are ours: not a stray /image. */
static char *find(const char *const *forms, const char *name)
{
	const char *share = getenv("KDYNO_SHARE");
	char dir[PATH_MAX], probe[PATH_MAX + 32];
	if (share && *share)
		return find_in(share, forms, name);
	ssize_t n = readlink("/proc/self/exe", dir, sizeof dir - 1);
	if (n <= 0)
		return NULL;
	dir[n] = '\0';
	for (char *slash; (slash = strrchr(dir, '/')) && slash > dir;) {
		*slash = '\0';
		snprintf(probe, sizeof probe, "%s/board-configs", dir);
		int ours = !access(probe, F_OK);
		snprintf(probe, sizeof probe, "%s/share/kdyno", dir);
		char *path = find_in(probe, forms, name);
		if (!path && ours)
			path = find_in(dir, forms, name);
		if (path)
			return path;
		if (ours)
			return NULL;
	}
	return NULL;
}

char *lab_image(const char *arch, const char *ext)
{
	static const char *const beside[] = {"%s", NULL}, *const shared[] = {"%s", "build/%s", NULL};
	char name[96], dir[PATH_MAX];
	snprintf(name, sizeof name, "%s/image.cpio%s%s", arch, *ext && *ext != '.' ? "." : "", ext);
	const char *share = getenv("KDYNO_SHARE");
	ssize_t n = readlink("/proc/self/exe", dir, sizeof dir - 1);
	if (n > 0 && !(share && *share)) {
		dir[n] = '\0';
		*strrchr(dir, '/') = '\0';
		char *path = find_in(dir, beside, name);
		if (path)
			return path;
	}
	return find(shared, name);
}

char *lab_find_share(const char *name)
{
	static const char *const forms[] = {"%s", "image/%s", "tests/%s", NULL};
	return find(forms, name);
}

char *lab_share(const char *name)
{
	char *path = lab_find_share(name);
	if (!path)
		err_die("cannot find '%s' beside the command or in its install prefix; set KDYNO_SHARE to the folder that holds it", name);
	return path;
}
