/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * overlay: see overlay.h. Trap: the kernel unpacks the pack over the image without a question, so whatever could land on a file of ours, or lead
 * out of kd/suite by a link, must be found here.
 */
#include "host/overlay.h"

#include <archive.h>
#include <archive_entry.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "common/cpio.h"
#include "common/io.h"
#include "common/kv.h"

#define TOP "kd/suite/"
#define BLOCK 65536
#define PATH_BYTES_MAX 200

struct reading {
	struct overlay *o;
	const char *archive;
	const struct suite *own;
	char *err;
	size_t size;
};

static int wrong(struct reading *r, const char *path, const char *what)
{
	char clean[PATH_BYTES_MAX + 1];

	snprintf(clean, sizeof clean, "%s", path);
	for (char *p = clean; *p; p++)
		*p = *p < ' ' || *p > '~' ? '?' : *p;
	snprintf(r->err, r->size, "%s: %s%s%s", r->archive, clean, *clean ? ": " : "", what);
	return -EINVAL;
}

/* Words of letters, digits, ._+-, joined by slashes; none of them `.` or `..`. */
static int is_path(const char *p)
{
	if (strlen(p) > PATH_BYTES_MAX)
		return 0;
	for (;;) {
		size_t n = strspn(p, "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789._+-");

		if (!n || (n == 1 && *p == '.') || (n == 2 && !strncmp(p, "..", 2)) || (p[n] && p[n] != '/'))
			return 0;
		if (!p[n])
			return 1;
		p += n + 1;
	}
}

static const struct overlay_entry *find(const struct overlay *o, const char *path)
{
	for (size_t i = 0; i < o->entries; i++)
		if (!strcmp(o->entry[i].path, path))
			return &o->entry[i];
	return NULL;
}

/* A link at path that says target stays below kd/suite. */
static int stays_inside(const char *path, const char *target)
{
	int depth = 0;

	for (const char *p = path + strlen(TOP); (p = strchr(p, '/')); p++)
		depth++;
	if (*target == '/' || !*target || strlen(target) > PATH_BYTES_MAX)
		return 0;
	for (const char *p = target; *p;) {
		size_t n = strcspn(p, "/");

		if (n == 2 && !strncmp(p, "..", 2))
			depth--;
		else if (n && !(n == 1 && *p == '.'))
			depth++;
		if (depth < 0)
			return 0;
		p += n + (p[n] == '/');
	}
	return 1;
}

/* Directly below kd/suite stand the suite's own programs, under these names. */
static int is_ours(const struct suite *own, const char *path)
{
	const char *name = path + strlen(TOP);
	size_t n = strcspn(name, "/");

	if (n == 5 && !strncmp(name, "suite", n))
		return 1;
	for (size_t i = 0; i < own->tests; i++) {
		const struct suite_test *t = &own->test[i];

		if ((strlen(t->name) == n && !strncmp(name, t->name, n)) || (strlen(t->program) == n && !strncmp(name, t->program, n)))
			return 1;
	}
	return 0;
}

static const char *refuse_kind(struct archive_entry *e)
{
	unsigned type = archive_entry_filetype(e);

	if (archive_entry_hardlink(e))
		return "a hard link; only files, folders and symbolic links are taken";
	if (type != AE_IFREG && type != AE_IFDIR && type != AE_IFLNK)
		return "a device, pipe or socket; only files, folders and symbolic links are taken";
	if (type != AE_IFLNK && archive_entry_perm(e) & 07000)
		return "setuid, setgid or sticky; no test needs that";
	return NULL;
}

static int read_data(struct reading *r, struct archive *a, struct overlay_entry *it)
{
	size_t room = 0;
	char *more;

	for (;;) {
		if (it->len + BLOCK > room) {
			room = room ? 2 * room : 2 * BLOCK;
			more = realloc(it->data, room + 1);
			if (!more)
				return wrong(r, it->path, "out of memory");
			it->data = more;
		}
		la_ssize_t n = archive_read_data(a, it->data + it->len, BLOCK);
		if (n < 0)
			return wrong(r, it->path, "damaged or truncated");
		if (!n)
			break;
		it->len += (size_t)n;
		r->o->bytes += (size_t)n;
		if (r->o->bytes > OVERLAY_BYTES_MAX)
			return wrong(r, it->path, "the overlays of a sweep hold at most 64 MiB");
	}
	it->data[it->len] = '\0';
	return 0;
}

