/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * kernel_take: lays out what people have as a kernel of the lab: packages (.deb, split ones several at a time; rpm, tar), the root of an
 * installed system, a build tree, or a bare bzImage. Input is not trusted: only paths that kernel_path_parse knows are
 * written, below the work folder, never through a link.
 */
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "common/io.h"
#include "common/kv.h"
#include "host/kernel.h"
#include "host/unpack.h"

struct taking {
	struct work *w;
	char release[96];
	unsigned vmlinuz;
	char err[512];
};

/* Copies the word up to the next slash. The part of the path behind it, or NULL where there is none or it is too long. */
static const char *take_release(const char *s, char out[96])
{
	size_t n = strcspn(s, "/");
	if (!n || n >= 96 || !strncmp(s, ".", n) || !strncmp(s, "..", n))
		return NULL;
	memcpy(out, s, n);
	out[n] = '\0';
	return s + n + (s[n] == '/');
}

static int has_dots(const char *path)
{
	for (const char *p = path; *p; p += strcspn(p, "/"), p += *p == '/')
		if (!strncmp(p, "../", 3) || !strcmp(p, ".."))
			return 1;
	return 0;
}

void kernel_path_parse(struct kernel_path *p, const char *path)
{
	*p = (struct kernel_path){.part = KERNEL_OTHER, .rest = ""};
	while (!strncmp(path, "./", 2) || *path == '/')
		path += *path == '/' ? 1 : 2;
	if (has_dots(path))
		return;
	if (!strncmp(path, "boot/vmlinuz-", 13) && take_release(path + 13, p->release))
		p->part = strchr(path + 5, '/') ? KERNEL_OTHER : KERNEL_VMLINUZ;
	if (!strncmp(path, "boot/config-", 12) && take_release(path + 12, p->release))
		p->part = strchr(path + 5, '/') ? KERNEL_OTHER : KERNEL_CONFIG;
	if (!strncmp(path, "usr/", 4))
		path += 4;
	if (strncmp(path, "lib/modules/", 12) || !(path = take_release(path + 12, p->release)) || !*path)
		return;
	p->rest = path;
	p->part = KERNEL_MODULE;
	if (!strcmp(path, "vmlinuz"))
		p->part = KERNEL_VMLINUZ;
	else if (!strcmp(path, "config"))
		p->part = KERNEL_CONFIG;
	else if (!strcmp(path, "System.map") || !strncmp(path, "vdso/", 5) || !strncmp(path, "build/", 6) || !strncmp(path, "source/", 7))
		p->part = KERNEL_OTHER; /* large, and of no use here */
}

/* Where a file goes below the work folder, its folder made; "" for a file that is not wanted. */
static int place(struct taking *t, const struct kernel_path *p, char *out, size_t size)
{
	*out = '\0';
	if (p->part == KERNEL_OTHER)
		return 0;
	if (!*t->release)
		memcpy(t->release, p->release, sizeof t->release);
	if (strcmp(t->release, p->release))
		return work_fail(t->w, -EINVAL, "files of two kernels, %s and %s; add them one by one", t->release, p->release);
	if (p->part == KERNEL_VMLINUZ && t->vmlinuz++)
		return work_fail(t->w, -EINVAL, "%s has two kernel images; give one", t->release);
	int n = p->part == KERNEL_VMLINUZ  ? snprintf(out, size, "%s/vmlinuz", t->w->dir)
	        : p->part == KERNEL_CONFIG ? snprintf(out, size, "%s/config", t->w->dir)
	                                   : snprintf(out, size, "%s/modules/lib/modules/%s/%s", t->w->dir, p->release, p->rest);
	if (n < 0 || (size_t)n >= size)
		return work_fail(t->w, -ENAMETOOLONG, "%.60s...: the path is too long", p->rest);
	char *slash = strrchr(out, '/');
	*slash = '\0';
	int err = io_mkdirs(out, 0755);
	if (err)
		work_fail(t->w, err, "cannot make %s:", out);
	*slash = '/';
	return err;
}

static int visit(void *user, const char *name, uint64_t bytes, struct archive *a)
{
	struct taking *t = user;
	struct kernel_path p;
	char to[4096];
	(void)bytes;
	if (work_interrupted(t->w))
		return -EINTR;
	kernel_path_parse(&p, name);
	int err = place(t, &p, to, sizeof to);
	return err || !*to ? err : unpack_to_file(a, to, t->err, sizeof t->err);
}

