/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * findings_books: the rows of a pair with what their phases' books say (facts `timed=`, `cpu=`, `kernel=` of the phase that is called like the
 * metric, docs/facts.md; `imported=` of tables). Facts are a box's words: what is no plain number is not there.
 */
#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "host/findings.h"
#include "host/stats.h"

int findings_is_control(const char *test)
{
	static const char *const begin[] = {"net-", "mem-", "tmpfs-"};
	for (size_t i = 0; i < sizeof begin / sizeof *begin; i++)
		if (!strncmp(test, begin[i], strlen(begin[i])))
			return 1;
	return !strcmp(test, "ftp") || !strcmp(test, "cpu-parallel");
}

static int is_file_test(const char *test) { return !strncmp(test, "disk-", 5) || !strncmp(test, "nfs-", 4) || !strncmp(test, "fio-", 4); }
static int starts(const char *s, const char *with) { return !strncmp(s, with, strlen(with)); }

int findings_is_random(const struct findings_effect *e)
{
	return is_file_test(e->metric->test) &&
	       (starts(e->metric->name, "rand") || starts(e->metric->test, "disk-rand") || starts(e->metric->test, "nfs-rand"));
}

int findings_is_sequential(const struct findings_effect *e)
{
	static const char *const words[] = {"putc", "getc", "write", "rewrite", "read", "seqread", "seqwrite"};
	if (!e->is_rate || !is_file_test(e->metric->test) || findings_is_random(e))
		return 0;
	for (size_t i = 0; i < sizeof words / sizeof *words; i++) {
		size_t len = strlen(words[i]);
		if (!strncmp(e->metric->name, words[i], len) && (!e->metric->name[len] || e->metric->name[len] == '_'))
			return 1;
	}
	return 0;
}

/* ---- facts of a boot */

static double number(const char *s)
{
	size_t n = s ? strspn(s, "0123456789.") : 0;
	char *end;
	if (!n || n > 24 || s[n])
		return NAN;
	double v = strtod(s, &end);
	return *end ? NAN : v;
}

/* key of the fact `word=phase` of a test in a boot. */
static double fact(const struct measure *m, size_t boot, const struct measure_metric *x, const char *word, const char *key)
{
	const struct measure_run *run = &m->run[boot * m->tests + x->test_index];
	if (run->status != MEASURE_PASS)
		return NAN;
	for (size_t i = run->begin; i <= run->end && i < m->boot[boot].records; i++) {
		const struct store_record *r = &m->boot[boot].record[i];
		const char *name = strcmp(r->kind, "fact") ? NULL : store_get(r, word), *text = name ? store_get(r, key) : NULL;
		if (text && !strcmp(name, x->name))
			return number(text);
	}
	return NAN;
}

static void read_books(const struct measure *m, size_t boot, const struct measure_metric *x, double rate, double out[BOOKS])
{
	double ns = fact(m, boot, x, "timed", "ns"), bytes = fact(m, boot, x, "timed", "bytes"), self = fact(m, boot, x, "cpu", "self_us") / 1e6;
	double busy = fact(m, boot, x, "cpu", "busy_us"), idle = fact(m, boot, x, "cpu", "idle_us");
	double percent = fact(m, boot, x, "imported", "cpu_percent");
	out[BOOK_SECONDS] = ns / 1e9;
	out[BOOK_BYTES] = bytes > 0 ? bytes : NAN;
	out[BOOK_SHARE] = isnan(percent) ? self / out[BOOK_SECONDS] : percent / 100;
	out[BOOK_PER_BYTE] = isnan(percent) ? self / out[BOOK_BYTES] : percent / 100 / rate;
	if (strcmp(x->desc ? x->desc->unit : "", "B/s") && isnan(out[BOOK_BYTES]))
		out[BOOK_PER_BYTE] = NAN;
	out[BOOK_SYS_S] = fact(m, boot, x, "cpu", "sys_us") / 1e6;
	out[BOOK_IDLE] = busy + idle > 0 ? idle / (busy + idle) : NAN;
	out[BOOK_OUTSIDE_S] = fmax(busy / 1e6 - self, 0);
	if (isnan(busy) || isnan(self))
		out[BOOK_OUTSIDE_S] = NAN;
	out[BOOK_KERNEL_S] = fact(m, boot, x, "kernel", "all_us") / 1e6;
	if (isnan(out[BOOK_KERNEL_S]) && !isnan(busy)) /* no tick fell to one */
		out[BOOK_KERNEL_S] = 0;
	out[BOOK_RESOLUTION] = fact(m, boot, x, "imported", "resolution");
	out[BOOK_FOOTPRINT] = fact(m, boot, x, "imported", "footprint_bytes");
}

