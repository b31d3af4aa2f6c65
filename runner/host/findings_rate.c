/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * findings_rate: rules over rates of file tests and their controls.
 */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "host/findings.h"
#include "host/number.h"
#include "host/stats.h"

#define FLAT 1.05    /* CPU a byte up to this is the same work */
#define PER_CPU 1.25 /* bytes a CPU second: a factor worth a sentence */
#define TOGETHER 2.0 /* phases move together when the strongest effect is at most so many times the weakest, in logs */
#define SEEK_CHUNK 1048576.
#define CACHE_RATIO 2.0 /* a random rate that moved by less is taken for what it is */
#define CACHE_FITS (64. * 1048576)
#define CACHE_WIRE .5 /* bytes over the wire for each that was read */

/* ---- waiting, not computing */

void findings_rule_waiting(struct findings_view *v)
{
	struct finding *f = NULL;
	unsigned fell = 0, waits = 0, lower = 0;
	for (size_t i = 0; i < v->effects; i++) {
		const struct findings_effect *e = &v->effect[i];
		double work = e->book[BOOK_PER_BYTE][1] / e->book[BOOK_PER_BYTE][0];
		if (!findings_is_sequential(e) || e->moved >= 0 || !isfinite(work))
			continue;
		fell++;
		waits += work <= FLAT;
		lower += work <= FLAT && e->book[BOOK_SHARE][1] < e->book[BOOK_SHARE][0];
	}
	if (!fell || waits * 2 <= fell)
		return;
	f = findings_say(v, "waiting",
	                 "rates fell in %u phases and in %u of them CPU seconds per GiB did not rise: the client waits, it does not compute%s;", fell,
	                 waits, lower ? "; the lower %CPU is no improvement" : "");
	for (size_t i = 0, n = 0; i < v->effects; i++) {
		const struct findings_effect *e = &v->effect[i];
		const double *b = e->book[BOOK_PER_BYTE];
		if (!findings_is_sequential(e) || e->moved >= 0 || !isfinite(b[1] / b[0]))
			continue;
		findings_go_on(f, "%s %s %.2f to %.2f", n++ ? "," : " CPU s/GiB:", e->metric->name, b[0] * 1073741824., b[1] * 1073741824.);
		findings_number(f, b[1] / b[0], "%s.cpu_per_byte.ratio", e->metric->name);
	}
}

/* ---- phases together; seeks apart */

void findings_rule_together(struct findings_view *v)
{
	for (size_t i = 0; i < v->effects; i++) {
		const char *test = v->effect[i].metric->test;
		double least = INFINITY, most = 0;
		unsigned down = 0, all = 0, first = 1;
		for (size_t k = 0; k < v->effects; k++) {
			const struct findings_effect *e = &v->effect[k];
			if (strcmp(e->metric->test, test) || !findings_is_sequential(e))
				continue;
			first &= k >= i; /* once a test */
			all++;
			down += e->moved < 0;
			least = fmin(least, fabs(e->log));
			most = fmax(most, fabs(e->log));
		}
		if (!first || down < 3 || down != all || most > TOGETHER * least || !findings_is_sequential(&v->effect[i]))
			continue;
		struct finding *f = findings_say(v, "together", "all %u sequential phases of %s fell alike, which chance does not do:", all, test);
		for (size_t k = 0, n = 0; k < v->effects; k++)
			if (!strcmp(v->effect[k].metric->test, test) && findings_is_sequential(&v->effect[k]))
				findings_list(f, &v->effect[k], !n++);
	}
}

static const struct findings_effect *find(const struct findings_view *v, const char *test, const char *metric)
{
	for (size_t i = 0; i < v->effects; i++)
		if (!strcmp(v->effect[i].metric->test, test) && !strcmp(v->effect[i].metric->name, metric))
			return &v->effect[i];
	return NULL;
}

/* seek_chunk= among the test's parameters; 0 where the schedule says none. */
static double seek_chunk(const struct findings_view *v, size_t test)
{
	static const char *const names[] = {"seek_chunk_bytes", "seek_chunk"};
	const struct plan *p = v->c->m->plan;
	char text[32];
	double bytes = 0;
	for (size_t i = 0; test < p->tests && i < 2 && !(bytes > 0); i++)
		if (p->test[test].args && !plan_arg(p->test[test].args, names[i], text, sizeof text) && sscanf(text, "%lf", &bytes) != 1)
			bytes = 0;
	return bytes;
}

