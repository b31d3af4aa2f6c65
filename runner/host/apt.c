/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * apt: see apt.h. Debian has put a kernel into one package (linux-image-VERSION) and, since 7.x, into several: linux-binary- (the image),
 * linux-modules-, linux-base- (the config), which linux-image-VERSION only depends upon; meta packages have no digit behind the
 * prefix. Following dependencies of these four prefixes covers both.
 */
#include "host/apt.h"

#include <ctype.h>
#include <dirent.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "common/err.h"
#include "common/io.h"
#include "common/sha256.h"
#include "host/lab.h"

#define OUTPUT_MAX (8u << 20)

/* The value of `Name: value` at the start of a line. */
static int field(const char *text, size_t len, const char *name, char *out, size_t size)
{
	size_t n = strlen(name);
	for (const char *p = text, *end = text + len; p < end;) {
		const char *nl = memchr(p, '\n', (size_t)(end - p));
		size_t line = (size_t)((nl ? nl : end) - p);
		if (line > n + 1 && !memcmp(p, name, n) && p[n] == ':') {
			const char *v = p + n + 1;
			size_t m = line - n - 1;
			while (m && *v == ' ')
				v++, m--;
			if (m >= size)
				return -EINVAL;
			memcpy(out, v, m);
			out[m] = '\0';
			return 0;
		}
		p += line + 1;
	}
	return -ENOENT;
}

int apt_parse(struct apt_package *p, const char *text, size_t len)
{
	char bytes[32];
	const char *next = memmem(text, len, "\n\n", 2);
	if (next)
		len = (size_t)(next - text);
	*p = (struct apt_package){0};
	if (field(text, len, "Package", p->name, sizeof p->name))
		return -ENOENT;
	if (field(text, len, "Version", p->version, sizeof p->version) || field(text, len, "Architecture", p->arch, sizeof p->arch) ||
	    field(text, len, "SHA256", p->sha256, sizeof p->sha256) || field(text, len, "Size", bytes, sizeof bytes) || strlen(p->sha256) != 64 ||
	    field(text, len, "Depends", p->depends, sizeof p->depends) == -EINVAL)
		return -EINVAL;
	p->bytes = strtoull(bytes, NULL, 10);
	/* They become part of a file's name. */
	return strchr(p->name, '/') || strchr(p->version, '/') || strchr(p->arch, '/') ? -EINVAL : 0;
}

int apt_is_kernel(const char *name)
{
	static const char *const prefix[] = {"linux-image-", "linux-binary-", "linux-modules-", "linux-base-", NULL};
	for (size_t i = 0; prefix[i]; i++) {
		size_t n = strlen(prefix[i]);
		if (!strncmp(name, prefix[i], n))
			return isdigit((unsigned char)name[n]) || !strncmp(name + n, "unsigned-", 9);
	}
	return 0;
}

int apt_next_dependency(const char **depends, char name[128], char version[96])
{
	const char *p = *depends + strspn(*depends, ", \t");
	size_t n = strcspn(p, " ,|(:");
	if (!*p || !n || n >= 128)
		return 0;
	memcpy(name, p, n);
	name[n] = '\0';
	size_t item = strcspn(p, ","), first = strcspn(p, ",|");
	const char *eq = memmem(p, first, "(= ", 3);
	*version = '\0';
	if (eq) {
		size_t v = strcspn(eq + 3, ")");
		if (v >= 96)
			return 0;
		memcpy(version, eq + 3, v);
		version[v] = '\0';
	}
	*depends = p + item;
	return 1;
}

char *apt_cache_dir(void)
{
	const char *own = getenv("KDYNO_CACHE"), *xdg = getenv("XDG_CACHE_HOME"), *home = getenv("HOME");
	char *path = NULL;
	int n = -1;
	if (own && *own)
		n = asprintf(&path, "%s", own);
	else if (xdg && *xdg)
		n = asprintf(&path, "%s/kdyno", xdg);
	else if (home && *home)
		n = asprintf(&path, "%s/.cache/kdyno", home);
	return n < 0 ? NULL : path;
}

/* Runs a command; its whole stdout in *text. Exit status or -errno with w->err. */
static int capture(struct work *w, const char *const *argv, char **text, size_t *len, char tail[256])
{
	char out[4200];
	snprintf(out, sizeof out, "%s/out", w->dir);
	struct work_command c = {.argv = argv, .out = out};
	int r = work_run(w, &c);
	snprintf(tail, 256, "%s", c.tail);
	if (r < 0)
		return work_fail(w, r,
		                 r == -ENOENT ? "%s is missing; this needs apt (Debian and its relatives), 'kernel add' does not" : "%s:", argv[0]);
	int err = io_read_file(out, OUTPUT_MAX, text, len);
	unlink(out);
	return err ? work_fail(w, err, "read the output of %s:", argv[0]) : r;
}