/* One file of a folder. */
static int take_file(struct taking *t, const char *from, const char *path)
{
	struct kernel_path p;
	char to[4096];
	if (work_interrupted(t->w))
		return -EINTR;
	kernel_path_parse(&p, path);
	int err = place(t, &p, to, sizeof to);
	if (!err && *to && (err = work_copy(from, to)))
		work_fail(t->w, err, "copy %s:", from);
	return err;
}

/* root/below; too long a path becomes one that does not exist. */
static void join(char out[4096], const char *root, const char *below)
{
	if (snprintf(out, 4096, "%s/%s", root, below) >= 4096)
		*out = '\0';
}

static int exists(const char *root, const char *below)
{
	char path[4096];
	join(path, root, below);
	return !access(path, F_OK);
}

/* Every regular file below root/below, under the name below/... */
static int take_tree(struct taking *t, const char *root, const char *below, const char *as)
{
	char path[4096], name[4096];
	struct dirent **e;
	struct stat st;
	int err = 0;
	join(path, root, below);
	int n = scandir(path, &e, NULL, alphasort);
	for (int i = 0; i < n; i++) {
		const char *d = e[i]->d_name;
		int dots = !strcmp(d, ".") || !strcmp(d, "..");
		if (!err && !dots &&
		    ((size_t)snprintf(path, sizeof path, "%s/%s/%s", root, below, d) >= sizeof path ||
		     (size_t)snprintf(name, sizeof name, "%s/%s", as, d) >= sizeof name))
			err = work_fail(t->w, -ENAMETOOLONG, "%s: the path is too long", root);
		if (err || dots || lstat(path, &st)) {
			free(e[i]);
			continue;
		}
		if (S_ISDIR(st.st_mode)) {
			char deeper[4096];
			snprintf(deeper, sizeof deeper, "%s/%s", below, d);
			err = take_tree(t, root, deeper, name);
		} else if (S_ISREG(st.st_mode)) {
			err = take_file(t, path, name);
		}
		free(e[i]);
	}
	if (n >= 0)
		free(e);
	return err;
}

static int take_named(struct taking *t, const char *root, const char *file, const char *as)
{
	char path[4096];
	join(path, root, file);
	return access(path, F_OK) ? 0 : take_file(t, path, as);
}

/* The release of a build tree: what its own make has written down. */
static int tree_release(struct taking *t, const char *root, char out[96])
{
	char path[4096];
	join(path, root, "include/config/kernel.release");
	ssize_t n = io_read_small(path, out, 96);
	if (n <= 0)
		return work_fail(t->w, -EINVAL, "%s: no include/config/kernel.release; is the build complete?", root);
	out[strcspn(out, "\n")] = '\0';
	return 0;
}

/* A line of modules.order: kernel/fs/x.ko, fs/x.ko or fs/x.o, by age of the tree. */
static int take_module(struct taking *t, const char *root, const char *release, char *line)
{
	char path[4096], as[4096];
	size_t n = strlen(line);
	if (n < 3 || has_dots(line))
		return 0;
	if (!strncmp(line, "kernel/", 7) && !exists(root, line))
		line += 7, n -= 7;
	if (!strcmp(line + n - 2, ".o"))
		snprintf(path, sizeof path, "%.*s.ko", (int)n - 2, line);
	else
		snprintf(path, sizeof path, "%s", line);
	if ((size_t)snprintf(as, sizeof as, "lib/modules/%s/kernel/%s", release, path) >= sizeof as)
		return work_fail(t->w, -ENAMETOOLONG, "%s: the path is too long", root);
	if (!exists(root, path))
		return work_fail(t->w, -ENOENT, "%s/%s: it is in modules.order but not there; is the build complete?", root, path);
	return take_named(t, root, path, as);
}

static int take_build(struct taking *t, const char *root)
{
	static const char *const lists[] = {"modules.order", "modules.builtin", "modules.builtin.modinfo", NULL};
	char release[96], path[4096], *order;
	size_t len;
	int err = tree_release(t, root, release);
	snprintf(path, sizeof path, "boot/vmlinuz-%s", release);
	if (!err)
		err = take_named(t, root, "arch/x86/boot/bzImage", path);
	snprintf(path, sizeof path, "boot/config-%s", release);
	if (!err)
		err = take_named(t, root, ".config", path);
	for (size_t i = 0; !err && lists[i]; i++) {
		snprintf(path, sizeof path, "lib/modules/%s/%s", release, lists[i]);
		err = take_named(t, root, lists[i], path);
	}
	join(path, root, "modules.order");
	if (err || io_read_file(path, 16 << 20, &order, &len))
		return err; /* without modules.order: no modules were built */
	char *save, *line = strtok_r(order, "\n", &save);
	for (; !err && line; line = strtok_r(NULL, "\n", &save))
		err = take_module(t, root, release, line);
	free(order);
	return err;
}

