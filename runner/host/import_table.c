/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * import_table: tables that people make themselves, a kernel (or variant) a row: in markdown, or columns set apart by two blanks.
 *
 *     | kernel | boot | rm -rf |        2.5.2-pre7   97 s   251 s
 *
 * A column is known by its head: Bonnie's phases, tiobench's (with a column of threads), ftp of N bytes; any other column is one of durations, and
 * named after its head. A cell may hold several runs: `157, 237, 292 s`. Units of rates stand in the head, or in the lines above.
 */
#include <ctype.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "host/import.h"

#define COLUMNS_MAX 24

enum kind { SUBJECT = 1, THREADS, BONNIE, TIOBENCH, FTP, DURATION };

struct column {
	enum kind kind;
	const char *name; /* BONNIE, TIOBENCH: of the metric */
	char head[PLAN_ID_MAX + 1];
	double unit, bytes; /* rates; FTP */
	size_t from;        /* aligned: where the head begins */
};

struct grid {
	struct column col[COLUMNS_MAX];
	size_t cols;
	int markdown;
};

/* ---- the head */

static int is_one_of(const char *s, const char *list)
{
	size_t len = strlen(s);
	for (const char *p = len ? list : ""; *p && (p = strstr(p, s)); p++)
		if ((p == list || p[-1] == '|') && (p[len] == '|' || !p[len]))
			return 1;
	return 0;
}

static void lower(char *out, size_t size, const char *s)
{
	size_t n = 0;
	for (; *s && *s != '(' && n + 1 < size; s++)
		out[n++] = (char)tolower((unsigned char)*s);
	while (n && out[n - 1] == ' ')
		n--;
	out[n] = 0;
}

static void read_head(struct column *c, size_t index, const char *cell)
{
	static const struct {
		const char *heads, *name;
		enum kind kind;
	} known[] = {
		{"putc|char write|per-char write", "putc", BONNIE},
		{"block write|write", "write", BONNIE},
		{"rewrite|block rewrite", "rewrite", BONNIE},
		{"getc|char read|per-char read", "getc", BONNIE},
		{"block read|read", "read", BONNIE},
		{"seeks/s|seeks|seek|random seeks", "seek", BONNIE},
		{"seq read|sequential read|sequential reads|seq reads", "seqread", TIOBENCH},
		{"rand read|random read|random reads|rand reads", "randread", TIOBENCH},
		{"seq write|sequential write|sequential writes|seq writes", "seqwrite", TIOBENCH},
		{"rand write|random write|random writes|rand writes", "randwrite", TIOBENCH},
		{"threads|thr|thread|workers|num thr", NULL, THREADS},
		{"kernel|subject|variant|version|release|kernel version", NULL, SUBJECT},
	};
	char word[96];
	lower(word, sizeof word, cell);
	snprintf(c->head, sizeof c->head, "%.64s", cell);
	c->unit = import_rate_unit(cell, NULL);
	c->kind = index ? DURATION : SUBJECT;
	for (size_t i = 0; i < sizeof known / sizeof *known; i++)
		if (is_one_of(word, known[i].heads)) {
			c->kind = known[i].kind;
			c->name = known[i].name;
		}
	if (!strncmp(word, "ftp", 3)) {
		const char *digits = word + strcspn(word, "0123456789");
		char number[32];
		c->kind = FTP;
		if (sscanf(digits, "%31[0-9,]", number) != 1 || import_number(number, &c->bytes) || !strstr(digits, "byte"))
			c->bytes = 0;
	}
}

/* Cells in place; markdown's between bars, else what two blanks or a tab set apart. from (may be NULL): where each began. */
static size_t cut(char *s, int markdown, char **cell, size_t *from)
{
	size_t n = 0;
	char *p = s;
	if (markdown)
		p += strcspn(p, "|") + 1;
	else
		p += strspn(p, " \t");
	while (*p && n < COLUMNS_MAX) {
		char *end = p;
		if (markdown)
			end = p + strcspn(p, "|");
		else
			while (*end && *end != '\t' && !(end[0] == ' ' && (end[1] == ' ' || end[1] == '\t')))
				end++;
		char *next = *end ? end + 1 : end;
		*end = 0;
		while (*p == ' ')
			p++;
		for (char *e = p + strlen(p); e > p && strchr(" \t", e[-1]);)
			*--e = 0;
		if (from)
			from[n] = (size_t)(p - s);
		cell[n++] = p;
		p = next;
		if (!markdown)
			p += strspn(p, " \t");
	}
	return n;
}

static int is_bars(const char *s) { return strchr(s, '|') && strchr(s, '-') && strspn(s, "|-: +=") == strlen(s); }

/* The unit that the lines above speak of, nearest first. */
static double unit_above(const struct import *im, size_t at)
{
	double unit = 0;
	for (size_t back = 1; back <= 8 && back <= at && !(unit > 0); back++)
		unit = import_rate_unit(im->line[at - back].s, NULL);
	return unit;
}

