/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * boot_marks: see boot_marks.h. Trap: between the jump and the hello the predecessor still speaks, and its banner was long ago; the first banner in that time
 * is the new kernel's, and what comes before it is not looked at.
 */
#include "host/boot_marks.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "common/err.h"
#include "host/console.h"
#include "host/lab.h"
#include "host/stats.h"

static const struct {
	const char *name;
	int by_box;
} marks[BOOT_MARKS] = {
	[BOOT_INIT] = {"init", 1}, [BOOT_READY] = {"ready", 1},   [BOOT_LINK] = {"link", 1},         [BOOT_ADDRESS] = {"address", 1},
	[BOOT_NFS] = {"nfs", 1},   [BOOT_BANNER] = {"banner", 0}, [BOOT_RUN_INIT] = {"run_init", 0}, [BOOT_HELLO] = {"hello", 0},
};

const char *boot_marks_name(enum boot_mark mark) { return marks[mark].name; }

int boot_marks_by_box(enum boot_mark mark) { return marks[mark].by_box; }

static double env_ms(const struct store_record *r, const char *key)
{
	const char *text = store_get(r, key);
	char *end;
	double v = text && *text >= '0' && *text <= '9' ? strtod(text, &end) : -1;

	return v >= 0 && !*end ? v : -1;
}

static int is_of(const struct store_record *r, const char *kind, const char *test)
{
	const char *t = store_get(r, "test");

	return !strcmp(r->kind, kind) && t && !strcmp(t, test);
}

static void take_record(struct boot_marks_try *t, const struct store_record *r)
{
	static const struct {
		const char *key;
		enum boot_mark mark;
	} env[] = {{"carrier_ms", BOOT_LINK}, {"net_ms", BOOT_ADDRESS}, {"nfs_ms", BOOT_NFS}};
	const char *name = store_get(r, "name");
	double ns;

	for (size_t i = 0; i < sizeof env / sizeof *env && !strcmp(r->kind, "env"); i++)
		if (store_get(r, env[i].key))
			t->ms[env[i].mark] = env_ms(r, env[i].key);
	if (is_of(r, "metric", "boot-time") && name && !strcmp(name, "ready") && measure_parse(r, &ns) == MEASURE_OK && t->try->init_ms >= 0)
		t->ms[BOOT_READY] = t->try->init_ms + ns / 1e6;
}

static void add_call(struct boot_marks *b, const struct store_record *r, unsigned subject)
{
	double us = env_ms(r, "us");
	const char *name = store_get(r, "initcall");
	struct boot_call *more;

	if (!name || us < 0)
		return;
	if (!(b->calls & (b->calls - 1))) { /* as many as a power of two: full */
		more = realloc(b->call, (b->calls ? 2 * b->calls : 1) * sizeof *more);
		if (!more)
			err_die("out of memory");
		b->call = more;
	}
	b->call[b->calls++] = (struct boot_call){subject, name, us};
}

static void fill(struct boot_marks *b, const struct show_try *try)
{
	struct boot_marks_try *t = &b->try[b->tries++];
	const struct journal_try *j = &b->show->sweep->journal->try[try->try->line];

	*t = (struct boot_marks_try){.try = try, .counts = try->state == JOURNAL_COMPLETE && !try->try->discard};
	for (int i = 0; i < BOOT_MARKS; i++)
		t->ms[i] = -1;
	t->from_ms = j->at_ms[JOURNAL_START];
	t->to_ms = j->at_ms[JOURNAL_HELLO];
	if (!t->to_ms)
		t->to_ms = j->at_ms[t->try->state];
	t->ms[BOOT_INIT] = try->init_ms;
	t->ms[BOOT_HELLO] = try->jump_ms;
	for (size_t i = 0; i < try->records; i++) {
		take_record(t, &try->record[i]);
		if (t->counts && is_of(&try->record[i], "fact", "boot-initcalls"))
			add_call(b, &try->record[i], try->try->subject);
	}
}

static int has(const char *line, size_t len, const char *word) { return !!memmem(line, len, word, strlen(word)); }

