/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * module: which modules a kernel has, which are built in, and in which order some of them must be loaded: from modules.dep,
 * modules.builtin and modules.softdep, as depmod and the kernel's build write them (modules.dep(5)). Pure over their texts.
 *
 * A module's name is its file's without folder and .ko*, and `-` and `_` are the same letter in it.
 */
#ifndef KD_MODULE_H
#define KD_MODULE_H

#include <stddef.h>

#define MODULE_NAME_MAX 64

struct module {
	char name[MODULE_NAME_MAX]; /* with _ */
	char *path;                 /* below lib/modules/<release>/ */
	char *deps;                 /* blank-separated paths */
	int taken;
};

struct module_index {
	struct module *module; /* sorted by name */
	size_t n;
	char **builtin; /* names, sorted */
	size_t builtins;
	char *softdep; /* the text, or NULL */
	size_t *order; /* what has been taken, in loading order: indices into module */
	size_t taken;
};

/* Texts are NUL-terminated; builtin and softdep may be NULL. 0 or -ENOMEM. */
int module_index_read(struct module_index *m, const char *dep, const char *builtin, const char *softdep);
void module_index_free(struct module_index *m);
const struct module *module_find(const struct module_index *m, const char *name);
int module_is_builtin(const struct module_index *m, const char *name);
/* The nearest name that the kernel has as a module or built in, for one that it has not; 0, or -ENOENT where none is near. */
int module_nearest(const struct module_index *m, const char *name, char out[MODULE_NAME_MAX]);
/* Takes a module behind all that it depends on. 0; 1: it is built in; -ENOENT: neither. Twice is once. */
int module_take(struct module_index *m, const char *name);
/* The name of a path or a word, into out: "kernel/x/virtio-rng.ko.xz" is virtio_rng. */
void module_name(const char *path, char out[MODULE_NAME_MAX]);

#endif
