/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * mountstats: parser and difference.
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "common/io.h"
#include "mountstats.h"

#define TEXT_BYTES 65536 /* a mount takes 4 to 8 KiB, and a box has a few */
#define FIELDS 16
#define OTHER "other"

/* Numbers of a line, from the left; the rest of v is 0. How many there were. */
static unsigned numbers(const char *s, uint64_t *v)
{
	unsigned n = 0;

	memset(v, 0, FIELDS * sizeof(*v));
	while (n < FIELDS) {
		char *end;

		while (*s == ' ' || *s == '\t')
			s++;
		if (*s < '0' || *s > '9')
			break;
		v[n++] = strtoull(s, &end, 10);
		s = end;
	}
	return n;
}

/* What stands behind a line's first word, or NULL. */
static const char *after(const char *line, const char *word)
{
	size_t len = strlen(word);

	line += strspn(line, " \t");
	return strncmp(line, word, len) ? NULL : line + len;
}

/* `xprt:\ttcp port bind connects connect_time idle sends recvs ...`, `udp port bind sends recvs ...`. */
static void parse_xprt(const char *s, struct mountstats *m)
{
	uint64_t v[FIELDS];
	unsigned at, n;

	s += strspn(s, " \t");
	at = strncmp(s, "udp", 3) ? 5 : 2;
	s += strcspn(s, " \t\n");
	n = numbers(s, v);
	n = n > at ? n - at : 0;
	n = n < MS_XPRT ? n : MS_XPRT;
	if (!m->xprts++)
		m->xprt_columns = n;
	for (unsigned i = 0; i < n; i++)
		m->xprt[i] += v[at + i];
}

static void add_columns(struct mountstats_op *o, unsigned columns, const uint64_t *v)
{
	columns = columns < MS_COLUMNS ? columns : MS_COLUMNS;
	if (columns > o->columns)
		o->columns = columns;
	for (unsigned i = 0; i < columns; i++)
		o->v[i] += v[i];
}

/* The operation of that name, made where there is none; "other" when there is no room. */
static struct mountstats_op *want_op(struct mountstats *m, const char *name, size_t len)
{
	for (size_t i = 0; i < m->n; i++)
		if (!strncmp(m->op[i].name, name, len) && !m->op[i].name[len])
			return &m->op[i];
	if (m->n + 1 >= MOUNTSTATS_OPS) { /* the last one is for all that have no room */
		name = OTHER;
		len = strlen(OTHER);
		if (m->n == MOUNTSTATS_OPS)
			return &m->op[MOUNTSTATS_OPS - 1];
	}
	memset(&m->op[m->n], 0, sizeof(m->op[0]));
	memcpy(m->op[m->n].name, name, len);
	return &m->op[m->n++];
}

/* `        READ: 128 128 0 ...`. */
static void parse_op(const char *line, struct mountstats *m)
{
	uint64_t v[FIELDS];
	unsigned n;
	size_t len;

	line += strspn(line, " \t");
	len = strcspn(line, ": \t\n");
	if (!len || len > MOUNTSTATS_NAME_MAX || line[len] != ':')
		return;
	n = numbers(line + len + 1, v);
	if (v[MS_OPS] || v[MS_TRANS])
		add_columns(want_op(m, line, len), n, v);
}

/* 1 if the line begins the block of dir: `device S:/p mounted on DIR with fstype nfs ...`. */
static int begins(const char *line, const char *dir)
{
	const char *end = line + strcspn(line, "\n");
	const char *on = strstr(line, " mounted on ");
	size_t len = strlen(dir);

	if (!on || on > end)
		return 0;
	on += 12;
	if ((size_t)(end - on) < len + 16 || memcmp(on, dir, len))
		return 0;
	return !strncmp(on + len, " with fstype nfs", 16);
}

