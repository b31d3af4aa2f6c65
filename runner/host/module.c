/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * module: see module.h. Trap: modules.dep names all that a module needs, direct or not, and loads from right to left; a
 * module's own line is followed for each, so that neither order nor completeness of the list is relied upon.
 */
#include "host/module.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "common/err.h"

void module_name(const char *path, char out[MODULE_NAME_MAX])
{
	const char *slash = strrchr(path, '/');
	const char *base = slash ? slash + 1 : path;
	const char *ko = strstr(base, ".ko");
	size_t n = ko ? (size_t)(ko - base) : strlen(base);
	if (n >= MODULE_NAME_MAX)
		n = MODULE_NAME_MAX - 1;
	for (size_t i = 0; i < n; i++)
		out[i] = base[i] == '-' ? '_' : base[i];
	out[n] = '\0';
}

static int by_name(const void *a, const void *b) { return strcmp(((const struct module *)a)->name, ((const struct module *)b)->name); }

static int by_text(const void *a, const void *b) { return strcmp(*(char *const *)a, *(char *const *)b); }

static size_t count_lines(const char *s)
{
	size_t n = 1;
	for (; *s; s++)
		n += *s == '\n';
	return n;
}

/* `path: dep dep ...` */
static int read_dep(struct module_index *m, const char *line, size_t len)
{
	const char *colon = memchr(line, ':', len);
	if (!colon || colon == line)
		return 0;
	struct module *it = &m->module[m->n];
	it->path = strndup(line, (size_t)(colon - line));
	const char *deps = colon + 1;
	it->deps = strndup(deps, len - (size_t)(deps - line));
	if (!it->path || !it->deps) {
		free(it->path);
		free(it->deps);
		return -ENOMEM;
	}
	module_name(it->path, it->name);
	m->n++;
	return 0;
}

static int read_builtin(struct module_index *m, const char *line, size_t len)
{
	char *path = strndup(line, len), name[MODULE_NAME_MAX];
	if (!path)
		return -ENOMEM;
	module_name(path, name);
	free(path);
	if (*name && !(m->builtin[m->builtins] = strdup(name)))
		return -ENOMEM;
	m->builtins += *name != '\0';
	return 0;
}

static int each_line(struct module_index *m, const char *text, int (*read)(struct module_index *, const char *, size_t))
{
	int err = 0;
	while (!err && *text) {
		size_t n = strcspn(text, "\n");
		err = read(m, text, n);
		text += n + (text[n] == '\n');
	}
	return err;
}

int module_index_read(struct module_index *m, const char *dep, const char *builtin, const char *softdep)
{
	*m = (struct module_index){0};
	m->module = calloc(count_lines(dep), sizeof *m->module);
	m->order = calloc(count_lines(dep), sizeof *m->order);
	m->builtin = calloc(builtin ? count_lines(builtin) : 1, sizeof *m->builtin);
	m->softdep = softdep ? strdup(softdep) : NULL;
	int err = m->module && m->order && m->builtin && (m->softdep || !softdep) ? 0 : -ENOMEM;
	if (!err)
		err = each_line(m, dep, read_dep);
	if (!err && builtin)
		err = each_line(m, builtin, read_builtin);
	if (err) {
		module_index_free(m);
		return err;
	}
	qsort(m->module, m->n, sizeof *m->module, by_name);
	qsort(m->builtin, m->builtins, sizeof *m->builtin, by_text);
	return 0;
}

void module_index_free(struct module_index *m)
{
	for (size_t i = 0; m->module && i < m->n; i++) {
		free(m->module[i].path);
		free(m->module[i].deps);
	}
	for (size_t i = 0; m->builtin && i < m->builtins; i++)
		free(m->builtin[i]);
	free(m->module);
	free(m->builtin);
	free(m->softdep);
	free(m->order);
	*m = (struct module_index){0};
}

const struct module *module_find(const struct module_index *m, const char *name)
{
	struct module key = {0};
	module_name(name, key.name);
	return m->n ? bsearch(&key, m->module, m->n, sizeof key, by_name) : NULL;
}

int module_is_builtin(const struct module_index *m, const char *name)
{
	char buf[MODULE_NAME_MAX], *key = buf;
	module_name(name, buf);
	return m->builtins && bsearch(&key, m->builtin, m->builtins, sizeof key, by_text);
}

int module_nearest(const struct module_index *m, const char *name, char out[MODULE_NAME_MAX])
{
	const char **names = calloc(m->n + m->builtins + 1, sizeof *names), *near;
	size_t n = 0;
	if (!names)
		return -ENOMEM;
	for (size_t i = 0; i < m->n; i++)
		names[n++] = m->module[i].name;
	for (size_t i = 0; i < m->builtins; i++)
		names[n++] = m->builtin[i];
	module_name(name, out);
	near = err_nearest(out, names);
	if (near)
		snprintf(out, MODULE_NAME_MAX, "%s", near);
	free(names);
	return near ? 0 : -ENOENT;
}

static int take(struct module_index *m, const struct module *it, unsigned depth);

/* The words after `pre:` on the softdep lines of a module, as far as they are modules: aliases are let be. */
static int take_soft(struct module_index *m, const struct module *it, unsigned depth)
{
	int err = 0;
	for (const char *p = m->softdep; !err && p && *p;) {
		size_t len = strcspn(p, "\n");
		char line[512], name[MODULE_NAME_MAX], *save;
		if (len < sizeof line && !strncmp(p, "softdep ", 8)) {
			memcpy(line, p, len);
			line[len] = '\0';
			char *word = strtok_r(line + 8, " ", &save);
			module_name(word ? word : "", name);
			int pre = 0, ours = !strcmp(name, it->name);
			while (!err && ours && (word = strtok_r(NULL, " ", &save))) {
				const struct module *dep = pre ? module_find(m, word) : NULL;
				if (word[strlen(word) - 1] == ':')
					pre = !strcmp(word, "pre:");
				else if (dep)
					err = take(m, dep, depth + 1);
			}
		}
		p += len + (p[len] == '\n');
	}
	return err;
}

/* Paths from right to left. */
static int take_deps(struct module_index *m, const struct module *it, unsigned depth)
{
	size_t end = strlen(it->deps);
	int err = 0;
	while (!err && end) {
		while (end && it->deps[end - 1] == ' ')
			end--;
		size_t start = end;
		while (start && it->deps[start - 1] != ' ')
			start--;
		if (start < end) {
			char *path = strndup(it->deps + start, end - start);
			const struct module *dep = path ? module_find(m, path) : NULL;
			err = !path ? -ENOMEM : dep ? take(m, dep, depth + 1) : -ENOENT;
			free(path);
		}
		end = start;
	}
	return err;
}

static int take(struct module_index *m, const struct module *it, unsigned depth)
{
	size_t i = (size_t)(it - m->module);
	if (it->taken)
		return 0;
	if (depth > 32)
		return -ELOOP;
	m->module[i].taken = 1; /* before its dependencies: a circle must end */
	int err = take_soft(m, it, depth);
	if (!err)
		err = take_deps(m, it, depth);
	if (!err)
		m->order[m->taken++] = i;
	return err;
}

int module_take(struct module_index *m, const char *name)
{
	const struct module *it = module_find(m, name);
	if (it)
		return take(m, it, 0);
	return module_is_builtin(m, name) ? 1 : -ENOENT;
}
