/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * board_file: board configs on disk: reading a file and what it includes, finding one by its name, writing one that stands alone.
 * An include is looked for beside the file that names it. Trap: two names may be one file, so a loop is known by device and inode.
 */
#include "host/board_file.h"

#include <dirent.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "common/err.h"
#include "common/io.h"
#include "common/kv.h"
#include "host/board_key.h"
#include "host/cmd.h"
#include "host/lab.h"

#define FILE_MAX (64 << 10)
#define FLAT_COLUMN 100 /* a value is gone on with behind it, indented */

struct reading {
	struct board_layer layer[BOARD_FILES_MAX];
	struct stat st[BOARD_FILES_MAX];
	struct board_source *source;
	size_t n;
	struct board_error *e;
};

static int fail(struct board_error *e, const char *file, unsigned line, const char *text)
{
	snprintf(e->file, sizeof e->file, "%s", file);
	e->line = line;
	snprintf(e->text, sizeof e->text, "%s", text);
	return -EINVAL;
}

static const char *why_not(int err) { return err == -EINVAL ? "no plain file" : err == -EFBIG ? "larger than 64 KiB" : strerror(-err); }

/* The nearest .ini beside a path that is none; malloc'd or NULL. */
static char *nearest_beside(const char *path)
{
	const char *slash = strrchr(path, '/');
	char *folder = slash ? strndup(path, (size_t)(slash - path) + 1) : strdup("."), *found = NULL, *names[257];
	DIR *d = folder ? opendir(folder) : NULL;
	size_t n = 0;
	for (struct dirent *de; d && n < 256 && (de = readdir(d));) {
		size_t len = strlen(de->d_name);
		if (len > 4 && !strcmp(de->d_name + len - 4, ".ini") && (names[n] = strdup(de->d_name)))
			n++;
	}
	names[n] = NULL;
	const char *near = err_nearest(slash ? slash + 1 : path, (const char *const *)names);
	if (near)
		found = strdup(near);
	while (n)
		free(names[--n]);
	if (d)
		closedir(d);
	free(folder);
	return found;
}

/* Reads one file into the next layer. by: the line that includes it, NULL for the first. */
static int read_layer(struct reading *r, const char *path, const char *by, const struct conf_entry *line)
{
	struct conf_error ce = {0};
	char text[200], *content;
	size_t len, at = r->n;
	int err = io_read_plain(path, FILE_MAX, &content, &len);
	if (err && by) {
		char *near = err == -ENOENT ? nearest_beside(path) : NULL;
		snprintf(text, sizeof text, "include = %.60s: %s%s%s%s", line->value, why_not(err), near ? "; did you mean '" : "", near ? near : "",
		         near ? "'?" : "");
		free(near);
		return fail(r->e, by, line->line, text);
	}
	if (err) {
		fail(r->e, path, 0, why_not(err));
		return err;
	}
	stat(path, &r->st[at]);
	for (size_t i = 0; i < at; i++)
		if (r->st[i].st_ino == r->st[at].st_ino && r->st[i].st_dev == r->st[at].st_dev) {
			free(content);
			snprintf(text, sizeof text, "include = %.60s: that includes this file in turn: a loop", line->value);
			return fail(r->e, by, line->line, text);
		}
	r->layer[at].lines = conf_lines(content, len);
	r->source->file[at] = strdup(path);
	err = r->source->file[at] ? conf_parse(&r->layer[at].conf, content, len, &ce) : -ENOMEM;
	free(content);
	if (!err) {
		r->n = r->source->files = at + 1;
		err = board_check_keys(&r->layer[at].conf, &ce);
	}
	return err ? fail(r->e, path, ce.line, ce.text) : 0;
}

/* The path of what is included; malloc'd. */
static char *beside(const char *path, const char *name)
{
	const char *slash = *name == '/' ? NULL : strrchr(path, '/');
	char *out;
	return asprintf(&out, "%.*s%s", slash ? (int)(slash - path + 1) : 0, path, name) < 0 ? NULL : out;
}

static int read_layers(struct reading *r, const char *path)
{
	char *next = strdup(path);
	const struct conf_entry *line = NULL;
	int err = next ? 0 : -ENOMEM;
	while (!err && next) {
		const char *by = r->n ? r->source->file[r->n - 1] : NULL;
		if (r->n == BOARD_FILES_MAX)
			err = fail(r->e, by, line->line, "include: more than 8 files, one including the other");
		else
			err = read_layer(r, next, by, line);
		free(next);
		next = NULL;
		line = err ? NULL : conf_get(&r->layer[r->n - 1].conf, "board", "include");
		if (line && !*line->value)
			err = fail(r->e, r->source->file[r->n - 1], line->line, "include: the name of a file was expected");
		else if (line && !(next = beside(r->source->file[r->n - 1], line->value)))
			err = -ENOMEM;
	}
	return err;
}