static void find_units(struct import *im, size_t at, struct grid *g)
{
	double above = unit_above(im, at);
	for (size_t i = 0; i < g->cols; i++) {
		struct column *c = &g->col[i];
		int seeks = c->kind == BONNIE && !strcmp(c->name, "seek");
		if ((c->kind == BONNIE || c->kind == TIOBENCH) && !seeks && !(c->unit > 0))
			c->unit = above;
		if (seeks)
			c->unit = 1;
	}
}

/* ---- cells */

static void add_rate(struct import *im, unsigned line, const char *label, const struct column *c, double threads, char *cell)
{
	char test[PLAN_ID_MAX + 1], metric[PLAN_ID_MAX + 1], *tok[IMPORT_TOKENS_MAX];
	double v, cpu = NAN;
	size_t n = import_split(cell, tok, IMPORT_TOKENS_MAX);
	if (!(c->unit > 0)) {
		import_skip(im, line, "%s: nothing says the unit of its rates (kB/s, MB/s in the head or above it)", c->head);
		return;
	}
	if (!n || n > 2 || import_number(tok[0], &v) || (n == 2 && import_percent(tok[1], &cpu))) {
		import_skip(im, line, "%s: a rate and a percentage were expected", c->head);
		return;
	}
	snprintf(metric, sizeof metric, c->kind == TIOBENCH ? "%s_%.0f" : "%s", c->name, threads);
	int seek = !strcmp(metric, "seek");
	const struct import_metric m = {import_file_test(im, c->kind == TIOBENCH ? "threads" : "bonnie", test, sizeof test), metric,
	                                seek ? "count/s" : "B/s", SUITE_HIGHER, !strcmp(metric, "read") || !strcmp(metric, "seqread_1")};
	struct import_value *x = import_add(im, line, label, &m, v * c->unit);
	if (!x)
		return;
	x->cpu_percent = cpu;
	if (!seek)
		import_assume(im, 0, "kB and MB of the rates are of 1024 bytes");
	if (!strncmp(c->name, "rand", 4)) {
		x->footprint_bytes = 4000. * 4096;
		import_assume(im, 0, "the random phases of tiobench did 4000 operations of 4096 bytes, its default");
	}
}

/* `97 s (10.53 MB/s)`: the bytes stand in the head. */
static void add_ftp(struct import *im, unsigned line, const char *label, const struct column *c, char *cell)
{
	const struct import_metric m = {"ftp", "get", "B/s", SUITE_HIGHER, 0};
	double seconds, resolution, said;
	char *rate = strchr(cell, '(');
	if (rate)
		*rate++ = 0;
	if (import_duration(cell, &seconds, &resolution) || !(seconds > 0) || !(c->bytes > 0)) {
		import_skip(im, line, "%s: `ftp of N bytes` in the head and a time in the cell were expected", c->head);
		return;
	}
	struct import_value *x = import_add(im, line, label, &m, c->bytes / seconds);
	if (!x)
		return;
	x->bytes = c->bytes;
	x->resolution = resolution / 2 / seconds;
	if (rate && (said = strtod(rate, NULL)) > 0 && import_rate_unit(rate, NULL) > 1)
		import_assume(im, 0, "MB/s of ftp is 1048576 bytes a second; kept are the bytes and the time (%.2f said, %.2f by these)", said,
		              c->bytes / seconds / import_rate_unit(rate, NULL));
}

static void duration_metric(const struct column *c, struct import_metric *m, char *name, size_t size)
{
	char word[96];
	lower(word, sizeof word, c->head);
	*m = (struct import_metric){"time", name, "ns", SUITE_LOWER, 0};
	import_id(c->head, name, size);
	if (!strcmp(word, "boot"))
		*m = (struct import_metric){"boot-time", "login", "ns", SUITE_LOWER, 1};
	else if (!strncmp(word, "rm", 2) && strchr(" ", word[2]))
		*m = (struct import_metric){"disk-tree", "rm", "ns", SUITE_LOWER, 1};
}

/* `157, 237, 292 s`: several runs, the unit of the last. */
static void add_durations(struct import *im, unsigned line, const char *label, const struct column *c, char *cell)
{
	struct import_metric m;
	char name[PLAN_ID_MAX + 1], *part[64];
	size_t n = 0;
	duration_metric(c, &m, name, sizeof name);
	for (char *p = cell, *comma; n < 64; p = comma + 1) {
		part[n++] = p;
		for (comma = strchr(p, ','); comma && comma[1] != ' '; comma = strchr(comma + 1, ','))
			;
		if (!comma)
			break;
		*comma = 0;
	}
	const char *unit = part[n - 1] + strspn(part[n - 1], " 0123456789.,");
	for (size_t i = 0; i < n; i++) {
		double s, resolution;
		char whole[96];
		int bare = part[i][strspn(part[i], " 0123456789.")] == 0;
		snprintf(whole, sizeof whole, "%.60s %.20s", part[i], bare ? unit : "");
		if (import_duration(whole, &s, &resolution) || !(s > 0)) {
			import_skip(im, line, "%s: '%.40s' is no duration (71 s, 1 m 28 s, 1:28)", c->head, part[i]);
			continue;
		}
		struct import_value *x = import_add(im, line, label, &m, s * 1e9);
		if (x)
			x->resolution = resolution / 2 / s;
	}
}

