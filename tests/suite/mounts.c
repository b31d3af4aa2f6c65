/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * mounts: /proc/mounts.
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "common/io.h"
#include "mounts.h"

#define MOUNTS_BYTES 32768

static int octal(const char *s)
{
	for (int i = 0; i < 3; i++)
		if (s[i] < '0' || s[i] > '7')
			return -1;
	return (s[0] - '0') * 64 + (s[1] - '0') * 8 + (s[2] - '0');
}

/* The next blank-separated word of a line, decoded. Where it ends, or NULL: too long, or none. */
static const char *word(const char *s, char *out, size_t size)
{
	size_t n = 0;

	while (*s == ' ')
		s++;
	if (!*s || *s == '\n')
		return NULL;
	while (*s && *s != ' ' && *s != '\n') {
		int c = *s == '\\' ? octal(s + 1) : -1;

		if (n + 1 >= size)
			return NULL;
		out[n++] = c > 0 ? (char)c : *s;
		s += c > 0 ? 4 : 1;
	}
	out[n] = 0;
	return s;
}

static int parse(const char *line, struct mounts_line *m)
{
	line = word(line, m->source, sizeof(m->source));
	if (line)
		line = word(line, m->dir, sizeof(m->dir));
	if (line)
		line = word(line, m->type, sizeof(m->type));
	if (line)
		line = word(line, m->options, sizeof(m->options));
	return line ? 0 : -ENAMETOOLONG;
}

int mounts_find(const char *text, const char *dir, struct mounts_line *out)
{
	struct mounts_line m;
	int err = -ENOENT;

	while (text && *text) {
		int e = parse(text, &m);

		if (!e && !strcmp(m.dir, dir)) {
			*out = m;
			err = 0;
		}
		text = strchr(text, '\n');
		text = text ? text + 1 : NULL;
	}
	return err;
}

/* 1 if path is dir or lies below it. */
static int holds(const char *dir, const char *path)
{
	size_t len = strlen(dir);

	if (len == 1)
		return 1; /* the root */
	return !strncmp(dir, path, len) && (!path[len] || path[len] == '/');
}

int mounts_holding(const char *text, const char *path, struct mounts_line *out)
{
	struct mounts_line m;
	int err = -ENOENT;

	while (text && *text) {
		if (!parse(text, &m) && holds(m.dir, path) && (err || strlen(m.dir) >= strlen(out->dir))) {
			*out = m;
			err = 0;
		}
		text = strchr(text, '\n');
		text = text ? text + 1 : NULL;
	}
	return err;
}

static int read_by(int (*find)(const char *, const char *, struct mounts_line *), const char *path, struct mounts_line *out)
{
	char *text = malloc(MOUNTS_BYTES);
	int err = -ENOENT;

	if (!text)
		return -ENOMEM;
	if (io_read_small("/proc/self/mounts", text, MOUNTS_BYTES) > 0 || io_read_small("/proc/mounts", text, MOUNTS_BYTES) > 0)
		err = find(text, path, out);
	free(text);
	return err;
}

int mounts_read(const char *dir, struct mounts_line *out) { return read_by(mounts_find, dir, out); }

int mounts_read_holding(const char *path, struct mounts_line *out) { return read_by(mounts_holding, path, out); }

/* As NFS clients before about 2.6.19 say it: `v3` for vers=3, `udp` or `tcp` for proto=. 1 where this word is that option; *value is its value. */
static int is_old_word(const char *word, size_t len, const char *name, const char **value, size_t *value_len)
{
	int is = !strcmp(name, "vers")    ? len == 2 && word[0] == 'v' && word[1] >= '2' && word[1] <= '4'
	         : !strcmp(name, "proto") ? len == 3 && (!memcmp(word, "udp", 3) || !memcmp(word, "tcp", 3))
	                                  : 0;

	*value = *name == 'v' ? word + 1 : word;
	*value_len = (size_t)(word + len - *value);
	return is;
}

int mounts_option(const char *options, const char *name, char *out, size_t size)
{
	size_t want = strlen(name);

	while (*options) {
		size_t len = strcspn(options, ",");

		int same = len >= want && !memcmp(options, name, want) && (len == want || options[want] == '=');
		const char *value = options + (len == want ? want : want + 1);
		size_t n = same ? len - (size_t)(value - options) : 0;

		if (same || is_old_word(options, len, name, &value, &n)) {
			if (n >= size)
				return -ENAMETOOLONG;
			memcpy(out, value, n);
			out[n] = 0;
			return 0;
		}
		options += len + (options[len] == ',');
	}
	return -ENOENT;
}
