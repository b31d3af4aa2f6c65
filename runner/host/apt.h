/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * apt: kernel packages of the distribution, found and downloaded through a private apt root (image/apt-root): nothing is installed, the
 * system's lists are not touched.
 */
#ifndef KD_APT_H
#define KD_APT_H

#include <stddef.h>
#include <stdint.h>

#include "host/work.h"

#define APT_PACKAGES_MAX 16

struct apt_package {
	char name[128], version[96], arch[16];
	char sha256[65];
	uint64_t bytes;
	char depends[2048];
};

/* One stanza of `apt-cache show`. Pure. 0, -ENOENT (no package in it), -EINVAL (a field is missing or too long). */
int apt_parse(struct apt_package *p, const char *text, size_t len);
/* 1 if it is a package of one certain kernel: linux-image-, linux-binary-, linux-modules- or linux-base- and a digit. */
int apt_is_kernel(const char *name);
/* The next `name (= version)` of a Depends field, first alternative; version "" if none is asked for. 0 at the end. */
int apt_next_dependency(const char **depends, char name[128], char version[96]);

/* Folder where downloads are kept: KDYNO_CACHE, XDG_CACHE_HOME/kdyno, HOME/.cache/kdyno. malloc'd; NULL if none is set. */
char *apt_cache_dir(void);
/* Makes the suite's apt root and sets APT_CONFIG for what is started from here. 0 or -errno with w->err. */
int apt_use_suite(struct work *w, const char *suite);
/* The packages of one kernel, from a package or meta package's name. Count, or -errno with w->err. */
int apt_resolve(struct work *w, const char *suite, const char *name, struct apt_package *p, size_t max);
/*
 * The meta package of the newest series that a suite carries beside its own kernel (Debian 12 has 6.12 beside 6.1): the greatest A.B among
 * linux-image-A.B-FLAVOUR. 0, -ENOENT if there is none, or -errno with w->err. Wants apt_use_suite.
 */
int apt_newest_series(struct work *w, const char *flavour, char name[128]);
/* The package's file in the cache, checked, downloaded if it is not there: path (malloc'd) in *out. */
int apt_download(struct work *w, const struct apt_package *p, char **out);

#endif
