/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * board: see board.h. A config is put together from its layers, the file itself and what it includes; board_key.c knows the keys, board_file.c the
 * files. Strict: what is not known, stands twice or does not fit is an error that names the line, because a typing error here costs a night.
 */
#include "host/board_file.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "common/kv.h"
#include "host/board_key.h"

/* ---- what is known */

struct known {
	const char *keys[16][BOARD_KEYS_MAX + 1];
	struct conf_known section[17];
};

static void make_known(struct known *k)
{
	size_t n = 0, keys = 0;
	*k = (struct known){0};
	for (size_t i = 0; i < board_keys_n; i++) {
		if (!i || strcmp(board_keys[i].section, k->section[n - 1].section)) {
			k->section[n] = (struct conf_known){board_keys[i].section, 0, k->keys[n]};
			n++;
			keys = 0;
		}
		k->keys[n - 1][keys++] = board_keys[i].name;
	}
}

int board_check_keys(const struct conf *c, struct conf_error *e)
{
	struct known k;
	make_known(&k);
	return conf_check(c, k.section, e);
}

/* ---- what must be there, and what does not go together */

/* A key is missing: to be told where it would stand, which is the last line of its section in the first file, or of the file. */
static int fail_missing(const struct board_layer *own, const struct board_key *k, struct board_error *e)
{
	unsigned line = 0;
	for (size_t i = 0; i < own->conf.n; i++)
		if (!strcmp(own->conf.entry[i].section, k->section))
			line = own->conf.entry[i].line;
	e->line = line ? line : own->lines ? own->lines : 1;
	snprintf(e->text, sizeof e->text, "[%s] %s is missing: %s", k->section, k->name, k->wanted);
	return -EINVAL;
}

/* What this key says does not go with the rest. */
static int fail_at(const struct board_source *s, const char *section, const char *name, struct board_error *e, const char *what)
{
	int i = board_key_find(section, name);
	if (i >= 0 && s->key[i].line) {
		e->line = s->key[i].line;
		snprintf(e->file, sizeof e->file, "%s", s->file[s->key[i].file]);
	}
	snprintf(e->text, sizeof e->text, "[%s] %s %s", section, name, what);
	return -EINVAL;
}

static int check_twin(const struct board *b, const struct board_source *s, struct board_error *e)
{
	int x86 = !strcmp(b->arch, "x86_64") || !strcmp(b->arch, "i486");
	if (*b->console_path)
		return fail_at(s, "console", "path", e, "goes with tty, file or socket; a twin has its own");
	if (x86 && strcmp(b->firmware, "bios"))
		return fail_at(s, "boot", "firmware", e, "of such a twin is bios");
	if (x86 ? !strcmp(b->boot_path, "disk") : strcmp(b->boot_path, "direct"))
		return fail_at(s, "boot", "path", e, x86 ? "of such a twin is pxe or direct" : "of such a twin is direct");
	if (!strcmp(b->boot_path, "direct") && b->sw == PLAN_FIRMWARE)
		return fail_at(s, "boot", "path", e, "= direct knows home alone: switch = chain or via-home goes with it");
	if (strcmp(b->address, "dhcp"))
		return fail_at(s, "network", "address", e, "of a twin is dhcp: QEMU's own network gives it");
	return 0;
}

static int check_real(const struct board *b, const struct board_source *s, struct board_error *e)
{
	if (!*b->console_path)
		return fail_at(s, "console", "type", e, "wants a path besides: the device, file or HOST:PORT of the serial line");
	for (size_t i = 0; i < board_keys_n; i++)
		if (!strcmp(board_keys[i].section, "twin") && s->key[i].line)
			return fail_at(s, "twin", board_keys[i].name, e, "goes with [console] type = qemu");
	if (!b->power_cycle && !b->power_on != !b->power_off)
		return fail_at(s, "power", b->power_on ? "on" : "off", e,
		               b->power_on ? "stands without off: they go together, where there is no cycle"
		                           : "stands without on: they go together, where there is no cycle");
	if (!strcmp(b->boot_path, "direct"))
		return fail_at(s, "boot", "path", e, "= direct is for a twin, whose kernel QEMU loads");
	return 0;
}

