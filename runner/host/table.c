/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * table: plain aligned tables. Contract in table.h. Widths are counted in characters of UTF-8, which is what err_clean lets through.
 */
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include "common/err.h"
#include "host/table.h"

#define CELL_MAX 512 /* a longer text is cut, which shows by its length: cells are for reading, --json is for everything */

static size_t width(const char *s)
{
	size_t n = 0;
	for (; *s; s++)
		n += (*s & 0xc0) != 0x80;
	return n;
}

static void put(struct table *t, const char *text)
{
	char clean[CELL_MAX];
	if (!(t->cells & (t->cells + 1))) {
		char **more = realloc(t->cell, (t->cells + 1) * 2 * sizeof *more);
		if (!more)
			err_die("out of memory");
		t->cell = more;
	}
	err_clean(clean, sizeof clean, text);
	size_t column = t->cells % t->columns, w = width(clean);
	if (w > t->width[column])
		t->width[column] = w;
	t->cell[t->cells] = strdup(clean);
	if (!t->cell[t->cells++])
		err_die("out of memory");
}

void table_open(struct table *t, const char *heads)
{
	char head[64];
	const char *h = heads;
	memset(t, 0, sizeof *t);
	for (t->columns = 1; *h; h++)
		t->columns += *h == '|';
	if (t->columns > TABLE_COLUMNS_MAX)
		err_die("a table of %zu columns", t->columns);
	for (h = heads; h; h = strchr(h, '|') ? strchr(h, '|') + 1 : NULL) {
		size_t column = t->cells;
		t->right[column] = *h == '>';
		snprintf(head, sizeof head, "%.*s", (int)strcspn(h + (*h == '>'), "|"), h + (*h == '>'));
		put(t, head);
	}
}

void table_add(struct table *t, const char *text) { put(t, text ? text : "-"); }

void table_addf(struct table *t, const char *fmt, ...)
{
	char text[2 * CELL_MAX];
	va_list ap;
	va_start(ap, fmt);
	vsnprintf(text, sizeof text, fmt, ap);
	va_end(ap);
	put(t, text);
}

static void print_row(const struct table *t, FILE *f, unsigned indent, size_t row)
{
	size_t blanks = indent;
	for (size_t c = 0; c < t->columns; c++) {
		const char *s = t->cell[row * t->columns + c];
		size_t pad = t->width[c] - width(s);
		if (*s) {
			fprintf(f, "%*s%s", (int)(blanks + (t->right[c] ? pad : 0)), "", s);
			blanks = t->right[c] ? 0 : pad;
		} else {
			blanks += pad;
		}
		blanks += 2;
	}
	putc('\n', f);
}

void table_print(struct table *t, FILE *f, unsigned indent)
{
	size_t rows = t->cells / t->columns;
	for (size_t r = 0; f && rows > 1 && r < rows; r++)
		print_row(t, f, indent, r);
	for (size_t i = 0; i < t->cells; i++)
		free(t->cell[i]);
	free(t->cell);
	memset(t, 0, sizeof *t);
}