int apt_use_suite(struct work *w, const char *suite)
{
	char *cache = apt_cache_dir(), *dir, *text, tail[256];
	size_t len;
	if (!cache || asprintf(&dir, "%s/apt/%s", cache, suite) < 0)
		return work_fail(w, -ENOENT, "no place for downloads; set KDYNO_CACHE to a folder");
	char *script = lab_find_share("apt-root");
	if (!script)
		return work_fail(w, -ENOENT, "cannot find 'apt-root' beside the command or in its install prefix; set KDYNO_SHARE");
	const char *argv[] = {script, "--only", "--no-source", "--suite", suite, dir, NULL};
	int err = io_mkdirs(dir, 0755);
	int r = err ? work_fail(w, err, "cannot make %s:", dir) : capture(w, argv, &text, &len, tail);
	if (!r) {
		text[strcspn(text, "\n")] = '\0';
		if (setenv("APT_CONFIG", text, 1))
			r = -ENOMEM;
	} else if (r > 0) {
		/* The script names itself; its one line says what is wrong. */
		const char *why = strncmp(tail, "apt-root: ", 10) ? tail : tail + 10;
		err = work_fail(w, -EIO, "suite %s: %s", suite, *why ? why : "its package lists cannot be made");
	}
	if (r >= 0 && !err)
		free(text);
	free(script);
	free(dir);
	free(cache);
	return r > 0 ? -EIO : r;
}

/* For an unknown name: the nearest among the kernel packages there are. */
static void no_package(struct work *w, const char *suite, const char *name)
{
	const char *argv[] = {"apt-cache", "pkgnames", "linux-image-", NULL};
	const char **names = calloc(4096, sizeof *names), *near = NULL;
	char *text = NULL, *save, tail[256];
	size_t len, n = 0;
	if (names && capture(w, argv, &text, &len, tail) == 0) {
		for (char *l = strtok_r(text, "\n", &save); l && n < 4095; l = strtok_r(NULL, "\n", &save))
			names[n++] = l;
		near = err_nearest(name, names);
	}
	work_fail(w, -ENOENT, "suite %s has no package '%.100s'%s%s%s", suite, name, near ? "; did you mean '" : "", near ? near : "",
	          near ? "'?" : "");
	free(names);
	free(text);
}

static int show(struct work *w, const char *suite, const char *name, const char *version, struct apt_package *p)
{
	char word[256], *text, tail[256];
	size_t len;
	snprintf(word, sizeof word, "%s%s%s", name, *version ? "=" : "", version);
	const char *argv[] = {"apt-cache", "show", "--no-all-versions", "--", word, NULL};
	int r = capture(w, argv, &text, &len, tail);
	if (r < 0)
		return r;
	int err = r ? -ENOENT : apt_parse(p, text, len);
	free(text);
	if (err == -ENOENT)
		no_package(w, suite, word);
	else if (err)
		work_fail(w, err, "suite %s: what apt says of %s lacks version, size or hash", suite, word);
	return err;
}

static int known(const struct apt_package *p, size_t n, const char *name)
{
	for (size_t i = 0; i < n; i++)
		if (!strcmp(p[i].name, name))
			return 1;
	return 0;
}

int apt_resolve(struct work *w, const char *suite, const char *name, struct apt_package *p, size_t max)
{
	size_t n = 1;
	int err = show(w, suite, name, "", &p[0]);
	for (size_t i = 0; !err && i < n; i++) {
		char dep[128], version[96];
		const char *d = p[i].depends;
		while (!err && apt_next_dependency(&d, dep, version)) {
			if (!apt_is_kernel(dep) || known(p, n, dep))
				continue;
			if (n == max)
				return work_fail(w, -E2BIG, "%s needs more than %zu kernel packages", name, max);
			err = show(w, suite, dep, version, &p[n]);
			n += !err;
		}
	}
	if (err)
		return err;
	if (apt_is_kernel(p[0].name))
		return (int)n;
	if (n == 1)
		return work_fail(w, -EINVAL, "%s is no kernel package: it needs none of linux-image-, linux-binary-, linux-modules-", name);
	memmove(p, p + 1, (n - 1) * sizeof *p); /* a meta package holds no file */
	return (int)n - 1;
}

