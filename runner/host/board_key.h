/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * board_key: every key of a board config, a row each: what it may hold, its default, where it is kept. The one table reads configs, compares them,
 * prints and writes them, and is what board-configs/README.md is checked against: a key is added here, in struct board and there.
 *
 * Pure. A row's `at` is an offset into struct board.
 */
#ifndef KD_BOARD_KEY_H
#define KD_BOARD_KEY_H

#include <stddef.h>

#include "host/board.h"
#include "host/conf.h"

enum board_key_type {
	BOARD_KEY_TEXT,    /* char[size] */
	BOARD_KEY_NAME,    /* char[size]: one of words */
	BOARD_KEY_CHOICE,  /* an enum: min for words[0] */
	BOARD_KEY_BOOL,    /* int */
	BOARD_KEY_NUMBER,  /* unsigned, min to max */
	BOARD_KEY_BYTES,   /* uint64_t: at least min and a multiple of max, or 0 where the default is 0 or no */
	BOARD_KEY_MODULES, /* char *: names by commas, each with a ? where it may be missing */
	BOARD_KEY_COMMAND, /* char *, not empty; NULL: none */
	BOARD_KEY_MODEL,   /* char *, what QEMU calls a device; NULL: none */
	BOARD_KEY_CONSOLE, /* char[size]: one word for console= */
	BOARD_KEY_CMDLINE, /* char *: words of a command line */
	BOARD_KEY_ADDRESS, /* char[size]: dhcp, or ADDR/PREFIX[,GATEWAY] */
	BOARD_KEY_MAC,     /* char[size] */
	BOARD_KEY_INCLUDE, /* kept nowhere: board_file.c follows it */
};

struct board_key {
	const char *section, *name;
	enum board_key_type type;
	size_t at, size;
	uint64_t min, max;
	const char *const *words; /* ends with NULL */
	const char *def;          /* as it would be written; NULL: none */
	const char *wanted;       /* must be given, and what it is; or NULL */
};

extern const struct board_key board_keys[];
extern const size_t board_keys_n;

/* Index of a key, or -1. */
int board_key_find(const char *section, const char *name);
/* Takes the value of it->key into b, over what was there. 0 or -EINVAL with *e. */
int board_key_read(const struct board_key *k, struct board *b, const struct conf_entry *it, struct conf_error *e);
/* The value as it would be written; malloc'd, NULL when out of memory. "" for none. */
char *board_key_text(const struct board_key *k, const struct board *b);
void board_key_free(const struct board_key *k, struct board *b);

#endif
