/* SPDX-License-Identifier: GPL-2.0-or-later */
/* board_modules: see board_modules.h. What a kernel without modules and without a list of what is built in has, nobody knows: it is left out. */
#include "host/board_modules.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "host/arch.h"
#include "host/board_key.h"
#include "host/lab.h"
#include "host/pack.h"

struct looking {
	struct module_index *index;
	size_t n;
};

static void take_kernel(struct looking *l, const char *id, const struct arch *arch)
{
	struct kernel k;
	char why[512];
	int unproven = 0;
	if (kernel_read(&k, id) || !arch || !arch_runs_on(arch, k.arch) || pack_index(&l->index[l->n], &k, &unproven, why, sizeof why))
		return;
	if (unproven)
		module_index_free(&l->index[l->n]);
	else
		l->n++;
}

static int has(const struct looking *l, const char *name)
{
	for (size_t i = 0; i < l->n; i++)
		if (module_find(&l->index[i], name) || module_is_builtin(&l->index[i], name))
			return 1;
	return 0;
}

static int refuse(const struct looking *l, const char *key, const char *name, const struct board_source *s, struct board_error *e)
{
	const int i = board_key_find("machine", key);
	char near[MODULE_NAME_MAX];
	size_t at = 0;
	*e = (struct board_error){.line = s->key[i].line};
	snprintf(e->file, sizeof e->file, "%s", s->file[s->key[i].file]);
	while (at < l->n && module_nearest(&l->index[at], name, near))
		at++;
	snprintf(e->text, sizeof e->text, "%s: none of the lab's %zu kernels has a module '%s'%s%s%s", key, l->n, name,
	         at < l->n ? "; did you mean '" : "", at < l->n ? near : "", at < l->n ? "'?" : "");
	return -EINVAL;
}

static int check_list(const struct looking *l, struct board_modules *m, const char *key, const char *list, const struct board_source *s,
                      struct board_error *e)
{
	for (const char *w = list; *w;) {
		size_t n = strcspn(w, ",");
		char name[MODULE_NAME_MAX];
		int optional = n && w[n - 1] == '?';
		snprintf(name, sizeof name, "%.*s", (int)(n - (size_t)optional), w);
		if (!has(l, name) && !optional)
			return refuse(l, key, name, s, e);
		if (!has(l, name)) {
			size_t at = strlen(m->missing);
			snprintf(m->missing + at, sizeof m->missing - at, "%s%s", at ? ", " : "", name);
		}
		w += n + (w[n] == ',');
	}
	return 0;
}

int board_modules_check(struct board_modules *m, const struct board *b, const struct board_source *source, struct board_error *e)
{
	struct looking l = {0};
	size_t n;
	char **names = lab_list("kernels", &n);
	int err = 0;
	*m = (struct board_modules){0};
	l.index = calloc(n + 1, sizeof *l.index);
	for (size_t i = 0; l.index && i < n; i++)
		take_kernel(&l, names[i], arch_find(b->arch));
	lab_list_free(names);
	m->kernels = (unsigned)l.n;
	if (l.n && !(err = check_list(&l, m, "nic", b->nic, source, e)) && !(err = check_list(&l, m, "modules", b->modules, source, e)))
		err = check_list(&l, m, "watchdog", b->watchdog, source, e);
	while (l.n)
		module_index_free(&l.index[--l.n]);
	free(l.index);
	return err;
}
