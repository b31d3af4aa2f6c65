/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * cmd_board: kdyno board check, list: board configs before they are a box of the lab. What is printed goes by the table that reads them.
 */
#include <dirent.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "common/err.h"
#include "host/board_key.h"
#include "host/board_modules.h"
#include "host/cmd.h"
#include "host/json_out.h"
#include "host/lab.h"
#include "host/table.h"

#define LINE_MAX_TEXT 600

static int as_json;

static const struct opt check_opts[] = {
	{"json", OPT_FLAG, NULL, "what was understood, and what was wrong, as JSON", &as_json},
	{0},
};

/* FILE:LINE of a value, the file without its folders, or "default". */
static void from_text(const struct board_source *s, size_t key, char *out, size_t size)
{
	const char *file = s->file[s->key[key].file], *slash = strrchr(file, '/');
	if (s->key[key].line)
		snprintf(out, size, "%s:%u", slash ? slash + 1 : file, s->key[key].line);
	else
		snprintf(out, size, "default");
}

static char *value_of(size_t key, const struct board *b)
{
	char *value = board_key_text(&board_keys[key], b);
	if (!value)
		err_die("out of memory");
	return value;
}

static void print_board(const struct board *b, const struct board_source *s, const struct board_modules *m, const char *path)
{
	struct table t;
	char from[320];
	printf("%s: a right board config%s\n", path, b->tested ? "" : "; tested = no: no sweep has been seen to pass on such a board");
	for (size_t i = 1; i < s->files; i++)
		printf("  includes %s\n", s->file[i]);
	table_open(&t, "key|value|from");
	for (size_t i = 0; i < board_keys_n; i++) {
		if (board_keys[i].type == BOARD_KEY_INCLUDE)
			continue;
		char *value = value_of(i, b);
		table_addf(&t, "[%s] %s", board_keys[i].section, board_keys[i].name);
		table_add(&t, *value ? value : "-");
		from_text(s, i, from, sizeof from);
		table_add(&t, from);
		free(value);
	}
	table_print(&t, stdout, 2);
	if (!m->kernels)
		printf("  no kernel of this lab tells whether its modules exist\n");
	else if (*m->missing)
		printf("  in none of the lab's %u kernels: %s\n", m->kernels, m->missing);
}

static json_t *board_json(const struct board *b, const struct board_source *s)
{
	json_t *keys = json_array();
	for (size_t i = 0; i < board_keys_n; i++) {
		if (board_keys[i].type == BOARD_KEY_INCLUDE)
			continue;
		json_t *o = json_object();
		char *value = value_of(i, b);
		json_out_set(o, "section", json_string(board_keys[i].section));
		json_out_set(o, "key", json_string(board_keys[i].name));
		json_out_set(o, "value", json_out_text(value));
		json_out_set(o, "file", s->key[i].line ? json_out_text(s->file[s->key[i].file]) : json_null());
		json_out_set(o, "line", s->key[i].line ? json_integer(s->key[i].line) : json_null());
		free(value);
		if (json_array_append_new(keys, o))
			err_die("out of memory");
	}
	return keys;
}

static json_t *error_json(const struct board_error *e, const char *path)
{
	json_t *o = json_object();
	json_out_set(o, "file", json_out_text(*e->file ? e->file : path));
	json_out_set(o, "line", e->line ? json_integer(e->line) : json_null());
	json_out_set(o, "text", json_out_text(e->text));
	return o;
}

/* 1 if it is right. */
static int check_one(const char *name, json_t *list)
{
	struct board b;
	struct board_source s;
	struct board_error e;
	char *path = board_find(name), line[LINE_MAX_TEXT];
	struct board_modules m;
	int err = board_read_from(&b, &s, path, &e);
	if (!err && (err = board_modules_check(&m, &b, &s, &e))) {
		board_source_free(&s);
		board_free(&b);
	}
	json_t *o = list ? json_object() : NULL;
	if (o) {
		json_out_set(o, "file", json_out_text(path));
		json_out_set(o, "right", json_boolean(!err));
	}
	if (err)
		board_error_text(&e, path, line, sizeof line);
	if (err && o) {
		json_out_set(o, "error", error_json(&e, path));
	} else if (err) {
		err_warn("%s", line);
	} else if (o) {
		json_out_set(o, "keys", board_json(&b, &s));
		json_out_set(o, "kernels", json_integer(m.kernels));
		json_out_set(o, "missing", json_out_text(m.missing));
	} else {
		print_board(&b, &s, &m, path);
	}
	if (o && json_array_append_new(list, o))
		err_die("out of memory");
	if (!err) {
		board_source_free(&s);
		board_free(&b);
	}
	free(path);
	return !err;
}

static int check(int argc, char **argv)
{
	json_t *list = as_json ? json_array() : NULL;
	int wrong = 0;
	if (!argc)
		err_usage("board check: which FILE, or which of 'kdyno board list'?");
	for (int i = 0; i < argc; i++)
		wrong |= !check_one(argv[i], list);
	if (list) {
		json_t *o = json_object();
		json_out_set(o, "boards", list);
		json_out_print(o);
	}
	return wrong ? EXIT_FAIL : EXIT_OK;
}

const struct cmd cmd_board_check = {
	.name = "board check",
	.args = "FILE|NAME...",
	.summary = "is a board config right, and what does it say?",
	.help = "Prints every key with its value and where it came from (board-configs/README.md says what each means). What is wrong is one line\n"
		"with file, line and the nearest right word; then the exit code is 1. Modules are looked for in the kernels of the lab. NAME is one "
		"of 'kdyno board list'.",
	.opts = check_opts,
	.run = check,
};

static int by_name(const struct dirent **a, const struct dirent **b) { return strverscmp((*a)->d_name, (*b)->d_name); }

static int is_ini(const struct dirent *d)
{
	size_t len = strlen(d->d_name);
	return len > 4 && *d->d_name != '.' && !strcmp(d->d_name + len - 4, ".ini");
}

static int list(int argc, char **argv)
{
	struct dirent **names;
	struct table t;
	(void)argv;
	if (argc)
		err_usage("board list takes no words");
	char *folder = lab_share("board-configs"), path[4096], line[LINE_MAX_TEXT];
	int n = scandir(folder, &names, is_ini, by_name);
	if (n < 0)
		err_die("open %s:", folder);
	table_open(&t, "board|arch|switch|tested|what it is");
	for (int i = 0; i < n; i++) {
		struct board b;
		struct board_error e;
		snprintf(path, sizeof path, "%s/%s", folder, names[i]->d_name);
		if (board_read(&b, path, &e)) {
			board_error_text(&e, path, line, sizeof line);
			err_warn("%s", line);
		} else {
			table_add(&t, b.name);
			table_add(&t, b.arch);
			table_add(&t, plan_switch_name(b.sw));
			table_add(&t, b.tested ? "yes" : "no");
			table_add(&t, b.summary);
			board_free(&b);
		}
		free(names[i]);
	}
	free(names);
	table_print(&t, stdout, 0);
	free(folder);
	return EXIT_OK;
}

const struct cmd cmd_board_list = {.name = "board list", .args = "", .summary = "the board configs that come along", .run = list};