static int add_entry(struct reading *r, struct archive *a, struct archive_entry *e, const char *path)
{
	struct overlay *o = r->o;
	const char *target = archive_entry_symlink(e);
	int is_dir = archive_entry_filetype(e) == AE_IFDIR;

	if (is_ours(r->own, path))
		return wrong(r, path, "the suite has a test or program of this name");
	if (find(o, path))
		return is_dir && !find(o, path)->data ? 0 : wrong(r, path, "stands twice");
	if (o->entries == OVERLAY_FILES_MAX)
		return wrong(r, path, "more than 4096 files");
	struct overlay_entry *it = &o->entry[o->entries];
	*it = (struct overlay_entry){.path = strdup(path)};
	if (!it->path)
		return wrong(r, path, "out of memory");
	o->entries++;
	if (is_dir)
		return 0;
	it->exec = (archive_entry_perm(e) & 0111) != 0;
	if (archive_entry_filetype(e) == AE_IFREG)
		return read_data(r, a, it);
	if (!target || !stays_inside(path, target))
		return wrong(r, path, "a link that leads out of kd/suite, or is absolute");
	it->link = 1;
	it->data = strdup(target);
	it->len = strlen(target);
	return it->data ? 0 : wrong(r, path, "out of memory");
}

static int take_entry(struct reading *r, struct archive *a, struct archive_entry *e)
{
	const char *path = archive_entry_pathname(e), *kind = refuse_kind(e);

	if (!path)
		return wrong(r, "", "an entry without a name");
	while (!strncmp(path, "./", 2))
		path += 2;
	if (kind)
		return wrong(r, path, kind);
	if (archive_entry_filetype(e) == AE_IFDIR && (!*path || !strcmp(path, ".") || !strcmp(path, "kd") || !strcmp(path, "kd/suite")))
		return 0;
	if (strncmp(path, TOP, strlen(TOP)) != 0 || !is_path(path))
		return wrong(r, path, "not below kd/suite, or a name with other than letters, digits and ._+-");
	return add_entry(r, a, e, path);
}

/* Each folder above an entry is one, and is there before it. */
static int check_parents(struct reading *r)
{
	for (size_t i = 0; i < r->o->entries; i++) {
		char path[PATH_BYTES_MAX + 1];
		size_t at = 0;

		snprintf(path, sizeof path, "%s", r->o->entry[i].path);
		*strrchr(path, '/') = '\0';
		if (!strcmp(path, "kd/suite"))
			continue;
		while (at < i && (strcmp(r->o->entry[at].path, path) != 0 || r->o->entry[at].data))
			at++;
		if (at == i)
			return wrong(r, r->o->entry[i].path, "the folder that it is in does not stand before it");
	}
	return 0;
}

int overlay_read(struct overlay *o, const char *path, const struct suite *own, char *err, size_t size)
{
	struct reading r = {o, path, own, err, size};
	struct archive *a = archive_read_new();
	struct archive_entry *e;
	struct stat st;
	int code = 0, n = ARCHIVE_FATAL;

	if (!o->entry)
		o->entry = calloc(OVERLAY_FILES_MAX, sizeof *o->entry);
	if (!a || !o->entry)
		code = wrong(&r, "", "out of memory");
	if (!code && !stat(path, &st) && !S_ISREG(st.st_mode))
		code = wrong(&r, "", "no plain file"); /* a FIFO would hang */
	if (!code) {
		archive_read_support_filter_gzip(a);
		archive_read_support_filter_xz(a);
		archive_read_support_filter_zstd(a);
		archive_read_support_format_cpio(a);
		if (archive_read_open_filename(a, path, BLOCK) != ARCHIVE_OK)
			code = wrong(&r, "", access(path, R_OK) ? strerror(errno) : "no cpio archive (newc, plain or compressed)");
	}
	while (!code && (n = archive_read_next_header(a, &e)) == ARCHIVE_OK)
		code = take_entry(&r, a, e);
	if (!code && n != ARCHIVE_EOF)
		code = wrong(&r, "", "no cpio archive (newc, plain or compressed), or it is damaged or truncated");
	if (!code)
		code = check_parents(&r);
	archive_read_free(a);
	return code;
}