int apt_newest_series(struct work *w, const char *flavour, char name[128])
{
	const char *argv[] = {"apt-cache", "pkgnames", "linux-image-", NULL};
	char *text = NULL, *save, tail[256], want[128];
	unsigned best_a = 0, best_b = 0, a, b;
	size_t len;
	int r = capture(w, argv, &text, &len, tail);
	if (r)
		return r < 0 ? r : work_fail(w, -EIO, "apt-cache pkgnames: %s", tail);
	for (char *l = strtok_r(text, "\n", &save); l; l = strtok_r(NULL, "\n", &save)) {
		if (sscanf(l, "linux-image-%u.%u-", &a, &b) != 2 || a < best_a || (a == best_a && b <= best_b))
			continue;
		snprintf(want, sizeof want, "linux-image-%u.%u-%s", a, b, flavour);
		if (strcmp(l, want))
			continue;
		memcpy(name, want, sizeof want);
		best_a = a;
		best_b = b;
	}
	free(text);
	return best_a ? 0 : -ENOENT;
}

/* On a terminal: how much of it is here. */
struct watching {
	const char *dir, *name;
	uint64_t bytes;
	int shown;
};

static void watch(void *user)
{
	struct watching *v = user;
	struct dirent **e;
	uint64_t have = 0;
	int n = isatty(STDOUT_FILENO) ? scandir(v->dir, &e, NULL, NULL) : -1;
	for (int i = 0; i < n; i++) {
		struct stat st;
		char path[4600];
		snprintf(path, sizeof path, "%s/%s", v->dir, e[i]->d_name);
		if (!lstat(path, &st) && S_ISREG(st.st_mode))
			have += (uint64_t)st.st_size;
		free(e[i]);
	}
	if (n < 0)
		return;
	free(e);
	v->shown = 1;
	printf("\r\033[Kfetch %s: %.1f of %.1f MB", v->name, (double)have / 1e6, (double)v->bytes / 1e6);
	fflush(stdout);
}

/* The .deb that apt-get has put into the folder: its name holds the version in a form of apt's own. */
static int find_deb(const char *dir, char *out, size_t size)
{
	DIR *d = opendir(dir);
	int found = 0;
	for (struct dirent *e; d && !found && (e = readdir(d));) {
		size_t n = strlen(e->d_name);
		found = n > 4 && !strcmp(e->d_name + n - 4, ".deb") && snprintf(out, size, "%s/%s", dir, e->d_name) < (int)size;
	}
	if (d)
		closedir(d);
	return found;
}

static int is_whole(const char *path, const char *sha256)
{
	char hex[65];
	return !sha256_file(path, hex, NULL) && !strcmp(hex, sha256);
}

static int download(struct work *w, const struct apt_package *p, const char *path)
{
	char word[256], deb[4600], sum[4200], line[256];
	struct watching v = {.dir = w->dir, .name = p->name, .bytes = p->bytes};
	snprintf(word, sizeof word, "%s=%s", p->name, p->version);
	const char *argv[] = {"apt-get", "-q", "download", "--", word, NULL};
	struct work_command c = {.argv = argv, .dir = w->dir, .tick = watch, .user = &v};
	if (!isatty(STDOUT_FILENO))
		printf("fetch %s %s, %.1f MB\n", p->name, p->version, (double)p->bytes / 1e6);
	fflush(stdout);
	int r = work_run(w, &c);
	if (v.shown)
		printf("\r\033[Kfetch %s %s, %.1f MB\n", p->name, p->version, (double)p->bytes / 1e6);
	if (r < 0)
		return work_fail(w, r, "apt-get:");
	if (r || !find_deb(w->dir, deb, sizeof deb))
		return work_fail(w, -EIO, "%s cannot be downloaded: %s", p->name, *c.tail ? c.tail : "apt-get left no file");
	if (!is_whole(deb, p->sha256))
		return work_fail(w, -EBADMSG, "%s: what was downloaded has another SHA-256 than the package list says; try again", p->name);
	if (rename(deb, path))
		return work_fail(w, -errno, "rename %s:", path);
	snprintf(sum, sizeof sum, "%s.sha256", path);
	int n = snprintf(line, sizeof line, "%s  %s\n", p->sha256, strrchr(path, '/') + 1);
	int err = io_write_file(sum, line, (size_t)n, 0644);
	return err ? work_fail(w, err, "write %s:", sum) : 0;
}

int apt_download(struct work *w, const struct apt_package *p, char **out)
{
	char *cache = apt_cache_dir(), *path;
	if (!cache || asprintf(&path, "%s/kernels/%s_%s_%s.deb", cache, p->name, p->version, p->arch) < 0)
		return work_fail(w, -ENOMEM, "out of memory");
	free(cache);
	int err = 0;
	if (!is_whole(path, p->sha256)) {
		if (!access(path, F_OK))
			err_warn("%s is damaged: fetched again", path);
		err = download(w, p, path);
	}
	if (err)
		free(path);
	else
		*out = path;
	return err;
}