static int fill_books(const struct findings_view *v, struct findings_effect *e)
{
	const struct measure *m = v->c->m;
	const size_t at = e->row->metric;
	double *all = malloc(BOOKS * (m->boots + 1) * sizeof *all), one[BOOKS];
	if (!all)
		return -ENOMEM;
	for (int side = 0; side < 2; side++) {
		size_t n[BOOKS] = {0};
		for (size_t b = 0; b < m->boots; b++) {
			if (m->boot[b].subject != (side ? v->p->subject : v->c->o.base) || !compare_has_boot(v->p, &m->boot[b]))
				continue;
			read_books(m, b, e->metric, m->value[b * m->metrics + at], one);
			for (size_t k = 0; k < BOOKS; k++)
				if (isfinite(one[k]))
					all[k * m->boots + n[k]++] = one[k];
		}
		for (size_t k = 0; k < BOOKS; k++)
			e->book[k][side] = stats_median(all + k * m->boots, n[k]);
	}
	free(all);
	return 0;
}

/* ---- effects */

/*
 * Beyond the threshold is what a row must be to have moved; and where the runs are enough to prove it, proven (at the row's own p: a finding is no
 * verdict). With too few for any proof, every value of one side beyond every value of the other.
 */
static void judge(const struct findings_view *v, struct findings_effect *e)
{
	const struct verdict *x = &e->row->v;
	double t = log1p(v->c->o.threshold), half = 0;
	if (!isfinite(x->shift.ratio) || !(x->shift.ratio > 0))
		return;
	e->log = log(x->shift.ratio);
	for (int side = 0; side < 2; side++)
		if (isfinite(e->book[BOOK_RESOLUTION][side]))
			half += e->book[BOOK_RESOLUTION][side];
	t = fmax(t, half);
	int provable = stats_mwu_p_min(x->na, x->nb) <= v->c->o.alpha;
	int apart = provable ? x->test.p <= v->c->o.alpha : log(x->shift.lo) > t || log(x->shift.hi) < -t;
	e->still = fabs(e->log) <= t;
	if (!e->still && apart && e->metric->desc)
		e->moved = verdict_direction(x, e->metric->desc->better);
}

int findings_read(struct findings_view *v)
{
	v->effect = calloc(v->p->rows + 1, sizeof *v->effect);
	if (!v->effect)
		return -ENOMEM;
	for (size_t i = 0; i < v->p->rows; i++) {
		const struct compare_row *r = &v->p->row[i];
		struct findings_effect *e = &v->effect[v->effects];
		if (!r->v.na || !r->v.nb || r->v.id == VERDICT_FAILED)
			continue;
		e->row = r;
		e->metric = &v->c->m->metric[r->metric];
		e->is_rate = e->metric->desc && !strcmp(e->metric->desc->unit, "B/s");
		if (fill_books(v, e))
			return -ENOMEM;
		judge(v, e);
		v->effects++;
	}
	return 0;
}

double findings_nfs(const struct findings_view *v, const struct nfs_client_row *r, enum nfs_client_value what, int side)
{
	const struct measure *m = v->c->m;
	double *x = malloc((m->boots + 1) * sizeof *x), median;
	size_t n = 0;
	if (!x)
		return NAN;
	for (size_t b = 0; b < m->boots; b++) {
		double y = r->value[(size_t)what * m->boots + b];
		if (m->boot[b].subject == (side ? v->p->subject : v->c->o.base) && compare_has_boot(v->p, &m->boot[b]) && isfinite(y))
			x[n++] = y;
	}
	median = stats_median(x, n);
	free(x);
	return median;
}