/* kd/suite/NAME.test: copies NAME. */
static int is_descriptor(const struct overlay_entry *it, char name[PLAN_ID_MAX + 1])
{
	const char *base = it->path + strlen(TOP);
	size_t n = strlen(base);

	if (n <= 5 || n - 5 > PLAN_ID_MAX || strcmp(base + n - 5, ".test") != 0 || strchr(base, '/') || it->link || !it->data)
		return 0;
	memcpy(name, base, n - 5);
	name[n - 5] = '\0';
	return 1;
}

static int check_program(const struct overlay *o, const struct suite *s, const struct suite_test *t, char *err, size_t size)
{
	char path[PLAN_ID_MAX + 16];
	const struct overlay_entry *it;

	snprintf(path, sizeof path, TOP "%s", t->program);
	it = find(o, path);
	if (it && it->data && (it->link || it->exec))
		return 0;
	for (size_t i = 0; i < s->tests && !it; i++)
		if (!strcmp(s->test[i].program, t->program) && !kv_list_has(o->tests, s->test[i].name))
			return 0;
	snprintf(err, size, "%s.test: %s", t->name, it ? "its program is not executable" : "its program is not in the overlay");
	return -EINVAL;
}

int overlay_join(struct overlay *o, struct suite *s, char *err, size_t size)
{
	char name[PLAN_ID_MAX + 1], *more;
	int code = 0;

	for (size_t i = 0; !code && i < o->entries; i++) {
		if (!is_descriptor(&o->entry[i], name))
			continue;
		code = suite_add_text(s, name, o->entry[i].data, o->entry[i].len, err, size);
		if (!code && asprintf(&more, "%s%s%s", o->tests ? o->tests : "", o->tests ? "," : "", name) < 0)
			return -ENOMEM;
		if (!code) {
			free(o->tests);
			o->tests = more;
		}
	}
	if (!code)
		code = suite_settle(s, err, size);
	if (!code && o->entries && !o->tests) {
		snprintf(err, size, "the overlay holds no kd/suite/<name>.test");
		code = -EINVAL;
	}
	for (size_t i = 0; !code && i < s->tests; i++)
		if (o->tests && kv_list_has(o->tests, s->test[i].name))
			code = check_program(o, s, &s->test[i], err, size);
	return code;
}

static int write_descriptors(const struct overlay *o, struct work *w)
{
	char name[PLAN_ID_MAX + 1], path[4352];
	int err = 0;

	snprintf(path, sizeof path, "%s/tests", w->dir);
	if (mkdir(path, 0755))
		return work_fail(w, -errno, "make %s:", path);
	for (size_t i = 0; !err && i < o->entries; i++) {
		if (!is_descriptor(&o->entry[i], name))
			continue;
		snprintf(path, sizeof path, "%s/tests/%s.test", w->dir, name);
		if ((err = io_write_file(path, o->entry[i].data, o->entry[i].len, 0644)))
			work_fail(w, err, "write %s:", path);
	}
	return err;
}

int overlay_write(const struct overlay *o, struct work *w)
{
	char path[4352];
	struct cpio c;
	int fd, err;

	if (!o->entries)
		return 0;
	snprintf(path, sizeof path, "%s/" OVERLAY_ARCHIVE, w->dir);
	fd = open(path, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0644);
	if (fd < 0)
		return work_fail(w, -errno, "open %s:", path);
	cpio_open(&c, fd);
	cpio_dir(&c, "kd", 0755);
	cpio_dir(&c, "kd/suite", 0755);
	for (size_t i = 0; i < o->entries; i++) {
		const struct overlay_entry *it = &o->entry[i];

		if (!it->data)
			cpio_dir(&c, it->path, 0755);
		else if (it->link)
			cpio_link(&c, it->path, it->data);
		else
			cpio_file(&c, it->path, it->exec ? 0755 : 0644, it->data, it->len);
	}
	err = cpio_close(&c);
	if (close(fd) && !err)
		err = -errno;
	return err ? work_fail(w, err, "write %s:", path) : write_descriptors(o, w);
}

void overlay_free(struct overlay *o)
{
	for (size_t i = 0; i < o->entries; i++) {
		free(o->entry[i].path);
		free(o->entry[i].data);
	}
	free(o->entry);
	free(o->tests);
	*o = (struct overlay){0};
}