void boot_marks_console(struct boot_marks *b, uint64_t at_ms, const char *line, size_t len)
{
	int banner = has(line, len, "Linux version ");
	int run = has(line, len, "Run /init as init") || has(line, len, "Freeing unused kernel ") || has(line, len, "Freeing init memory");

	if ((!banner && !run) || has(line, len, "kd1 "))
		return;
	for (size_t i = 0; i < b->tries; i++) {
		struct boot_marks_try *t = &b->try[i];
		double since = (double)at_ms - (double)t->from_ms;

		if (!t->from_ms || at_ms < t->from_ms || at_ms > t->to_ms)
			continue;
		if (banner && t->ms[BOOT_BANNER] < 0)
			t->ms[BOOT_BANNER] = since;
		else if (run && t->ms[BOOT_BANNER] >= 0 && t->ms[BOOT_RUN_INIT] < 0)
			t->ms[BOOT_RUN_INIT] = since;
	}
}

static void read_console(struct boot_marks *b)
{
	const struct sweep *sw = b->show->sweep;
	char *path = lab_path("sweeps/%s/console-%s.log", sw->id, sw->plan.box), *line = NULL, bytes[CONSOLE_LINE_MAX];
	FILE *f = fopen(path, "re");
	uint64_t at, offset;
	size_t room = 0, n;
	ssize_t len;

	while (f && (len = getline(&line, &room, f)) > 0)
		if (!console_log_parse(line, (size_t)len - (line[len - 1] == '\n'), &at, &offset, bytes, &n))
			boot_marks_console(b, at, bytes, n);
	if (f)
		fclose(f);
	free(line);
	free(path);
}

static int call_order(const void *x, const void *y)
{
	const struct boot_call *a = x, *b = y;

	if (a->subject != b->subject)
		return a->subject < b->subject ? -1 : 1;
	return strcmp(a->name, b->name);
}

void boot_marks_make(struct boot_marks *b, const struct show *s)
{
	*b = (struct boot_marks){.show = s, .try = calloc(s->tries + 1, sizeof *b->try)};
	if (!b->try)
		err_die("out of memory");
	for (size_t i = 0; i < s->tries; i++)
		fill(b, &s->try[i]);
	if (b->calls)
		qsort(b->call, b->calls, sizeof *b->call, call_order);
	read_console(b);
}

void boot_marks_free(struct boot_marks *b)
{
	free(b->try);
	free(b->call);
	memset(b, 0, sizeof *b);
}

static double *room_for(size_t n)
{
	double *v = malloc((n + 1) * sizeof *v);

	if (!v)
		err_die("out of memory");
	return v;
}

double boot_marks_median(const struct boot_marks *b, unsigned subject, enum boot_mark mark, size_t *n)
{
	double *v = room_for(b->tries), median;
	size_t k = 0;

	for (size_t i = 0; i < b->tries; i++)
		if (b->try[i].counts && b->try[i].try->try->subject == subject && b->try[i].ms[mark] >= 0)
			v[k++] = b->try[i].ms[mark];
	median = stats_median(v, k);
	free(v);
	if (n)
		*n = k;
	return median;
}

/* Keeps out sorted, the slowest first. */
static size_t insert(struct boot_slow *out, size_t n, size_t max, struct boot_slow one)
{
	size_t at = n;

	while (at && out[at - 1].us < one.us)
		at--;
	if (at == max)
		return n;
	n += n < max;
	memmove(&out[at + 1], &out[at], (n - at - 1) * sizeof *out);
	out[at] = one;
	return n;
}

size_t boot_marks_slowest(const struct boot_marks *b, unsigned subject, struct boot_slow *out, size_t max)
{
	double *v = room_for(b->calls);
	size_t n = 0;

	for (size_t i = 0, next; i < b->calls; i = next) {
		for (next = i; next < b->calls && !call_order(&b->call[i], &b->call[next]); next++)
			v[next - i] = b->call[next].us;
		if (b->call[i].subject == subject)
			n = insert(out, n, max, (struct boot_slow){b->call[i].name, stats_median(v, next - i), next - i});
	}
	free(v);
	return n;
}