int mountstats_parse(const char *text, const char *dir, struct mountstats *out)
{
	int inside = 0, ops = 0, err = -ENOENT;
	uint64_t v[FIELDS];

	for (const char *line = text, *s; line && *line; line = strchr(line, '\n'), line = line ? line + 1 : NULL) {
		if (after(line, "device ")) {
			inside = begins(line, dir);
			ops = 0;
			if (inside) {
				memset(out, 0, sizeof(*out));
				err = 0;
			}
			continue;
		}
		if (!inside)
			continue;
		if (after(line, "per-op statistics")) {
			ops = 1;
		} else if (ops) {
			parse_op(line, out);
		} else if ((s = after(line, "age:"))) {
			out->age_s = strtoull(s, NULL, 10);
		} else if ((s = after(line, "bytes:"))) {
			numbers(s, v);
			memcpy(out->bytes, v, sizeof(out->bytes));
		} else if ((s = after(line, "xprt:"))) {
			parse_xprt(s, out);
		}
	}
	return err;
}

int mountstats_read(const char *dir, struct mountstats *out)
{
	char *text = malloc(TEXT_BYTES);
	int err = -ENOENT;

	if (!text)
		return -ENOMEM;
	if (io_read_small("/proc/self/mountstats", text, TEXT_BYTES) > 0)
		err = mountstats_parse(text, dir, out);
	free(text);
	return err;
}

const struct mountstats_op *mountstats_find(const struct mountstats *m, const char *name)
{
	for (size_t i = 0; i < m->n; i++)
		if (!strcmp(m->op[i].name, name))
			return &m->op[i];
	return NULL;
}

/* 1 where a number of b is greater than that of a. */
static int went_back(const uint64_t *b, const uint64_t *a, size_t n)
{
	for (size_t i = 0; i < n; i++)
		if (a[i] < b[i])
			return 1;
	return 0;
}

static void add_difference(uint64_t *o, const uint64_t *b, const uint64_t *a, size_t n)
{
	for (size_t i = 0; i < n; i++)
		o[i] += a[i] - b[i];
}

/* MS_MAX_SLOTS is no counter: the greatest that was. */
static void add_xprt(struct mountstats *out, const struct mountstats *before, const struct mountstats *later)
{
	uint64_t slots = out->xprt[MS_MAX_SLOTS];

	add_difference(out->xprt, before->xprt, later->xprt, MS_XPRT);
	out->xprt[MS_MAX_SLOTS] = later->xprt[MS_MAX_SLOTS] > slots ? later->xprt[MS_MAX_SLOTS] : slots;
	out->xprts = later->xprts;
	out->xprt_columns = later->xprt_columns;
}

int mountstats_add(struct mountstats *out, const struct mountstats *before, const struct mountstats *later)
{
	static const struct mountstats_op none;

	if (later->age_s < before->age_s || went_back(before->bytes, later->bytes, MS_BYTES) || went_back(before->xprt, later->xprt, MS_BKLOG_U + 1))
		return -EINVAL;
	for (size_t i = 0; i < before->n; i++) {
		const struct mountstats_op *o = mountstats_find(later, before->op[i].name);

		if (!o || went_back(before->op[i].v, o->v, MS_COLUMNS))
			return -EINVAL;
	}
	out->age_s += later->age_s - before->age_s;
	add_difference(out->bytes, before->bytes, later->bytes, MS_BYTES);
	add_xprt(out, before, later);
	for (size_t i = 0; i < later->n; i++) {
		const struct mountstats_op *a = &later->op[i], *b = mountstats_find(before, a->name);
		uint64_t v[MS_COLUMNS] = {0};

		add_difference(v, b ? b->v : none.v, a->v, MS_COLUMNS);
		if (v[MS_OPS] || v[MS_TRANS])
			add_columns(want_op(out, a->name, strlen(a->name)), a->columns, v);
	}
	return 0;
}

void mountstats_all(const struct mountstats *m, struct mountstats_op *all)
{
	memset(all, 0, sizeof(*all));
	strcpy(all->name, "all");
	for (size_t i = 0; i < m->n; i++)
		add_columns(all, m->op[i].columns, m->op[i].v);
}