int board_read_named(struct board *b, struct board_source *source, const char *name, const char *path, struct board_error *e)
{
	struct reading *r = calloc(1, sizeof *r);
	*b = (struct board){0};
	*e = (struct board_error){0};
	*source = (struct board_source){0};
	if (!r) {
		fail(e, path, 0, "out of memory");
		return -ENOMEM;
	}
	r->source = source;
	r->e = e;
	int err = read_layers(r, path);
	if (!err)
		err = board_build(b, name, r->layer, r->n, source, e);
	for (size_t i = 0; i < r->n; i++)
		conf_free(&r->layer[i].conf);
	free(r);
	if (err)
		board_source_free(source);
	return err;
}

int board_read_from(struct board *b, struct board_source *source, const char *path, struct board_error *e)
{
	char name[256];
	const char *base = strrchr(path, '/');
	snprintf(name, sizeof name, "%s", base ? base + 1 : path);
	char *dot = strrchr(name, '.');
	if (dot && !strcmp(dot, ".ini"))
		*dot = '\0';
	return board_read_named(b, source, name, path, e);
}

int board_read(struct board *b, const char *path, struct board_error *e)
{
	struct board_source source;
	int err = board_read_from(b, &source, path, e);
	if (!err)
		board_source_free(&source);
	return err;
}

void board_source_free(struct board_source *source)
{
	for (size_t i = 0; i < BOARD_FILES_MAX; i++)
		free(source->file[i]);
	*source = (struct board_source){0};
}

void board_error_text(const struct board_error *e, const char *path, char *out, size_t size)
{
	const char *file = *e->file ? e->file : path;
	if (e->line)
		snprintf(out, size, "%s:%u: %s", file, e->line, e->text);
	else
		snprintf(out, size, "%s: %s", file, e->text);
}

/* ---- one that stands alone */

/* NAME = VALUE, gone on with in indented lines; not before what a line would be a remark by, nor at two blanks, which would become one. */
static void put_value(FILE *f, const char *name, const char *value)
{
	size_t at = (size_t)fprintf(f, "%s = ", name);
	for (const char *p = value; *p; p++) {
		if (*p == ' ' && at + strcspn(p + 1, " ") > FLAT_COLUMN && !strchr(" ;#", p[1]) && p > value && p[-1] != ' ') {
			fputs("\n\t", f);
			at = 1;
			continue;
		}
		fputc(*p, f);
		at++;
	}
	fputc('\n', f);
}

char *board_flat(const struct board *b, const struct board_source *source)
{
	char *text = NULL;
	size_t len;
	const char *section = "";
	FILE *f = open_memstream(&text, &len);
	int err = !f;
	for (size_t i = 0; !err && i < board_keys_n; i++) {
		const struct board_key *k = &board_keys[i];
		if (!source->key[i].line || k->type == BOARD_KEY_INCLUDE)
			continue;
		if (strcmp(section, k->section))
			fprintf(f, "%s[%s]\n", *section ? "\n" : "", k->section);
		section = k->section;
		char *value = board_key_text(k, b);
		err = !value;
		if (value)
			put_value(f, k->name, value);
		free(value);
	}
	if (f && fclose(f))
		err = 1;
	if (err) {
		free(text);
		text = NULL;
	}
	return text;
}

/* ---- by name */

char *board_find(const char *name)
{
	char *folder, *path;
	if (strchr(name, '/') || (strlen(name) > 4 && !strcmp(name + strlen(name) - 4, ".ini")))
		return strdup(name);
	folder = lab_share("board-configs");
	if (asprintf(&path, "%s/%s.ini", folder, name) < 0)
		err_die("out of memory");
	free(folder);
	if (access(path, F_OK) && errno == ENOENT) {
		char *near = nearest_beside(path);
		if (near)
			near[strlen(near) - 4] = '\0';
		err_die("no board config '%s' (%s)%s%s%s", name, path, near ? "; did you mean '" : "; 'kdyno board list' lists them",
		        near ? near : "", near ? "'?" : "");
	}
	return path;
}

/* The nearest box there is, for a name that is none; malloc'd or NULL. */
static char *nearest(const char *box)
{
	size_t n;
	char **names = lab_list("boards", &n), *found = NULL;
	for (size_t i = 0; i < n; i++) {
		char *dot = strrchr(names[i], '.');
		if (dot && !strcmp(dot, ".ini"))
			*dot = '\0';
	}
	const char *near = err_nearest(box, (const char *const *)names);
	if (near)
		found = strdup(near);
	lab_list_free(names);
	return found;
}

void board_load(struct board *b, const char *box)
{
	struct board_error e;
	if (!kv_is_id(box))
		err_die("'%s' is no name of a box (letters, digits, . _ + -)", box);
	char *path = lab_path("boards/%s.ini", box);
	int err = access(path, F_OK) ? -ENOENT : board_read(b, path, &e);
	if (err == -ENOENT) {
		char *near = nearest(box);
		err_die("no box '%s' in %s%s%s%s", box, cmd_lab(), near ? "; did you mean '" : "; 'kdyno box list' lists them, 'box add' makes one",
		        near ? near : "", near ? "'?" : "");
	}
	if (err) {
		char text[600];
		board_error_text(&e, path, text, sizeof text);
		err_die("%s", text);
	}
	free(path);
}
