/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * import_lab: imported values as a sweep of the lab, so that show and compare read it by the same code as any other: schedule, manifest, journal and
 * records in the formats of docs/formats.md, marked imported=1 in the schedule and by the channel of every record. What a metric is (unit, better,
 * primary) stands in its record, so an import needs no descriptor and outlives changes of the suite.
 *
 * The schedule is written last: a sweep without one is no sweep.
 */
#include <errno.h>
#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "common/err.h"
#include "common/io.h"
#include "common/kv.h"
#include "host/import.h"
#include "host/lab.h"
#include "host/sweep.h"

#define VARIANT "imported"
#define PAIRS_MAX (IMPORT_SAID_MAX + 7) /* of a record */

struct boot {
	char subject[PLAN_SUBJECT_MAX], kernel[PLAN_ID_MAX + 1], variant[PLAN_ID_MAX + 1];
	const char *machine;
	unsigned nth; /* of its subject, from 0 */
	size_t *value, values;
};

struct writer {
	const struct import *im;
	const char *id;
	struct sweep old; /* with add */
	int add;
	struct boot *boot;
	size_t boots;
	struct store_record *record;
	size_t records;
	FILE *schedule, *journal;
	char *schedule_text, *journal_text;
	size_t schedule_len, journal_len;
};

static void *must(void *p)
{
	if (!p)
		err_die("out of memory");
	return p;
}

/* ---- values into boots */

static void name_subject(const struct import *im, const struct import_value *v, struct boot *b)
{
	const char *variant = im->kernel ? v->subject : VARIANT, *kernel = im->kernel ? im->kernel : v->subject;
	snprintf(b->kernel, sizeof b->kernel, "%s", kernel);
	snprintf(b->variant, sizeof b->variant, "%s", variant);
	snprintf(b->subject, sizeof b->subject, "%s/%s", b->kernel, b->variant);
}

static int has_metric(const struct import *im, const struct boot *b, const struct import_value *v)
{
	for (size_t i = 0; i < b->values; i++)
		if (!strcmp(im->value[b->value[i]].test, v->test) && !strcmp(im->value[b->value[i]].metric, v->metric))
			return 1;
	return 0;
}

/* The first boot of that subject on that machine which has no such value yet. */
static void place(struct writer *w, size_t at)
{
	const struct import_value *v = &w->im->value[at];
	struct boot want = {.machine = v->machine}, *b = NULL;
	name_subject(w->im, v, &want);
	for (size_t i = 0; i < w->boots && !b; i++) {
		struct boot *x = &w->boot[i];
		if (strcmp(x->subject, want.subject))
			continue;
		want.nth++;
		if (!strcmp(x->machine, want.machine) && !has_metric(w->im, x, v))
			b = x;
	}
	if (!b) {
		w->boot = must(realloc(w->boot, (w->boots + 1) * sizeof *w->boot));
		b = &w->boot[w->boots++];
		*b = want;
	}
	b->value = must(realloc(b->value, (b->values + 1) * sizeof *b->value));
	b->value[b->values++] = at;
}

/* ---- lines */

static void put_line(FILE *f, struct kv_out *o)
{
	kv_out_crc(o, 0);
	if (o->err)
		err_die("import: a line does not fit (%s)", strerror(-o->err));
	fprintf(f, "%s\n", o->buf);
}

static void put_sweep(struct writer *w, unsigned rounds)
{
	char buf[KV_LINE_MAX + 1];
	struct kv_out o;
	kv_out_init(&o, buf, sizeof buf);
	kv_out_word(&o, "sweep");
	kv_out_u64(&o, "v", 1);
	kv_out_str(&o, "id", w->id);
	kv_out_str(&o, "box", *w->boot[0].machine ? w->boot[0].machine : "unknown");
	kv_out_u64(&o, "seed", 0);
	kv_out_u64(&o, "rounds", rounds);
	kv_out_raw(&o, "tries=1 switch=firmware suite=imported home=none again_s=1 deaf_s=1 jump_s=1 imported=1");
	kv_out_u64(&o, "made", (uint64_t)time(NULL));
	put_line(w->schedule, &o);
}