/* A kernel of some lab: facts, vmlinuz, config, modules/. */
static int take_lab(struct taking *t, const char *root)
{
	struct kernel k;
	char path[4096], *text;
	size_t len;
	join(path, root, "facts");
	int err = io_read_file(path, 65536, &text, &len);
	if (!err) {
		err = kernel_parse(&k, text, len);
		free(text);
	}
	if (err)
		return work_fail(t->w, err, "%s: damaged or no facts of a kernel", path);
	snprintf(path, sizeof path, "boot/vmlinuz-%s", k.release);
	err = take_named(t, root, "vmlinuz", path);
	snprintf(path, sizeof path, "boot/config-%s", k.release);
	if (!err)
		err = take_named(t, root, "config", path);
	return err ? err : take_tree(t, root, "modules/lib/modules", "lib/modules");
}

static int is_link(const char *root, const char *below)
{
	struct stat st;
	char path[4096];
	join(path, root, below);
	return !lstat(path, &st) && S_ISLNK(st.st_mode);
}

static int take_folder(struct taking *t, const char *root)
{
	int err = 0, found = 0;
	static const char *const roots[] = {"boot", "lib/modules", "usr/lib/modules", NULL};
	if (exists(root, "arch/x86/boot/bzImage"))
		return take_build(t, root);
	if (exists(root, "facts") && exists(root, "vmlinuz"))
		return take_lab(t, root);
	for (size_t i = 0; !err && roots[i]; i++) {
		/* lib may be a link to usr/lib: the same files once. */
		if (!exists(root, roots[i]) || (i == 1 && is_link(root, "lib")))
			continue;
		found = 1;
		err = take_tree(t, root, roots[i], roots[i]);
	}
	return err || found ? err
	                    : work_fail(t->w, -EINVAL,
	                                "%s: neither a kernel's build tree (arch/x86/boot/bzImage) nor a folder with boot/ or lib/modules/, nor a "
	                                "kernel of a lab",
	                                root);
}

/* A bare image: its release is in its header, which the caller reads. */
static int take_image(struct taking *t, const char *path)
{
	char to[4096];
	if (t->vmlinuz++)
		return work_fail(t->w, -EINVAL, "%s: a second kernel image; add them one by one", path);
	snprintf(to, sizeof to, "%s/vmlinuz", t->w->dir);
	int err = work_copy(path, to);
	return err ? work_fail(t->w, err, "copy %s:", path) : 0;
}

static int is_image(const char *path)
{
	char head[0x206];
	int fd = open(path, O_RDONLY | O_CLOEXEC);
	ssize_t n = fd < 0 ? -1 : read(fd, head, sizeof head);
	if (fd >= 0)
		close(fd);
	return n == (ssize_t)sizeof head && !memcmp(head + 0x202, "HdrS", 4);
}

static int take_one(struct taking *t, const char *path)
{
	struct stat st;
	if (stat(path, &st))
		return work_fail(t->w, -errno, "%s:", path);
	if (S_ISDIR(st.st_mode))
		return take_folder(t, path);
	if (!S_ISREG(st.st_mode))
		return work_fail(t->w, -EINVAL, "%s: neither a file nor a folder", path);
	if (is_image(path))
		return take_image(t, path);
	int err = unpack_walk(path, visit, t, t->err, sizeof t->err);
	return err ? work_fail(t->w, err, "%s", *t->err ? t->err : strerror(-err)) : 0;
}

int kernel_take(struct work *w, const char *const *files, char release[96])
{
	struct taking t = {.w = w};
	int err = 0;
	for (size_t i = 0; !err && files[i]; i++)
		err = take_one(&t, files[i]);
	if (!err && !t.vmlinuz)
		err = work_fail(w, -EINVAL,
		                "%s%s: no kernel image in it (boot/vmlinuz-*); split packages go together: linux-binary-, linux-modules-, "
		                "linux-base-",
		                files[0], files[1] ? " ..." : "");
	memcpy(release, t.release, sizeof t.release);
	return err;
}