void findings_rule_seek(struct findings_view *v)
{
	for (size_t i = 0; i < v->effects; i++) {
		const struct findings_effect *e = &v->effect[i], *read = find(v, e->metric->test, "read");
		char change[NUMBER_MAX];
		if (strcmp(e->metric->name, "seek") || !read || read->moved >= 0 || e->moved < 0)
			continue;
		double said = seek_chunk(v, e->metric->test_index), chunk = said > 0 ? said : SEEK_CHUNK;
		double near = chunk * e->row->v.median_a / read->row->v.median_a;
		struct finding *f = findings_say(v, "seeks-not-down", "%s seek did not fall (%s) while its sequential read did: ", e->metric->test,
		                                 number_change(e->row->v.shift.ratio, change, sizeof change));
		if (near >= .8 && near <= 1.25)
			findings_go_on(f,
			               "with %s of 1 MiB a seek%s the base moved %.0f %% of its sequential rate, so the seek phase is bandwidth too, "
			               "and it is the "
			               "sequential path (readahead, pipelining) that is at fault",
			               said > 0 ? "its chunk" : "a chunk", said > 0 ? "" : " (inferred: nothing here says it, record the seek chunk)",
			               near * 100);
		else if (said > 0)
			findings_go_on(f, "at %.0f KiB a seek it is latency that this phase measures, and latency is not at fault", chunk / 1024);
		else
			findings_go_on(f, "what a seek read is not said here; record the seek chunk, or two of them are not comparable");
		findings_number(f, e->row->v.shift.ratio, "seek.ratio");
		findings_number(f, near, said > 0 ? "seek.of_sequential" : "seek.of_sequential_inferred");
	}
}

/* ---- bytes a CPU second */

/* How many workers a metric `seqread_4` had; 1 where it does not say. */
static int workers(const char *metric)
{
	const char *n = strrchr(metric, '_');
	int w = 1;
	return n && sscanf(n + 1, "%d", &w) == 1 ? w : 1;
}

void findings_rule_per_cpu(struct findings_view *v)
{
	struct finding *f = NULL;
	int several = 0;
	for (size_t i = 0; i < v->effects; i++) {
		const struct findings_effect *e = &v->effect[i];
		double times = e->book[BOOK_PER_BYTE][0] / e->book[BOOK_PER_BYTE][1];
		if (!findings_is_sequential(e) || !isfinite(times) || e->moved < 0 ||
		    (times < PER_CPU && times > 1 / PER_CPU)) /* fell: findings_rule_waiting */
			continue;
		if (!f)
			f = findings_say(v, "per-cpu-second",
			                 "bytes per CPU second of %s against the base:", v->c->m->plan->subject[v->p->subject].id);
		several |= workers(e->metric->name) > 1;
		findings_go_on(f, "%s %s x%.2f", f && f->numbers ? "," : "", e->metric->name, times);
		findings_number(f, times, "%s.%s", e->metric->test, e->metric->name);
	}
	if (several && v->c->m->plan->imported)
		findings_go_on(f, "; %%CPU with more than one worker depends on the libc and the tool of its day, so one worker is the safe ratio");
}

/* ---- the page cache */

static const struct findings_effect *sequential_of(const struct findings_view *v, const struct findings_effect *random)
{
	char name[PLAN_ID_MAX + 1];
	if (strncmp(random->metric->name, "rand", 4))
		return NULL;
	snprintf(name, sizeof name, "seq%s", random->metric->name + 4);
	return find(v, random->metric->test, name);
}

static void say_wire(struct findings_view *v, const struct findings_effect *e, double a, double b)
{
	struct finding *f =
		findings_say(v, "cache-dominated",
	                     "%s %s is cache-dominated: of each byte read %.2f (base) and %.2f went over the wire; its effect is not the network's",
	                     e->metric->test, e->metric->name, a, b);
	findings_number(f, a, "wire_per_read.base");
	findings_number(f, b, "wire_per_read.subject");
}

/* Bytes on the wire tell it; without that count, a leap of random reads far beyond the sequential ones over a footprint that memory holds. */
void findings_rule_cache(struct findings_view *v)
{
	struct finding *f = NULL;
	for (size_t i = 0; i < v->effects; i++) {
		const struct findings_effect *e = &v->effect[i], *seq = sequential_of(v, e);
		const struct nfs_client_row *wire = NULL;
		for (size_t k = 0; k < v->nfs->rows; k++)
			if (v->nfs->row[k].test == e->metric->test_index && !strcmp(v->nfs->row[k].phase, e->metric->name) &&
			    !strcmp(v->nfs->row[k].op, "all"))
				wire = &v->nfs->row[k];
		double a = wire ? findings_nfs(v, wire, NFS_WIRE_READ, 0) : NAN, b = wire ? findings_nfs(v, wire, NFS_WIRE_READ, 1) : NAN;
		if (isfinite(a) && isfinite(b)) {
			if (strstr(e->metric->name, "read") && e->moved && fmin(a, b) < CACHE_WIRE)
				say_wire(v, e, a, b);
			continue;
		}
		double footprint = fmax(e->book[BOOK_FOOTPRINT][0], e->book[BOOK_FOOTPRINT][1]);
		if (!seq || !strstr(e->metric->name, "read") || !e->moved || fabs(e->log) <= log(CACHE_RATIO) || fabs(e->log) <= 2 * fabs(seq->log) ||
		    !(footprint <= CACHE_FITS))
			continue;
		if (!f)
			f = findings_say(v, "cache-dominated",
			                 "random reads moved far beyond the sequential ones, over a footprint of %.1f MiB that any page cache holds "
			                 "(bytes on "
			                 "the wire are not told here): cache-dominated, no effect of the network:",
			                 footprint / 1048576);
		findings_list(f, e, !f || !f->numbers);
	}
}