static void put_subject(struct writer *w, const struct boot *b)
{
	char buf[KV_LINE_MAX + 1];
	struct kv_out o;
	for (size_t i = 0; i < w->old.plan.subjects; i++)
		if (!strcmp(w->old.plan.subject[i].id, b->subject))
			return;
	for (const struct boot *x = w->boot; x < b; x++)
		if (!strcmp(x->subject, b->subject))
			return;
	kv_out_init(&o, buf, sizeof buf);
	kv_out_word(&o, "subject");
	kv_out_str(&o, "id", b->subject);
	kv_out_str(&o, "kernel", b->kernel);
	kv_out_str(&o, "variant", b->variant);
	put_line(w->schedule, &o);
}

static void put_test(struct writer *w, size_t value)
{
	const struct import_value *v = w->im->value;
	char buf[KV_LINE_MAX + 1];
	struct kv_out o;
	for (size_t i = 0; i < w->old.plan.tests; i++)
		if (!strcmp(w->old.plan.test[i].name, v[value].test))
			return;
	for (size_t i = 0; i < value; i++)
		if (!strcmp(v[i].test, v[value].test))
			return;
	kv_out_init(&o, buf, sizeof buf);
	kv_out_word(&o, "test");
	kv_out_str(&o, "name", v[value].test);
	kv_out_raw(&o, "deadline_ms=1 quiet_ms=1 mem_kb=0 needs= args=");
	put_line(w->schedule, &o);
}

/* ---- records */

struct pairs {
	struct kv_pair pair[PAIRS_MAX];
	char text[PAIRS_MAX][96];
	size_t n;
};

__attribute__((format(printf, 3, 4))) static void pair(struct pairs *p, const char *key, const char *fmt, ...)
{
	va_list ap;
	va_start(ap, fmt);
	vsnprintf(p->text[p->n], sizeof p->text[0], fmt, ap);
	va_end(ap);
	p->pair[p->n] = (struct kv_pair){key, p->text[p->n]};
	p->n++;
}

static void add_record(struct writer *w, unsigned line, uint32_t tag, uint32_t *seq, const char *kind, const struct pairs *p)
{
	static struct record r;
	r.tag = tag;
	r.seq = (*seq)++;
	r.ms = 0;
	r.kv.word = kind;
	r.kv.n = p->n;
	memcpy(r.kv.pair, p->pair, p->n * sizeof *p->pair);
	w->record = must(realloc(w->record, (w->records + 1) * sizeof *w->record));
	if (store_from_record(&w->record[w->records], &r, line, STORE_IMPORTED))
		err_die("out of memory");
	w->records++;
}

static void pair_said(struct pairs *p, const struct import_said *list)
{
	for (size_t i = 0; i < IMPORT_SAID_MAX && list[i].key; i++)
		pair(p, list[i].key, list[i].v == floor(list[i].v) ? "%.0f" : "%.9g", list[i].v);
}

static const char *better_name(enum suite_better b) { return b == SUITE_HIGHER ? "higher" : b == SUITE_LOWER ? "lower" : "neither"; }

