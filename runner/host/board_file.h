/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * board_file: the layers of a board config: the file itself, then the one it includes, and so on. Between board.c and board_file.c alone.
 */
#ifndef KD_BOARD_FILE_H
#define KD_BOARD_FILE_H

#include "host/board.h"
#include "host/conf.h"

struct board_layer {
	struct conf conf;
	unsigned lines;
};

/* Knows all sections and keys; 0 or -EINVAL. */
int board_check_keys(const struct conf *c, struct conf_error *e);
/* layer[0] is the file itself, and wins. Fills *s's lines; s->file is the caller's. */
int board_build(struct board *b, const char *name, const struct board_layer *layer, size_t n, struct board_source *s, struct board_error *e);

#endif
