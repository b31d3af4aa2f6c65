/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * board_modules: does any kernel of the lab have the modules that a board names? A typing error in one is found before a sweep is made.
 */
#ifndef KD_BOARD_MODULES_H
#define KD_BOARD_MODULES_H

#include "host/board.h"

struct board_modules {
	unsigned kernels;  /* looked at: those of the lab that the board can run */
	char missing[512]; /* names with ? that none of them has, by commas */
};

/* 0, or -EINVAL with *e: a name without ? that none has. Looks into the lab where there is one; without a kernel there nothing is wrong. */
int board_modules_check(struct board_modules *m, const struct board *b, const struct board_source *source, struct board_error *e);

#endif
