/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * json_path: see json_path.h. Trap: jansson goes 2048 levels down by recursion; the depth is bounded before it sees the text.
 */
#include "host/json_path.h"

#include <errno.h>
#include <string.h>

/* Brackets outside of strings; a text that closes more than it opens is jansson's to refuse. */
static int is_shallow(const char *text, size_t len)
{
	unsigned depth = 0;
	int quoted = 0;
	for (size_t i = 0; i < len; i++) {
		char c = text[i];
		if (quoted && c == '\\')
			i++;
		else if (c == '"')
			quoted = !quoted;
		else if (!quoted && (c == '{' || c == '[') && ++depth > JSON_PATH_DEPTH_MAX)
			return 0;
		else if (!quoted && (c == '}' || c == ']') && depth)
			depth--;
	}
	return 1;
}

json_t *json_path_load(const char *text, size_t len)
{
	if (!len || len > JSON_PATH_BYTES_MAX || !is_shallow(text, len))
		return NULL;
	return json_loadb(text, len, JSON_REJECT_DUPLICATES | JSON_DECODE_INT_AS_REAL, NULL);
}

/* The next step of *path, which is moved behind it; its length, 0: none or an empty one. */
static size_t next_step(const char **path, char separator, const char **step)
{
	const char *end = strchr(*path, separator);
	size_t n = end ? (size_t)(end - *path) : strlen(*path);
	*step = *path;
	*path = end ? end + 1 : *path + n;
	return n;
}

static char separator_of(const char **path)
{
	if (**path != '/')
		return '.';
	++*path;
	return '/';
}

int json_path_is(const char *path)
{
	size_t len = strlen(path), steps = 1;
	char separator = separator_of(&path);
	if (len > JSON_PATH_MAX || !*path || path[strlen(path) - 1] == separator)
		return 0;
	for (const char *p = path, *step; *p; steps++)
		if (!next_step(&p, separator, &step))
			return 0;
	return steps - 1 <= JSON_PATH_STEPS_MAX;
}

static const json_t *go(const json_t *at, const char *step, size_t len)
{
	char key[JSON_PATH_MAX + 1];
	size_t index = 0;
	if (len > JSON_PATH_MAX)
		return NULL;
	memcpy(key, step, len);
	key[len] = '\0';
	if (!json_is_array(at))
		return json_object_get(at, key);
	if (len > 6 || strspn(key, "0123456789") != len)
		return NULL;
	for (size_t i = 0; i < len; i++)
		index = 10 * index + (size_t)(key[i] - '0');
	return json_array_get(at, index);
}

int json_path_number(const json_t *root, const char *path, double *v)
{
	char separator = separator_of(&path);
	const json_t *at = root;
	while (at && *path) {
		const char *step;
		size_t n = next_step(&path, separator, &step);
		at = n ? go(at, step, n) : NULL;
	}
	if (!at)
		return -ENOENT;
	if (!json_is_number(at))
		return -EINVAL;
	*v = json_number_value(at);
	return 0;
}
