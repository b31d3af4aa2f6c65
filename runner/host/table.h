/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * table: plain aligned tables, a line a row, two blanks between columns, no frame. Every cell is made harmless on its way in (err_clean):
 * what a box sent may stand in it. Out of memory ends the command.
 */
#ifndef KD_TABLE_H
#define KD_TABLE_H

#include <stddef.h>
#include <stdio.h>

#define TABLE_COLUMNS_MAX 24

struct table {
	size_t columns;
	char right[TABLE_COLUMNS_MAX]; /* 1: aligned right */
	size_t width[TABLE_COLUMNS_MAX];
	char **cell; /* rows * columns, the head first; malloc'd strings */
	size_t cells;
};

/* Heads separated by `|`; a head that starts with `>` is of a column aligned right: "line|subject|>median". */
void table_open(struct table *t, const char *heads);
/* Adds the next cell, row after row. */
void table_add(struct table *t, const char *text);
void table_addf(struct table *t, const char *fmt, ...) __attribute__((format(printf, 2, 3)));
/* Prints (f NULL: does not), every line after `indent` blanks, without blanks at its end; then frees. Nothing for a table without rows. */
void table_print(struct table *t, FILE *f, unsigned indent);

#endif