/* The metric, what the table said beside it, and where the size is known the books that our own tests keep. */
static unsigned add_value(struct writer *w, unsigned line, uint32_t tag, uint32_t *seq, const struct import_value *v)
{
	const char *file = strrchr(v->file, '/');
	struct pairs m = {.n = 0}, f = {.n = 0}, t = {.n = 0}, c = {.n = 0};
	pair(&m, "test", "%s", v->test);
	pair(&m, "name", "%s", v->metric);
	pair(&m, "v", "%.6f", v->v);
	pair(&m, "unit", "%s", v->unit);
	pair(&m, "better", "%s", better_name(v->better));
	if (v->primary)
		pair(&m, "primary", "yes");
	pair(&f, "test", "%s", v->test);
	pair(&f, "imported", "%s", v->metric);
	pair(&f, "file", "%.80s", file ? file + 1 : v->file);
	pair(&f, "line", "%u", v->line);
	if (!isnan(v->cpu_percent))
		pair(&f, "cpu_percent", "%g", v->cpu_percent);
	if (v->resolution > 0)
		pair(&f, "resolution", "%.6f", v->resolution);
	if (v->footprint_bytes > 0)
		pair(&f, "footprint_bytes", "%.0f", v->footprint_bytes);
	pair_said(&f, v->beside);
	add_record(w, line, tag, seq, "fact", &f);
	add_record(w, line, tag, seq, "metric", &m);
	double seconds = !strcmp(v->unit, "B/s") && v->bytes > 0 ? v->bytes / v->v : !strcmp(v->unit, "ns") ? v->v / 1e9 : 0;
	if (!(seconds > 0) || seconds > 1e8)
		return 2;
	pair(&t, "test", "%s", v->test);
	pair(&t, "timed", "%s", v->metric);
	pair(&t, "n", "1");
	pair(&t, "ns", "%.0f", seconds * 1e9);
	pair(&t, "bytes", "%.0f", v->bytes);
	add_record(w, line, tag, seq, "fact", &t);
	if (isnan(v->cpu_percent))
		return 3;
	pair(&c, "test", "%s", v->test);
	pair(&c, "cpu", "%s", v->metric);
	pair(&c, "self_us", "%.0f", seconds * v->cpu_percent * 1e4);
	add_record(w, line, tag, seq, "fact", &c);
	return 4;
}

/* How the test was run, as the first of its values in this boot knows it. 1 or 0 records. */
static unsigned add_how(struct writer *w, const struct boot *b, unsigned line, uint32_t tag, uint32_t *seq, const char *test)
{
	struct pairs how = {.n = 0};
	for (size_t i = 0; i < b->values; i++) {
		const struct import_value *v = &w->im->value[b->value[i]];
		if (strcmp(v->test, test) || !v->how[0].key)
			continue;
		pair(&how, "test", "%s", test);
		pair(&how, "how", "%s", strstr(test, "-threads") ? "threads" : "bonnie");
		pair_said(&how, v->how);
		add_record(w, line, tag, seq, "fact", &how);
		return 1;
	}
	return 0;
}

static void add_test(struct writer *w, const struct boot *b, unsigned line, uint32_t tag, uint32_t *seq, const char *test)
{
	unsigned records = 2;
	struct pairs begin = {.n = 0}, end = {.n = 0};
	pair(&begin, "test", "%s", test);
	add_record(w, line, tag, seq, "begin", &begin);
	records += add_how(w, b, line, tag, seq, test);
	for (size_t i = 0; i < b->values; i++)
		if (!strcmp(w->im->value[b->value[i]].test, test))
			records += add_value(w, line, tag, seq, &w->im->value[b->value[i]]);
	pair(&end, "test", "%s", test);
	pair(&end, "status", "pass");
	pair(&end, "records", "%u", records);
	add_record(w, line, tag, seq, "end", &end);
}

static void add_boot(struct writer *w, const struct boot *b, unsigned line, unsigned nr)
{
	char text[512];
	uint32_t tag = (line * 2654435761u) & 0x7fffffffu, seq = 0;
	struct pairs hello = {.n = 0}, env = {.n = 0};
	struct plan_try t = {.line = line, .tag = tag, .boot = nr, .round = b->nth + 1, .why = "plan"};
	struct plan_subject s;
	snprintf(s.id, sizeof s.id, "%s", b->subject);
	const struct plan p = {.subject = &s, .subjects = 1};
	const struct journal_entry e = {.line = line, .tag = tag, .state = JOURNAL_COMPLETE, .why = "imported"};
	if (plan_format_try(&p, &t, text, sizeof text) < 0)
		err_die("import: a line of the schedule does not fit");
	fputs(text, w->schedule);
	if (journal_format(&e, "station", 0, text, sizeof text) < 0)
		err_die("import: a line of the journal does not fit");
	fputs(text, w->journal);
	pair(&hello, "role", "subject");
	pair(&hello, "line", "%u", line);
	add_record(w, line, tag, &seq, "hello", &hello);
	if (*b->machine) {
		pair(&env, "machine", "%s", b->machine);
		add_record(w, line, tag, &seq, "env", &env);
	}
	for (size_t i = 0; i < b->values; i++) {
		int first = 1;
		for (size_t k = 0; k < i; k++)
			first &= strcmp(w->im->value[b->value[k]].test, w->im->value[b->value[i]].test) != 0;
		if (first)
			add_test(w, b, line, tag, &seq, w->im->value[b->value[i]].test);
	}
}