static int check(const struct board *b, const struct board_source *s, const struct board_layer *own, struct board_error *e)
{
	int err;
	for (size_t i = 0; i < board_keys_n; i++)
		if (board_keys[i].wanted && !s->key[i].line)
			return fail_missing(own, &board_keys[i], e);
	err = b->console == BOARD_CONSOLE_QEMU ? check_twin(b, s, e) : check_real(b, s, e);
	if (err)
		return err;
	if (b->crash_bytes > b->mem_bytes / 2)
		return fail_at(s, "machine", "crash_kernel", e, "takes more than half of memory");
	return 0;
}

/* ---- putting it together */

static int set_defaults(struct board *b, struct conf_error *e)
{
	for (size_t i = 0; i < board_keys_n; i++) {
		const struct board_key *k = &board_keys[i];
		struct conf_entry it = {(char *)k->section, (char *)k->name, (char *)k->def, 0};
		/* "" is what memory full of zeros is, but for what is allocated */
		if (k->def && (*k->def || k->type == BOARD_KEY_MODULES || k->type == BOARD_KEY_CMDLINE) && board_key_read(k, b, &it, e))
			return -ENOMEM;
	}
	return 0;
}

static void take_error(struct board_error *e, const struct conf_error *ce, const char *file)
{
	e->line = ce->line;
	memcpy(e->text, ce->text, sizeof e->text);
	snprintf(e->file, sizeof e->file, "%s", file);
}

int board_build(struct board *b, const char *name, const struct board_layer *layer, size_t n, struct board_source *s, struct board_error *e)
{
	struct conf_error ce = {0};
	int err = 0;
	*b = (struct board){0};
	snprintf(b->name, sizeof b->name, "%s", name);
	if (!kv_is_id(name))
		err = conf_fail(&ce, 0, "'%.70s' is no name of a box (letters, digits, . _ + -; at most 64)", name);
	else
		err = set_defaults(b, &ce);
	if (err)
		take_error(e, &ce, "");
	for (size_t at = n; !err && at-- > 0;) /* the file itself last: what it says wins */
		for (size_t i = 0; !err && i < layer[at].conf.n; i++) {
			const struct conf_entry *it = &layer[at].conf.entry[i];
			int k = board_key_find(it->section, it->key);
			err = board_key_read(&board_keys[k], b, it, &ce);
			if (err)
				take_error(e, &ce, s->file[at]);
			s->key[k].file = (unsigned)at;
			s->key[k].line = it->line;
		}
	if (!err)
		err = check(b, s, layer, e);
	if (err)
		board_free(b);
	return err;
}

int board_parse(struct board *b, const char *name, const char *text, size_t len, struct board_error *e)
{
	struct board_source s = {.file = {(char *)""}, .files = 1};
	struct board_layer layer = {.lines = conf_lines(text, len)};
	struct conf_error ce = {0};
	*e = (struct board_error){0};
	*b = (struct board){0};
	int err = conf_parse(&layer.conf, text, len, &ce);
	if (!err)
		err = board_check_keys(&layer.conf, &ce);
	const struct conf_entry *it = err ? NULL : conf_get(&layer.conf, "board", "include");
	if (it)
		err = conf_fail(&ce, it->line, "include: there is no file here that it could be beside");
	if (err)
		take_error(e, &ce, "");
	else
		err = board_build(b, name, &layer, 1, &s, e);
	conf_free(&layer.conf);
	return err;
}

int board_same(const struct board *a, const struct board *b)
{
	int same = 1;
	for (size_t i = 0; same && i < board_keys_n; i++) {
		char *x = board_key_text(&board_keys[i], a), *y = board_key_text(&board_keys[i], b);
		same = x && y && !strcmp(x, y);
		free(x);
		free(y);
	}
	return same;
}

void board_free(struct board *b)
{
	for (size_t i = 0; i < board_keys_n; i++)
		board_key_free(&board_keys[i], b);
	*b = (struct board){0};
}
