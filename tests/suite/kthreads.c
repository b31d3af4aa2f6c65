/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * kthreads: kernel threads, found in /proc and summed up by family.
 */
#include <ctype.h>
#include <dirent.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "common/io.h"
#include "fact_line.h"
#include "kthreads.h"

#define TICK_US 10000u
#define PF_EXITING 4 /* the same on all kernels: a program that ends has lost its address space before it is a zombie */

/* Fields of the line behind the name, from 3 (state) on. */
enum { STATE = 3, FLAGS = 9, UTIME = 14, STIME = 15, START = 22, VSIZE = 23 };

int kthreads_parse(const char *line, struct kthread *out)
{
	const char *open = strchr(line, '('), *close = strrchr(line, ')'); /* a name may hold both */
	uint64_t v[VSIZE + 1] = {0};
	const char *p;
	size_t len;

	if (!open || !close || close < open || close[1] != ' ' || !close[2])
		return -EINVAL;
	out->pid = (uint32_t)strtoul(line, NULL, 10);
	len = (size_t)(close - open - 1);
	if (len >= sizeof(out->name))
		len = sizeof(out->name) - 1;
	memcpy(out->name, open + 1, len);
	out->name[len] = 0;
	p = close + 3;
	for (int i = STATE + 1; i <= VSIZE; i++) {
		char *end;

		v[i] = strtoull(p, &end, 10); /* -1 is a field, too: of no interest here */
		if (end == p)
			return -EINVAL;
		p = end;
	}
	out->ticks = v[UTIME] + v[STIME];
	out->start = v[START];
	return !v[VSIZE] && !(v[FLAGS] & PF_EXITING) && !strchr("ZXx", close[2]);
}

void kthreads_family(const char *name, char out[KTHREADS_NAME])
{
	size_t n = strcspn(name, "/");

	if (!name[n])
		n = strcspn(name, ":0123456789");
	if (!strncmp(name, "kworker/u", 9)) {
		snprintf(out, KTHREADS_NAME, "kworker_u");
		return;
	}
	while (n && (name[n - 1] == '-' || name[n - 1] == '_'))
		n--;
	if (n >= KTHREADS_NAME)
		n = KTHREADS_NAME - 1;
	for (size_t i = 0; i < n; i++) { /* it becomes a key */
		char c = (char)tolower((unsigned char)name[i]);

		out[i] = (c >= 'a' && c <= 'z') || (c >= '0' && c <= '9') || c == '-' || c == '.' ? c : '_';
	}
	out[n] = 0;
	if (!n || !strcmp(out, "other") || !strcmp(out, "all") || !strcmp(out, "top"))
		snprintf(out, KTHREADS_NAME, "other");
}

/* Where the ticks of a family go. */
static uint64_t *slot(struct kthreads *k, const char *name)
{
	char family[KTHREADS_NAME];

	kthreads_family(name, family);
	if (!strcmp(family, "other"))
		return &k->other;
	for (unsigned i = 0; i < k->families; i++)
		if (!strcmp(k->family[i].name, family))
			return &k->family[i].ticks;
	if (k->families == KTHREADS_FAMILIES)
		return &k->other;
	memcpy(k->family[k->families].name, family, sizeof(family));
	return &k->family[k->families++].ticks;
}

void kthreads_add(struct kthreads *k, const struct kthreads_mark *before, const struct kthread *t)
{
	uint64_t ticks = t->ticks;

	for (unsigned i = 0; i < before->n; i++)
		if (before->t[i].pid == t->pid && before->t[i].start == t->start) {
			ticks = t->ticks > before->t[i].ticks ? t->ticks - before->t[i].ticks : 0;
			break;
		}
	if (!ticks)
		return;
	*slot(k, t->name) += ticks;
	k->all += ticks;
	if (ticks > k->top_ticks) {
		k->top_ticks = ticks;
		memcpy(k->top, t->name, sizeof(k->top));
	}
}

/* Calls with every kernel thread there is. 0 or -errno. */
static int each(void (*with)(void *data, const struct kthread *t), void *data)
{
	DIR *dir = opendir("/proc");
	struct dirent *e;

	if (!dir)
		return -errno;
	while ((e = readdir(dir))) {
		char path[32], line[512]; /* of a kernel thread 160 bytes; what is cut is behind vsize */
		struct kthread t;

		if (e->d_name[0] < '1' || e->d_name[0] > '9' || strlen(e->d_name) > 10)
			continue;
		snprintf(path, sizeof(path), "/proc/%.10s/stat", e->d_name);
		if (io_read_small(path, line, sizeof(line)) > 0 && kthreads_parse(line, &t) == 1)
			with(data, &t);
	}
	closedir(dir);
	return 0;
}

static void mark(void *data, const struct kthread *t)
{
	struct kthreads_mark *m = data;

	if (m->n == KTHREADS_MAX)
		return;
	m->t[m->n].pid = t->pid;
	m->t[m->n].start = t->start;
	m->t[m->n++].ticks = (uint32_t)t->ticks;
}

int kthreads_mark(struct kthreads_mark *m)
{
	m->n = 0;
	return each(mark, m);
}

struct since {
	struct kthreads *k;
	const struct kthreads_mark *before;
	unsigned n;
};

static void add(void *data, const struct kthread *t)
{
	struct since *s = data;

	if (s->n++ < KTHREADS_MAX)
		kthreads_add(s->k, s->before, t);
}

int kthreads_since(struct kthreads *k, const struct kthreads_mark *before)
{
	struct since s = {k, before, 0};
	int err = each(add, &s);

	if (s.n > KTHREADS_MAX)
		k->left_out = s.n - KTHREADS_MAX;
	return err;
}

void kthreads_report(const char *name, const struct kthreads *k)
{
	char key[KTHREADS_NAME + 4];
	struct fact_line l;

	if (!k->all && !k->left_out)
		return;
	fact_line_open(&l, "kernel", name);
	fact_line_u64(&l, "all_us", k->all * TICK_US);
	for (unsigned i = 0; i < k->families; i++) {
		snprintf(key, sizeof(key), "%s_us", k->family[i].name);
		fact_line_u64(&l, key, k->family[i].ticks * TICK_US);
	}
	if (k->other)
		fact_line_u64(&l, "other_us", k->other * TICK_US);
	if (k->left_out)
		fact_line_u64(&l, "left_out", k->left_out);
	if (k->top_ticks) {
		fact_line_str(&l, "top", k->top);
		fact_line_u64(&l, "top_us", k->top_ticks * TICK_US);
	}
	fact_line_send(&l);
}
