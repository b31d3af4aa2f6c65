/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * kernel_add: makes a kernel of the lab, whole or not at all, and never over one that is there. What was made from the same
 * files is known by a digest over them, so that doing it twice costs one look.
 */
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "common/clock.h"
#include "common/err.h"
#include "common/io.h"
#include "common/kv.h"
#include "common/sha256.h"
#include "host/kernel.h"
#include "host/lab.h"

#define CONFIG_MAX (4u << 20)

static int by_text(const void *a, const void *b) { return strcmp(a, b); }

void kernel_source_digest(char (*hex)[65], size_t n, char out[65])
{
	struct sha256 s;
	qsort(hex, n, sizeof *hex, by_text);
	sha256_init(&s);
	for (size_t i = 0; i < n; i++)
		sha256_update(&s, hex[i], 64);
	sha256_final_hex(&s, out);
}

/* "" where a folder is among them: its content may change. */
static void digest_files(const char *const *files, char out[65])
{
	size_t n = 0;
	*out = '\0';
	while (files[n])
		n++;
	char(*hex)[65] = calloc(n + 1, sizeof *hex);
	for (size_t i = 0; hex && i < n; i++) {
		struct stat st;
		if (stat(files[i], &st) || !S_ISREG(st.st_mode) || sha256_file(files[i], hex[i], NULL)) {
			free(hex);
			return;
		}
	}
	if (hex)
		kernel_source_digest(hex, n, out);
	free(hex);
}

int kernel_find(struct kernel *k, const char *source, const char *as)
{
	size_t n;
	int found = 0;
	if (!*source)
		return 0;
	char **names = lab_list("kernels", &n);
	for (size_t i = 0; !found && i < n; i++)
		found = !kernel_read(k, names[i]) && !strcmp(k->source, source) && !strcmp(k->id, as ? as : k->release);
	lab_list_free(names);
	return found;
}

static int read_image(struct work *w, struct kernel *k, const char *release)
{
	char path[4200], why[160], *head = malloc(KERNEL_HEAD_BYTES);
	snprintf(path, sizeof path, "%s/vmlinuz", w->dir);
	int err = sha256_file(path, k->sha256, &k->bytes), fd = -1;
	ssize_t n = -1;
	if (!err && head && (fd = open(path, O_RDONLY | O_CLOEXEC)) >= 0) {
		n = read(fd, head, KERNEL_HEAD_BYTES);
		close(fd);
	}
	if (n < 0)
		err = work_fail(w, err ? err : -errno, "read %s:", path);
	else if (kernel_image_parse(k, head, (size_t)n, k->bytes, why, sizeof why))
		err = work_fail(w, -EINVAL, "%s: %s", k->from, why);
	else if (*release && strcmp(release, k->release))
		err = work_fail(w, -EINVAL, "%s: the kernel says it is %s, its modules are of %s", k->from, k->release, release);
	free(head);
	return err;
}

static int read_config(struct work *w, struct kernel *k)
{
	char path[4200], *text;
	size_t len;
	snprintf(path, sizeof path, "%s/config", w->dir);
	if (access(path, F_OK))
		kernel_embedded_config(w->dir);
	int err = io_read_file(path, CONFIG_MAX, &text, &len);
	if (err && err != -ENOENT)
		return work_fail(w, err, "read %s:", path);
	kernel_config_parse(k, err ? NULL : text, err ? 0 : len);
	if (!err)
		free(text);
	return 0;
}

/* modules.dep and its relatives. Some builds of kmod look below usr/: the same tree, by a link, is there for them. */
static int run_depmod(struct work *w, struct kernel *k)
{
	static const char *const names[] = {"depmod", "/sbin/depmod", "/usr/sbin/depmod", NULL};
	char base[4200], dep[4400], usr[4300];
	struct work_command c = {0};
	snprintf(base, sizeof base, "%s/modules", w->dir);
	k->modules = !access(base, F_OK);
	if (!k->modules)
		return 0;
	snprintf(dep, sizeof dep, "%s/lib/modules/%s/modules.dep", base, k->release);
	snprintf(usr, sizeof usr, "%s/usr", base);
	for (int pass = 0; pass < 2; pass++) {
		int r = -ENOENT;
		for (size_t i = 0; r == -ENOENT && names[i]; i++) {
			const char *argv[] = {names[i], "-b", base, k->release, NULL};
			c.argv = argv;
			r = work_run(w, &c);
		}
		if (r == -ENOENT)
			return work_fail(w, r, "depmod is missing: install kmod");
		if (r == 0 && !access(dep, F_OK))
			return 0;
		if (r < 0)
			return work_fail(w, r, "depmod:");
		if (pass || symlink(".", usr))
			break;
	}
	return work_fail(w, -EIO, "depmod of %s failed: %s", k->release, *c.tail ? c.tail : "it wrote no modules.dep");
}

static int write_facts(struct work *w, const struct kernel *k)
{
	char text[4096], path[4200];
	long n = kernel_format(k, text, sizeof text);
	if (n < 0)
		return work_fail(w, (int)n, "facts of %s do not fit a line", k->id);
	snprintf(path, sizeof path, "%s/facts", w->dir);
	int err = io_write_file(path, text, (size_t)n, 0644);
	return err ? work_fail(w, err, "write %s:", path) : 0;
}

