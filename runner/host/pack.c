/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * pack: see pack.h. Which modules: those of the board's `nic` and `modules`, and nothing because it might be useful: every module is
 * memory and start time on the box. `name?` is taken where the kernel has it.
 */
#include "host/pack.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "common/cpio.h"
#include "common/io.h"
#include "host/lab.h"
#include "host/unpack.h"

#define LIST_MAX (8u << 20)
#define MODULE_MAX (64u << 20)

/* A file of the modules tree, or NULL. */
static char *read_list(const struct kernel *k, const char *name)
{
	char *text = NULL, *path = lab_path("kernels/%s/modules/lib/modules/%s/%s", k->id, k->release, name);
	size_t len;
	if (io_read_file(path, LIST_MAX, &text, &len))
		text = NULL;
	free(path);
	return text;
}

int pack_index(struct module_index *m, const struct kernel *k, int *unproven, char *err, size_t size)
{
	char *dep = k->modules ? read_list(k, "modules.dep") : strdup("");
	char *builtin = read_list(k, "modules.builtin"), *softdep = read_list(k, "modules.softdep");
	int code;
	*unproven = !k->modules && !builtin;
	if (!dep) {
		snprintf(err, size, "kernel %s: no modules.dep; 'kdyno kernel remove %s', then add it again", k->id, k->id);
		code = -ENOENT;
	} else {
		code = module_index_read(m, dep, builtin, softdep);
		if (code)
			snprintf(err, size, "out of memory");
	}
	free(dep);
	free(builtin);
	free(softdep);
	return code;
}

static void note_missing(struct pack *p, const char *name)
{
	size_t n = strlen(p->missing);
	snprintf(p->missing + n, sizeof p->missing - n, "%s%s", n ? "," : "", name);
}

/* Every word of a comma list. first: NULL, or gets the first of them that the kernel has. */
static int take_list(struct module_index *m, struct pack *p, const struct kernel *k, const struct board *b, const char *list, char *first, char *err,
                     size_t size)
{
	for (const char *w = list; *w;) {
		size_t n = strcspn(w, ",");
		char name[MODULE_NAME_MAX];
		snprintf(name, sizeof name, "%.*s", (int)(n < sizeof name ? n : sizeof name - 1), w);
		int optional = n && w[n - 1] == '?';
		name[strcspn(name, "?")] = '\0';
		int code = module_take(m, name);
		if (code == -ENOENT && optional) {
			note_missing(p, name);
		} else if (code == -ENOENT && !p->unproven) {
			char near[MODULE_NAME_MAX];
			int is_near = !module_nearest(m, name, near);
			snprintf(err, size,
			         "kernel %s lacks what box %s needs: %s is neither a module of it nor built in%s%s%s; take another kernel, or end "
			         "the "
			         "name in boards/%s.ini with ? if the box can do without",
			         k->id, b->name, name, is_near ? " (did you mean '" : "", is_near ? near : "", is_near ? "'?)" : "", b->name);
			return code;
		} else if (code < 0 && code != -ENOENT) {
			snprintf(err, size, "kernel %s: module %s: %s", k->id, name, strerror(-code));
			return code;
		} else if (first && !*first && code >= 0) {
			snprintf(first, MODULE_NAME_MAX, "%s", name);
		}
		w += n + (w[n] == ',');
	}
	return 0;
}

/* The watchdog drivers come last, so that nothing else waits for one; the software one carries nothing into the next kernel. */
static int take_watchdog(struct module_index *m, struct pack *p, const struct kernel *k, const struct board *b, char *err, size_t size)
{
	int code = take_list(m, p, k, b, b->watchdog, p->watchdog, err, size);
	if (!strcmp(p->watchdog, "softdog"))
		p->watchdog[0] = '\0';
	return code;
}

/* file.ko of a path, whatever compression is behind it. */
static void plain_name(const char *path, char out[256])
{
	const char *slash = strrchr(path, '/');
	snprintf(out, 256, "%s", slash ? slash + 1 : path);
	char *ko = strstr(out, ".ko");
	if (ko)
		ko[3] = '\0';
}

static int write_module(struct cpio *c, const struct kernel *k, const struct module *it, char *err, size_t size)
{
	char file[256], name[320], *data;
	size_t len;
	char *path = lab_path("kernels/%s/modules/lib/modules/%s/%s", k->id, k->release, it->path);
	int code = unpack_file(path, MODULE_MAX, &data, &len, err, size);
	free(path);
	if (code)
		return code;
	plain_name(it->path, file);
	snprintf(name, sizeof name, "kd/pack/modules/%s", file);
	if (len < 4 || memcmp(data, "\177ELF", 4)) {
		snprintf(err, size, "kernel %s: %s is no module (not an ELF file)", k->id, it->path);
		code = -EBADMSG;
	} else {
		cpio_file(c, name, 0644, data, len);
	}
	free(data);
	return code;
}

static int write_cpio(struct cpio *c, const struct kernel *k, const struct module_index *m, char *err, size_t size)
{
	char *order = calloc(m->taken + 1, 256), file[256];
	int code = 0;
	if (!order)
		return -ENOMEM;
	cpio_dir(c, "kd", 0755);
	cpio_dir(c, "kd/pack", 0755);
	cpio_dir(c, "kd/pack/modules", 0755);
	for (size_t i = 0, n = 0; i < m->taken; i++) {
		plain_name(m->module[m->order[i]].path, file);
		n += (size_t)sprintf(order + n, "%s\n", file);
	}
	cpio_file(c, "kd/pack/order", 0644, order, strlen(order));
	for (size_t i = 0; !code && i < m->taken; i++)
		code = write_module(c, k, &m->module[m->order[i]], err, size);
	free(order);
	return code;
}

int pack_write(struct pack *p, const struct kernel *k, const struct board *b, const char *path, char *err, size_t size)
{
	struct module_index m = {0};
	struct cpio c;
	*p = (struct pack){0};
	int code = pack_index(&m, k, &p->unproven, err, size);
	if (code)
		return code;
	code = take_list(&m, p, k, b, b->nic, NULL, err, size);
	if (!code)
		code = take_list(&m, p, k, b, b->modules, NULL, err, size);
	if (!code)
		code = take_watchdog(&m, p, k, b, err, size);
	int fd = code ? -1 : open(path, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0644);
	if (!code && fd < 0)
		snprintf(err, size, "%s: %s", path, strerror(errno)), code = -errno;
	if (!code) {
		cpio_open(&c, fd);
		code = write_cpio(&c, k, &m, err, size);
		int closed = cpio_close(&c);
		if (!closed && fsync(fd))
			closed = -errno;
		if (!code && closed)
			snprintf(err, size, "%s: %s", path, strerror(-closed)), code = closed;
		p->bytes = c.bytes;
	}
	if (fd >= 0)
		close(fd);
	p->modules = m.taken;
	module_index_free(&m);
	return code;
}