/* ---- rows */

/* Which column a cell of an aligned table stands in: the head that begins nearest. */
static size_t column_at(const struct grid *g, size_t from)
{
	size_t best = 0;
	for (size_t i = 1; i < g->cols; i++) {
		size_t a = g->col[i].from > from ? g->col[i].from - from : from - g->col[i].from;
		size_t b = g->col[best].from > from ? g->col[best].from - from : from - g->col[best].from;
		if (a < b)
			best = i;
	}
	return best;
}

static int read_row(struct import *im, const struct grid *g, const struct import_line *l)
{
	char copy[IMPORT_LINE_MAX + 1], *cell[COLUMNS_MAX], *at[COLUMNS_MAX] = {NULL};
	size_t from[COLUMNS_MAX];
	const char *label = "";
	double threads = 1;
	strncpy(copy, l->s, IMPORT_LINE_MAX);
	copy[IMPORT_LINE_MAX] = 0;
	size_t n = cut(copy, g->markdown, cell, from);
	for (size_t i = 0; i < n; i++) {
		size_t col = g->markdown || n == g->cols ? i : column_at(g, from[i]);
		if (col < g->cols && !at[col])
			at[col] = cell[i];
	}
	for (size_t i = 0; i < g->cols; i++) {
		if (at[i] && g->col[i].kind == SUBJECT)
			label = at[i];
		if (at[i] && g->col[i].kind == THREADS && import_number(at[i], &threads)) {
			import_skip(im, l->nr, "'%.20s' is no number of threads", at[i]);
			return 1;
		}
	}
	if (!g->markdown && (n < 2 || !import_is_kernel(label)))
		return 0;
	for (size_t i = 0; i < g->cols; i++) {
		const struct column *c = &g->col[i];
		if (!at[i] || !*at[i] || (strspn(at[i], "-") == strlen(at[i])))
			continue;
		if (c->kind == BONNIE || c->kind == TIOBENCH)
			add_rate(im, l->nr, label, c, threads, at[i]);
		else if (c->kind == FTP)
			add_ftp(im, l->nr, label, c, at[i]);
		else if (c->kind == DURATION)
			add_durations(im, l->nr, label, c, at[i]);
	}
	return 1;
}

/* A head: markdown's has its rule below; an aligned one is followed by a row that begins with a kernel. */
static int read_grid(struct import *im, size_t at, struct grid *g)
{
	char copy[IMPORT_LINE_MAX + 1], *cell[COLUMNS_MAX];
	size_t from[COLUMNS_MAX];
	const char *s = im->line[at].s;
	g->markdown = strchr(s, '|') && at + 1 < im->lines && is_bars(im->line[at + 1].s);
	strncpy(copy, s, IMPORT_LINE_MAX);
	copy[IMPORT_LINE_MAX] = 0;
	g->cols = cut(copy, g->markdown, cell, from);
	if (!g->markdown) {
		char *row[COLUMNS_MAX], first[IMPORT_LINE_MAX + 1];
		size_t next = at + 1;
		while (next < im->lines && strspn(im->line[next].s, "-= \t") == strlen(im->line[next].s) && next < at + 3)
			next++;
		if (next >= im->lines || !g->cols || import_is_kernel(cell[0]))
			return 0;
		strncpy(first, im->line[next].s, IMPORT_LINE_MAX);
		first[IMPORT_LINE_MAX] = 0;
		size_t n = cut(first, 0, row, NULL);
		if (n < 2 || !import_is_kernel(row[0]) || !isdigit((unsigned char)row[1][0]))
			return 0;
		/* The column of the kernels may have no head. */
		if (g->cols == n - 1 && from[0] > strlen(row[0])) {
			memmove(cell + 1, cell, g->cols * sizeof *cell);
			memmove(from + 1, from, g->cols * sizeof *from);
			cell[0] = (char *)"kernel";
			from[0] = 0;
			g->cols++;
		}
	}
	for (size_t i = 0; i < g->cols; i++) {
		read_head(&g->col[i], i, cell[i]);
		g->col[i].from = from[i];
	}
	return g->cols >= 2;
}

size_t import_table(struct import *im, size_t at)
{
	struct grid *g = calloc(1, sizeof *g);
	size_t i = at + 1;
	if (!g || !read_grid(im, at, g)) {
		free(g);
		return 0;
	}
	find_units(im, at, g);
	for (; i < im->lines; i++) {
		const char *s = im->line[i].s;
		if (g->markdown ? is_bars(s) : *s && strspn(s, "-= \t") == strlen(s))
			continue;
		if (g->markdown ? !strchr(s, '|') : !*s)
			break;
		if (!read_row(im, g, &im->line[i]))
			break;
	}
	free(g);
	return i - at;
}