/* The id is free, or holds the same kernel: then 1. */
static int check_id(struct work *w, const struct kernel *k, struct kernel *there)
{
	if (!kv_is_id(k->id))
		return work_fail(w, -EINVAL, "'%.70s' is no id (letters, digits, . _ + -; at most 64); give one with --as ID", k->id);
	int err = kernel_read(there, k->id);
	if (err == -ENOENT)
		return 0;
	if (err)
		return work_fail(w, err, "kernels/%s is there and damaged; 'kdyno kernel remove %s' first", k->id, k->id);
	if (!strcmp(there->sha256, k->sha256) && there->modules == k->modules && !strcmp(there->compression, k->compression))
		return 1;
	return work_fail(w, -EEXIST, "kernel '%s' is there already, another one (from %s); --as ID, or 'kdyno kernel remove %s' first", k->id,
	                 there->from, k->id);
}

static void set_from(struct kernel *k, const char *const *files)
{
	for (size_t i = 0; files[i]; i++) {
		const char *slash = strrchr(files[i], '/');
		const char *name = slash && slash[1] ? slash + 1 : files[i];
		size_t n = strlen(k->from);
		snprintf(k->from + n, sizeof k->from - n, "%s%s", n ? "," : "", name);
	}
}

/* 0 to place, 1 it is there already, -errno. */
static int make(struct work *w, struct kernel *k, const char *const *files, const char *as, struct kernel *there)
{
	char release[96];
	int err = kernel_take(w, files, release);
	if (!err)
		err = read_image(w, k, release);
	if (!err)
		err = read_config(w, k);
	if (err)
		return err;
	snprintf(k->id, sizeof k->id, "%.64s", as ? as : k->release);
	err = run_depmod(w, k);
	if (!err)
		err = check_id(w, k, there);
	return err ? err : write_facts(w, k);
}

static void place(struct work *w, const char *id)
{
	char *path = lab_path("kernels/%s", id);
	if (work_place(w, path))
		work_die(w);
	work_end(w);
	free(path);
}

enum kernel_added kernel_add(struct kernel *k, const char *const *files, const char *as)
{
	struct work w;
	struct kernel there;
	*k = (struct kernel){.added = clock_unix_ms() / 1000};
	lab_create();
	digest_files(files, k->source);
	if (kernel_find(&there, k->source, as)) {
		*k = there;
		return KERNEL_HAVE;
	}
	set_from(k, files);
	char *parent = lab_path("kernels");
	int err = work_begin(&w, parent);
	free(parent);
	if (!err)
		err = make(&w, k, files, as, &there);
	if (err < 0)
		work_die(&w);
	if (err) {
		*k = there;
		work_end(&w);
		return KERNEL_HAVE;
	}
	place(&w, k->id);
	return KERNEL_ADDED;
}

/* A tree of hard links. */
static int link_tree(struct work *w, const char *from, const char *to)
{
	struct dirent **e;
	int err = 0, n = scandir(from, &e, NULL, alphasort);
	if (n < 0)
		return work_fail(w, -errno, "open %s:", from);
	for (int i = 0; i < n; i++) {
		char a[4096], b[4096];
		struct stat st;
		const char *name = e[i]->d_name;
		int fits = snprintf(a, sizeof a, "%s/%s", from, name) < (int)sizeof a && snprintf(b, sizeof b, "%s/%s", to, name) < (int)sizeof b;
		if (!err && !fits)
			err = work_fail(w, -ENAMETOOLONG, "%s: the path is too long", from);
		if (!err && strcmp(name, ".") && strcmp(name, "..") && !lstat(a, &st)) {
			if (S_ISDIR(st.st_mode))
				err = mkdir(b, 0755) ? work_fail(w, -errno, "cannot make %s:", b) : link_tree(w, a, b);
			else if (S_ISREG(st.st_mode) && (err = work_link(a, b)))
				work_fail(w, err, "link %s:", b);
		}
		free(e[i]);
	}
	free(e);
	return err;
}

enum kernel_added kernel_add_again(struct kernel *k, const char *id, const char *as)
{
	struct work w;
	struct kernel there;
	kernel_load(k, id);
	snprintf(k->id, sizeof k->id, "%.64s", as);
	char *parent = lab_path("kernels"), *from = lab_path("kernels/%s", id), facts[4200];
	int err = work_begin(&w, parent);
	if (!err)
		err = check_id(&w, k, &there);
	if (!err)
		err = link_tree(&w, from, w.dir);
	if (!err) {
		snprintf(facts, sizeof facts, "%s/facts", w.dir);
		unlink(facts); /* it is a link to the other's */
		k->added = clock_unix_ms() / 1000;
		err = write_facts(&w, k);
	}
	free(parent);
	free(from);
	if (err < 0)
		work_die(&w);
	if (err)
		work_end(&w);
	else
		place(&w, k->id);
	return err ? KERNEL_HAVE : KERNEL_ADDED;
}
