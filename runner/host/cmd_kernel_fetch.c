/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * cmd_kernel_fetch: kdyno kernel fetch: the distribution's kernels, downloaded (never installed) and added to the lab. What the lab has
 * already is known by the packages' hashes before anything is downloaded.
 */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "common/err.h"
#include "common/io.h"
#include "host/apt.h"
#include "host/cmd.h"
#include "host/kernel.h"
#include "host/lab.h"

#define FLAVOUR "cloud-amd64"
#define DEFAULT_PACKAGE "linux-image-" FLAVOUR

static const char *suite;

static const struct opt opts[] = {
	{"suite", OPT_STR, "SUITE", "from this suite of the distribution (default: the machine's own, and its backports)", &suite},
	{0},
};

/* VERSION_CODENAME of os-release(5). */
static int own_suite(char out[64])
{
	char text[4096];
	static const char key[] = "VERSION_CODENAME=";
	if (io_read_small("/etc/os-release", text, sizeof text) <= 0)
		return -ENOENT;
	for (char *p = text; p; p = strchr(p, '\n')) {
		p += *p == '\n';
		if (strncmp(p, key, sizeof key - 1))
			continue;
		p += sizeof key - 1;
		p += *p == '"';
		size_t n = strcspn(p, "\"\n");
		if (n && n < 48) {
			snprintf(out, 64, "%.*s", (int)n, p);
			return 0;
		}
	}
	return -ENOENT;
}

static int is_suite(const char *s)
{
	return *s && strspn(s, "abcdefghijklmnopqrstuvwxyz0123456789.-") == strlen(s) && *s != '-' && *s != '.' && strlen(s) < 64;
}

/* Files of the packages, NULL-terminated; what is in the cache already is checked and used. */
static int download_all(struct work *w, const struct apt_package *p, int n, char **files)
{
	int err = 0;
	for (int i = 0; !err && i < n; i++)
		err = apt_download(w, &p[i], &files[i]);
	return err;
}

static void digest(const struct apt_package *p, int n, char out[65])
{
	char hex[APT_PACKAGES_MAX][65];
	for (int i = 0; i < n; i++)
		memcpy(hex[i], p[i].sha256, 65);
	kernel_source_digest(hex, (size_t)n, out);
}

/* Gets one kernel. 0, or -ENOENT with the reason in why, where `soft` lets the command go on without it. */
static int fetch(struct kernel *k, const char *from, const char *package, int soft, char *why, size_t size)
{
	struct work w;
	struct apt_package *p = calloc(APT_PACKAGES_MAX, sizeof *p);
	char *files[APT_PACKAGES_MAX + 1] = {0}, source[65], *cache = apt_cache_dir(), *parent = NULL;
	if (!p || !cache || asprintf(&parent, "%s/kernels", cache) < 0)
		err_die("no place for downloads; set KDYNO_CACHE to a folder");
	int n = 0, have = 0, err = work_begin(&w, parent);
	if (!err)
		err = apt_use_suite(&w, from);
	if (!err && (n = apt_resolve(&w, from, package, p, APT_PACKAGES_MAX)) < 0)
		err = n;
	if (!err) {
		digest(p, n, source);
		have = kernel_find(k, source, NULL);
		err = have ? 0 : download_all(&w, p, n, files);
	}
	if (err && (!soft || err == -EINTR))
		work_die(&w);
	snprintf(why, size, "%s", w.err);
	work_end(&w);
	if (!err && !have)
		have = kernel_add(k, (const char *const *)files, NULL) == KERNEL_HAVE;
	if (!err)
		kernel_print(have ? "have" : "added", k);
	fflush(stdout);
	for (int i = 0; i < n; i++)
		free(files[i]);
	free(p);
	free(cache);
	free(parent);
	return err;
}

/* The known-good one to come back to: the machine's own kernel, once more under an id that no sweep compares. */
static void make_home(const struct kernel *k)
{
	struct kernel home;
	int have = kernel_read(&home, "home") == 0;
	if (have && strcmp(home.sha256, k->sha256))
		printf("have home: it stays %s; 'kdyno kernel remove home' to have it made from %s\n", home.release, k->id);
	else if (!have)
		kernel_add_again(&home, k->id, "home");
	if (!have || !strcmp(home.sha256, k->sha256))
		kernel_print(have ? "have" : "added", &home);
}

/* A newer series in the suite itself, as Debian 12 has since it became oldstable. 0 and its meta package's name. */
static int newer_series(const char *own, char name[128])
{
	struct work w;
	char *cache = apt_cache_dir(), *parent = NULL;
	if (!cache || asprintf(&parent, "%s/kernels", cache) < 0)
		err_die("no place for downloads; set KDYNO_CACHE to a folder");
	int err = work_begin(&w, parent);
	if (!err)
		err = apt_use_suite(&w, own);
	if (!err)
		err = apt_newest_series(&w, FLAVOUR, name);
	if (err && err != -ENOENT)
		work_die(&w);
	work_end(&w);
	free(cache);
	free(parent);
	return err;
}

static void fetch_defaults(const char *own)
{
	struct kernel k;
	char backports[80], name[128], why[768];
	fetch(&k, own, DEFAULT_PACKAGE, 0, why, sizeof why);
	make_home(&k);
	if (!newer_series(own, name)) {
		fetch(&k, own, name, 0, why, sizeof why);
		return;
	}
	snprintf(backports, sizeof backports, "%s-backports", own);
	/* A release that is still in the making has none: then the person names another suite. */
	if (fetch(&k, backports, DEFAULT_PACKAGE, 1, why, sizeof why))
		err_die("one kernel only: %s; 'kdyno kernel fetch --suite SUITE' gets a second", why);
}

static int run(int argc, char **argv)
{
	char own[64], why[768];
	struct kernel k;
	if (suite && !is_suite(suite))
		err_usage("kernel fetch: --suite %.64s: no name of a suite (bullseye, trixie, sid ...)", suite);
	if (!suite && own_suite(own))
		err_die("cannot tell this machine's suite from /etc/os-release; name one with --suite");
	for (int i = 0; i < argc; i++)
		if (!is_suite(argv[i]) && strspn(argv[i], "abcdefghijklmnopqrstuvwxyz0123456789.+-") != strlen(argv[i]))
			err_usage("kernel fetch: '%.64s': no name of a package", argv[i]);
	lab_create();
	if (!suite && !argc)
		fetch_defaults(own);
	else if (!argc)
		fetch(&k, suite, DEFAULT_PACKAGE, 0, why, sizeof why);
	for (int i = 0; i < argc; i++)
		fetch(&k, suite ? suite : own, argv[i], 0, why, sizeof why);
	return EXIT_OK;
}

const struct cmd cmd_kernel_fetch = {
	.name = "kernel fetch",
	.args = "[--suite SUITE] [PACKAGE...]",
	.summary = "download kernels of the distribution and add them to the lab",
	.help = "Without words: the distribution's two cloud kernels (its own, and the newer one beside it or in its backports), and the\n"
		"first of them once more as home, the kernel that every recovery comes back to. PACKAGE is a kernel package or its meta\n"
		"package (linux-image-amd64). Nothing is installed; downloads are kept in KDYNO_CACHE (~/.cache/kdyno) and checked on\n"
		"every use.",
	.opts = opts,
	.run = run,
};