/* ---- files */

static void write_out(struct writer *w, const char *name, const char *text, size_t len)
{
	char *path = lab_path("sweeps/%s/%s", w->id, name);
	int fd = w->add ? io_append_open(path) : -1;
	int rc = !w->add ? io_write_file(path, text, len, 0644) : fd < 0 ? fd : io_append(fd, text, len);
	if (fd >= 0)
		close(fd);
	if (rc)
		err_die_code(rc, "write %s:", path);
	free(path);
}

static void open_target(struct writer *w)
{
	char *dir = lab_path("sweeps/%s", w->id);
	if (w->add) {
		sweep_open(&w->old, w->id);
		if (!w->old.plan.imported)
			err_die("sweep %s was not imported: nothing can be added to it", w->id);
	} else if (!access(dir, F_OK)) {
		err_die("%s is there already: another name, or --add", dir);
	}
	if (io_mkdirs(dir, 0755))
		err_die("cannot make %s:", dir);
	free(dir);
}

static void check_sizes(const struct writer *w)
{
	unsigned subjects = 0, tests = 0;
	for (size_t i = 0; i < w->boots; i++)
		subjects += !w->boot[i].nth;
	for (size_t i = 0; i < w->im->values; i++) {
		int first = 1;
		for (size_t k = 0; k < i && first; k++)
			first = strcmp(w->im->value[k].test, w->im->value[i].test) != 0;
		tests += first;
	}
	if (w->boots + w->old.plan.tries > PLAN_TRIES_MAX || subjects + w->old.plan.subjects > PLAN_SUBJECTS_MAX ||
	    tests + w->old.plan.tests > PLAN_TESTS_MAX)
		err_die("import: %zu boots of %u subjects with %u tests are too many for a sweep (%d, %d, %d): import fewer files at once", w->boots,
		        subjects, tests, PLAN_TRIES_MAX, PLAN_SUBJECTS_MAX, PLAN_TESTS_MAX);
}

unsigned import_write(const struct import *im, const char *id, int add)
{
	struct writer w = {.im = im, .id = id, .add = add};
	unsigned rounds = 1, line, nr;
	for (size_t i = 0; i < im->values; i++)
		place(&w, i);
	open_target(&w);
	check_sizes(&w);
	w.schedule = must(open_memstream(&w.schedule_text, &w.schedule_len));
	w.journal = must(open_memstream(&w.journal_text, &w.journal_len));
	for (size_t i = 0; i < w.boots; i++)
		rounds = w.boot[i].nth + 1 > rounds ? w.boot[i].nth + 1 : rounds;
	if (!add)
		put_sweep(&w, rounds);
	for (size_t i = 0; i < w.boots; i++)
		put_subject(&w, &w.boot[i]);
	for (size_t i = 0; i < im->values; i++)
		put_test(&w, i);
	line = add && w.old.plan.tries ? w.old.plan.try[w.old.plan.tries - 1].line : 0;
	nr = (unsigned)w.old.plan.tries;
	for (size_t i = 0; i < w.boots; i++)
		add_boot(&w, &w.boot[i], ++line, ++nr);
	if (fclose(w.schedule) || fclose(w.journal))
		err_die("out of memory");
	char *path = lab_path("sweeps/%s/records.jsonl", id);
	int rc = store_append(path, id, *w.boot[0].machine ? w.boot[0].machine : "unknown", w.record, w.records, NULL, 0);
	if (rc)
		err_die_code(rc, "write %s:", path);
	free(path);
	write_out(&w, "journal", w.journal_text, w.journal_len);
	write_out(&w, "schedule", w.schedule_text, w.schedule_len);
	unsigned boots = (unsigned)w.boots;
	for (size_t i = 0; i < w.boots; i++)
		free(w.boot[i].value);
	for (size_t i = 0; i < w.records; i++)
		free(w.record[i].pair);
	free(w.boot);
	free(w.record);
	free(w.schedule_text);
	free(w.journal_text);
	if (add)
		sweep_close(&w.old);
	return boots;
}
