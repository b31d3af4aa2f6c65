/* SPDX-License-Identifier: GPL-2.0-or-later */
/* args: see args.h. Trap: neither names nor values hold a comma; whoever adds one has checked that. */
#include "host/args.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const char *find(const char *list, const char *name)
{
	size_t n = strlen(name);

	while (*list) {
		if (!strncmp(list, name, n) && list[n] == '=')
			return list;
		list += strcspn(list, ",");
		list += *list == ',';
	}
	return NULL;
}

int args_set(char **list, const char *name, const char *value)
{
	const char *old = *list ? *list : "", *at = find(old, name);
	size_t before = at ? (size_t)(at - old) : strlen(old), skip = at ? strcspn(at, ",") : 0;
	char *text;

	if (asprintf(&text, "%.*s%s%s=%s%s", (int)before, old, !at && before ? "," : "", name, value, old + before + skip) < 0)
		return -ENOMEM;
	free(*list);
	*list = text;
	return 0;
}

int args_next(const char **list, char *name, size_t name_size, char *value, size_t value_size)
{
	const char *s = *list;
	size_t n = strcspn(s, ","), eq = strcspn(s, "=,");

	if (!*s)
		return 0;
	snprintf(name, name_size, "%.*s", (int)eq, s);
	snprintf(value, value_size, "%.*s", eq < n ? (int)(n - eq - 1) : 0, eq < n ? s + eq + 1 : "");
	*list = s + n + (s[n] == ',');
	return 1;
}

char *args_join(const char *args, const char *over)
{
	char *out = strdup(args ? args : ""), name[128], value[512];

	for (const char *p = over ? over : ""; out && args_next(&p, name, sizeof name, value, sizeof value);) {
		if (args_set(&out, name, value)) {
			free(out);
			return NULL;
		}
	}
	return out;
}
